/** The members of a connection, in the admin interface, that hold the settings of one kind. They follow from the list of kinds. */
import type { z } from 'zod'
import { KINDS, type Connector } from './kinds.ts'
import type { OwnSettings } from './kind.ts'

type WithOwn = Extract<(typeof KINDS)[number], { readonly own: OwnSettings }>
type WithGiven = Extract<WithOwn, { readonly own: { readonly given: z.ZodType } }>
export type OwnMember = WithOwn['own']['member']

type Shown = { [Kind in WithOwn as Kind['own']['member']]: z.ZodNullable<Kind['own']['shown']> }
type Given = { [Kind in WithGiven as Kind['own']['member']]: z.ZodOptional<Kind['own']['given']> }
type Changed = { [Kind in WithOwn as Kind['own']['member']]: z.ZodOptional<Kind['own']['changed']> }

const OWN: readonly OwnSettings[] = KINDS.flatMap((kind) => ('own' in kind ? [kind.own] : []))

const membersOf = (schemaOf: (own: OwnSettings) => z.ZodType | undefined): object =>
  Object.fromEntries(OWN.flatMap((own) => [schemaOf(own)].flatMap((schema) => (schema ? [[own.member, schema]] : []))))

/** In a connection as it is shown; null for a connection of another kind. */
export const OWN_SHOWN = membersOf(({ shown }) => shown.nullable()) as Shown
/** In the request of a new connection. */
export const OWN_GIVEN = membersOf(({ given }) => given?.optional()) as Given
/** In the change of a connection. */
export const OWN_CHANGED = membersOf(({ changed }) => changed.optional()) as Changed

/** Every member, null: the connection is of a kind without settings of its own. */
export const NO_OWN = Object.fromEntries(OWN.map(({ member }) => [member, null])) as Readonly<Record<OwnMember, null>>

/** The member of a kind; undefined where it has no settings of its own. */
export function ownMemberOf(connector: Connector): OwnMember | undefined {
  const kind = KINDS.find((item) => item.connector === connector)
  return kind !== undefined && 'own' in kind ? kind.own.member : undefined
}
