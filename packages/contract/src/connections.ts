/**
 * How a connection is described: what an operator writes in a file or on the command line, and what is kept.
 *
 * Settings may be shown; secrets (header and environment values) are sealed and never are.
 */
import { z } from 'zod'
import { ConnectionAuth } from './connection-auth.ts'
import { LIMITS } from './effects.ts'
import { openApiShape } from './openapi.ts'
import { REVISIONS } from './revisions.ts'
import { RuleWords } from './rules.ts'
import { Audience, DISCOVERY_MODES, ToolsetTools } from './toolset-words.ts'

/**
 * Chosen once, kept for good: clients see tool names that start with it. No `__` and no `_` at its end, so that
 * `alias__tool` can be read in one way only and no connection can take a name of another's.
 */
export const Alias = z.string().regex(/^(?=.{1,31}$)[a-z](?:[a-z0-9-]|_(?=[a-z0-9-]))*$/, {
  error: 'an alias starts with a-z, has at most 31 characters of a-z, 0-9, _ and -, no __ and no _ at its end',
})
export const Slug = z.string().regex(/^[a-z][a-z0-9-]{0,38}$/, {
  error: 'a slug starts with a-z and has at most 39 characters of a-z, 0-9 and -',
})

/** Seconds that one request may take. Progress does not extend it. */
const seconds = z.number().positive().max(3600)

/** `arguments`: the gateway checks them, as it does for servers that only describe their tools. */
export const CHECKS = ['none', 'arguments'] as const

const shared = {
  /** The revision that the server speaks; `auto` finds out and remembers. A pin is taken at its word, without a probe. */
  revision: z.enum(['auto', ...REVISIONS]).default('auto'),
  /** What the gateway checks itself before it sends a call: nothing, or the arguments by the tool's own schema. */
  checks: z.enum(CHECKS).optional(),
}

/** What a request may take where nothing else is said, in seconds: a child has no network to wait for (ledger S3-EXT-03). */
export const TIMEOUTS = { http: 60, process: 30, contract: 30 } as const

