/** A native connector: tools for one vendor's API that the product itself has (`packages/connectors`). */
import { z } from 'zod'
import { LIMITS } from '../effects.ts'
import type { SettingsForm } from '../form.ts'
import { RemoteAuth } from '../connection-auth.ts'
import { kind, seconds, shared } from './kind.ts'

const TIMEOUT_SECONDS = 60

/** The name of a native connector, which begins the names of its tools. */
export const VendorName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,39}$/, 'must start with a letter and have at most 40 lowercase letters, digits and _')

/** One file of TypeScript whose default export is `vendor({ … })`. */
export const ConnectorSource = z.string().min(1).max(300_000)

export const NativeSettings = z.strictObject({
  connector: z.literal('native'),
  /** It speaks no MCP: there is no revision to pin. */
  revision: z.literal('auto').default('auto'),
  /** Arguments are always checked, whatever is said. */
  checks: shared.checks,
  timeout: seconds.default(TIMEOUT_SECONDS),
  vendor: VendorName,
  /** The source of somebody's own connector (TypeScript, one file), which runs in a process of its own. Absent: the product's. */
  source: ConnectorSource.optional(),
  /** How far the tools reach whose scopes an account is asked for at first; others are asked for when a tool needs them. */
  scopesFor: z.enum(LIMITS).default('execute'),
  /** The vendor's own address, or that of a server of the same kind: GitHub Enterprise, a GitLab of one's own. */
  url: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }),
  /** Whether the address may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  auth: RemoteAuth.prefault({}),
})
export type NativeSettings = z.output<typeof NativeSettings>

const NativeMembers = z.strictObject({
  vendor: VendorName,
  scopes_for: z.enum(LIMITS).default('execute'),
  /** Whether it is somebody's own connector. */
  supplied: z.boolean().default(false),
  /** Of somebody's own connector, for callers who may change connections; null for others. */
  source: ConnectorSource.nullable().default(null),
})
const NativeRequest = z.strictObject({
  vendor: VendorName,
  scopes_for: z.enum(LIMITS).optional(),
  /** Null: the product's own connector. */
  source: ConnectorSource.nullable().optional(),
})
const NativeChange = NativeRequest.partial()

const FORM: SettingsForm = {
  fields: [
    {
      name: 'scopes_for',
      control: 'choice',
      choices: ['read', 'write', 'execute'],
    },
  ],
}

export const native = kind({
  connector: 'native',
  usesFiles: true,
  title: 'Native connector',
  settings: NativeSettings,
  addresses: { url: { secrets: true } },
  timeout: TIMEOUT_SECONDS,
  runsHere: false,
  speaksMcp: false,
  described: true,
  toolsKnownUnasked: true,
  changedByAdministrators: true,
  triesCredentials: true,
  own: {
    member: 'native',
    shown: NativeMembers,
    given: NativeRequest,
    /** The vendor of a connection stays: its accounts are accounts at that vendor. */
    changed: NativeChange,
    form: FORM,
  },
})
