/**
 * A kind of connection, as far as every package may know it: its name, its settings, and the facts that decide how its tools are
 * treated. Its behaviour (opening, probing) is in the gateway, in `kinds/`.
 */
import { z } from 'zod'
import { REVISIONS } from '../revisions.ts'
import type { SettingsForm } from '../form.ts'
import type { CatalogRow } from './catalog-row.ts'

/** Settings that only one kind has. The admin interface shows and takes them under one member of a connection. */
export interface OwnSettings {
  readonly member: string
  readonly shown: z.ZodType
  /** The settings in the request of a new connection; absent where that request does not take them. */
  readonly given?: z.ZodType
  readonly changed: z.ZodType
  /** The form for them; absent where the console has a screen of its own. */
  readonly form?: SettingsForm
}

/** How an address of a connection is treated besides `url`, which each kind at an address has. */
interface AddressTerms {
  /** Sealed headers go there, so they are bound to it: another one is not taken without them. */
  readonly secrets: boolean
  /** The address where none is given, which is the vendor's own. */
  readonly usual?: string
}

/** The schema of an address, however it is wrapped. */
type IsAddress<Schema> = Schema extends z.ZodURL
  ? true
  : Schema extends z.ZodOptional<infer Inner> | z.ZodDefault<infer Inner> | z.ZodNullable<infer Inner>
    ? IsAddress<Inner>
    : false
type AddressName<Shape> = { [Name in keyof Shape]: IsAddress<Shape[Name]> extends true ? Name : never }[keyof Shape]

export interface ConnectionKind<Settings extends z.ZodObject = z.ZodObject> {
  /** The value of `connector` in settings, requests, rules and records. */
  readonly connector: string
  /** The kind in English, for pages of the gateway and commands; the console has its own words (`kinds`). */
  readonly title: string
  readonly settings: Settings
  /** Every address among its settings, by the name of the setting. */
  readonly addresses: Readonly<Record<string, AddressTerms>>
  /** Seconds that a request may take where nothing else is said. */
  readonly timeout: number
  /** Its server is a program that the gateway starts. Otherwise it is reached at an address. */
  readonly runsHere: boolean
  /** Its server speaks MCP, so a protocol revision can be pinned. */
  readonly speaksMcp: boolean
  /** Its numbers are written as JSON or text, so a number that a double would change may go there with its digits. */
  readonly keepsDigits?: true
  /**
   * The gateway reads its tools out of a description that is not what runs them: stated effects and categories count, and arguments
   * are always checked.
   */
  readonly described: boolean
  /** Its descriptions say nothing about the effect of many tools: that of such a tool is unknown. */
  readonly leavesEffectsOpen?: true
  /**
   * Its tools are described by somebody else, who may change the texts that models read at any time: new connections hold such
   * changes for review (ADR 0127).
   */
  readonly describedByOthers?: true
  /** Its tools are known without a request to its server, so that they are there says nothing of the server. */
  readonly toolsKnownUnasked?: true
  /** Its tools come from a document or contracts, which the console shows in a tab of its own. */
  readonly hasDocument?: true
  /** Its description changes by the act of an administrator alone, so a changed effect is no surprise. */
  readonly changedByAdministrators?: true
  /** Tools may have old names, which are in their definition. */
  readonly oldNames?: true
  /** An argument that is null counts as one that is absent. */
  readonly absentNulls?: true
  /** Its upstream looks at a call before anything is sent (`Upstream.review`). */
  readonly reviews?: true
  /** The argument that the gateway writes: the organization for which the call runs. */
  readonly organizationArgument?: string
  /** Its upstream answers `ping` by asking its vendor whose credential it is. */
  readonly triesCredentials?: true
  /** Its server keeps the accounts of users itself (`Upstream.broker`), and their tokens are never here. */
  readonly brokersAccounts?: true
  /** Its upstream takes stored files where its schemas mark them, and gives some (`Ask.files`). */
  readonly usesFiles?: true
  /** Its upstream tells which items are not offered, and why (`Upstream.leftOut`). */
  readonly tellsLeftOut?: true
  /**
   * It is reached at `url` with headers of the organization's own, and keeps no accounts. Its own settings stand beside the others in a
   * declaration file.
   */
  readonly isBackend?: true
  /** The vendor's own address, which a new connection has that is given none. */
  readonly ownAddress?: string
  /** It is one service: people choose it by name, and the form of its own settings is all that it needs. */
  readonly isService?: true
  /** Its row in the catalog. */
  readonly row?: CatalogRow
  readonly own?: OwnSettings
}

/** Keeps the literal types of a kind. A kind that leaves an address of its settings unnamed is a compile error. */
export const kind = <const Kind extends ConnectionKind>(
  item: Kind & { readonly addresses: Readonly<Record<AddressName<Kind['settings']['shape']>, AddressTerms>> },
): Kind => item

/** Seconds that one request may take. Progress does not extend it. */
export const seconds = z.number().positive().max(3600)

/** `arguments`: the gateway checks them, as it does for servers that only describe their tools. */
export const CHECKS = ['none', 'arguments'] as const

export const shared = {
  /** The revision that the server speaks; `auto` finds out and remembers. A pin is taken at its word, without a probe. */
  revision: z.enum(['auto', ...REVISIONS]).default('auto'),
  /** The checks that the gateway makes itself before it sends a call: none, or the arguments against the tool's own schema. */
  checks: z.enum(CHECKS).optional(),
}