export const HttpSettings = z.strictObject({
  ...shared,
  connector: z.literal('mcp.http'),
  timeout: seconds.default(TIMEOUTS.http),
  /** The scheme says what carries the messages: HTTP (Streamable HTTP, else HTTP+SSE) or WebSocket. */
  url: z.url({
    protocol: /^(https?|wss?)$/,
    error: 'a connection address starts with http://, https://, ws:// or wss://',
  }),
  /** Whether the address may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  auth: ConnectionAuth.prefault({}),
})
export type HttpSettings = z.output<typeof HttpSettings>

export const ProcessSettings = z.strictObject({
  ...shared,
  connector: z.literal('mcp.process'),
  timeout: seconds.default(TIMEOUTS.process),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
})
export type ProcessSettings = z.output<typeof ProcessSettings>

const Name = z.string().min(1).max(200)

/** What can be said of a contract backend beside its address and headers. Times are in seconds. */
const ContractShape = {
  /** The organization as the backend knows it, which every call is given as `org_id`; absent: our own slug. */
  organization: Name.optional(),
  /** How long contracts, and facets, are used before they are fetched anew. */
  contracts_for: z.number().min(1).max(86_400),
  facets_for: z.number().min(1).max(86_400),
  /** How old they may become where they cannot be fetched; after that they count as unavailable. */
  stale_for: z.number().min(0).max(604_800),
  /** Whether the member for whom a trusted key calls is told to the backend (`X-On-Behalf-Of`). */
  on_behalf: z.boolean(),
  /** Which functions become tools, by their exposure profile. */
  exposes: z.enum(['agent', 'procedure', 'all']),
  /** Whether functions with side effects become tools, and which do all the same. */
  side_effects: z.boolean(),
  allows: z.array(Name).max(200),
  /** Old names that a tool can be called by, and what it is called now. */
  aliases: z.record(Name, Name),
  /** Whether `facet_filters` are looked at before a call; without it made-up names reach the backend. */
  checks_facets: z.boolean(),
}
export const ContractWords = z.strictObject(ContractShape).partial()
export type ContractWords = z.output<typeof ContractWords>
/** What is said of a contract backend, without what every connection has. */
export const contractWordsOf = (said: object): ContractWords => ContractWords.strip().parse(said)

/** A backend that describes its functions by contracts and runs them over HTTP (ledger S1). */
export const ContractSettings = z.strictObject({
  connector: z.literal('contract'),
  /** It speaks no MCP: there is no revision to pin. */
  revision: z.literal('auto').default('auto'),
  /** Theirs are always checked, whatever is said. */
  checks: shared.checks,
  timeout: seconds.default(TIMEOUTS.contract),
  url: z.url({ protocol: /^https?$/, error: 'the address of a contract backend starts with http:// or https://' }),
  /** Whether the address may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  organization: ContractShape.organization,
  contracts_for: ContractShape.contracts_for.default(300),
  facets_for: ContractShape.facets_for.default(600),
  stale_for: ContractShape.stale_for.default(3600),
  on_behalf: ContractShape.on_behalf.default(false),
  exposes: ContractShape.exposes.default('agent'),
  side_effects: ContractShape.side_effects.default(false),
  allows: ContractShape.allows.default([]),
  aliases: ContractShape.aliases.default({ materialize_text: 'get_content' }),
  checks_facets: ContractShape.checks_facets.default(true),
})
export type ContractSettings = z.output<typeof ContractSettings>

export const OpenApiSettings = z.strictObject({ ...shared, timeout: seconds.default(TIMEOUTS.http), ...openApiShape })
export type OpenApiSettings = z.output<typeof OpenApiSettings>

export const ConnectionSettings = z.discriminatedUnion('connector', [
  HttpSettings,
  ProcessSettings,
  ContractSettings,
  OpenApiSettings,
])
export type ConnectionSettings = z.output<typeof ConnectionSettings>

/** Whether its server may want to know for whom a call is made, by accounts that people connect; a program and a backend do not. */
export const mayHaveAccounts = (settings: ConnectionSettings): settings is HttpSettings | OpenApiSettings =>
  settings.connector === 'mcp.http' || settings.connector === 'openapi'

/**
 * The half of a connection that is sealed: headers for what is reached over HTTP, environment variables for `mcp.process`. Where an
 * address or a command line holds a secret, the true one is here and the settings hold it masked.
 */
export const ConnectionSecrets = z.strictObject({
  headers: z.record(z.string(), z.string()).default({}),
  environment: z.record(z.string(), z.string()).default({}),
  url: z.string().optional(),
  args: z.array(z.string()).optional(),
})
export type ConnectionSecrets = z.output<typeof ConnectionSecrets>

export const ToolsetSettings = z.strictObject({
  /** Aliases of the connections it selects from; absent means all, later ones too. */
  connections: z.array(Alias).optional(),
  /** Patterns over `alias__tool` with `*` for any run of characters. */
  include: z.array(z.string().min(1)).default(['*']),
  exclude: z.array(z.string().min(1)).default([]),
  /** How far its tools reach: `read` leaves out those that write, `write` those that destroy; absent means all are in. */
  limit: z.enum(LIMITS).optional(),
  /** Rules that hold at its endpoint; one name each. */
  rules: z.array(RuleWords).max(500).optional(),
  /** Narrower limits of single connections, by alias. */
  limits: z.record(Alias, z.enum(LIMITS)).optional(),
  /** How clients come to its tools; absent means `direct`. */
  discovery: z.enum(DISCOVERY_MODES).optional(),
  /** Items on a page of its lists, where they are paged. */
  page: z.int().min(1).max(1000).optional(),
  /** Patterns like those of `include`: tools that are listed beside those that find the others. */
  pinned: z.array(z.string().min(1)).max(200).optional(),
  /** What single tools are called there, and say of themselves. */
  tools: ToolsetTools.optional(),
  /** For whom it is there; absent means everybody of the organization. */
  audience: Audience.optional(),
})
export type ToolsetSettings = z.output<typeof ToolsetSettings>

/** Where a row came from; rows of a file are changed in the file. */
export const Origin = z.enum(['first run', 'command line', 'file', 'import', 'administration'])
export type Origin = z.output<typeof Origin>
