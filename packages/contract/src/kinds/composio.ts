/**
 * Composio: tools of many vendors, with the accounts of each user kept there (ledger S0-CMP, S4-CMP, U-11).
 *
 * Three ways lead to the same tools. `rest`: they are listed and executed by the REST interface. `session`: besides, the tools of a tool
 * router session are offered under their own names (COMPOSIO_SEARCH_TOOLS and the others). `mcp`: one MCP server of one app.
 */
import { z } from 'zod'
import { header } from './catalog-row.ts'
import type { SettingsForm } from '../form.ts'
import { kind, seconds, shared } from './kind.ts'

const TIMEOUT_SECONDS = 120
/** https://docs.composio.dev: the address of the REST interface, and of MCP servers that were made for one app. */
export const COMPOSIO_URL = 'https://backend.composio.dev'
const SERVERS = 'https://mcp.composio.dev'

/** The settings of Composio besides its address and headers. Times are in seconds. */
const ComposioShape = {
  way: z.enum(['rest', 'session', 'mcp']),
  /** The toolkits whose tools are offered. With one, the accounts of a user can be named in a call. */
  toolkits: z.array(z.string().regex(/^[a-z0-9_-]{1,64}$/, 'is not a valid toolkit slug')).max(50),
  /** The id of an MCP server at Composio. */
  server: z.string().regex(/^[\w-]{1,128}$/, 'is not a valid server ID'),
  servers_at: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }),
  /** A member's name as a user at Composio. */
  users: z.enum(['email', 'id']),
  /** The user at Composio for callers who are no member. */
  default_user: z.string().regex(/^[\x21-\x7e]{1,320}$/, 'must have 1 to 320 visible ASCII characters, without spaces'),
  /** How long the list of tools is used before it is fetched anew. */
  listed_for: z.number().min(5).max(86_400),
}
export const ComposioWords = z.strictObject(ComposioShape).partial()
export type ComposioWords = z.output<typeof ComposioWords>

export const ComposioSettings = z.strictObject({
  connector: z.literal('composio'),
  /** The revision of MCP servers is found out for each. */
  revision: z.literal('auto').default('auto'),
  /** Arguments are always checked, whatever is said. */
  checks: shared.checks,
  timeout: seconds.default(TIMEOUT_SECONDS),
  url: z.url({ protocol: /^https?$/, error: 'must start with http:// or https://' }),
  /** Whether the address may lie in a private or loopback network. Only an operator may say so. */
  private: z.boolean().default(false),
  way: ComposioShape.way.default('rest'),
  toolkits: ComposioShape.toolkits.default([]),
  server: ComposioShape.server.optional(),
  servers_at: ComposioShape.servers_at.default(SERVERS),
  users: ComposioShape.users.default('email'),
  default_user: ComposioShape.default_user.optional(),
  listed_for: ComposioShape.listed_for.default(300),
})
export type ComposioSettings = z.output<typeof ComposioSettings>

const FORM: SettingsForm = {
  fields: [
    {
      name: 'way',
      control: 'choice',
      choices: ['rest', 'session', 'mcp'],
    },
    { name: 'toolkits', control: 'list' },
    { name: 'server', control: 'text' },
    { name: 'servers_at', control: 'text' },
    {
      name: 'users',
      control: 'choice',
      choices: ['email', 'id'],
    },
    {
      name: 'default_user',
      control: 'text',
    },
    { name: 'listed_for', control: 'number', min: 5, max: 86_400 },
  ],
}

export const composio = kind({
  connector: 'composio',
  usesFiles: true,
  title: 'Composio',
  settings: ComposioSettings,
  addresses: { url: { secrets: true }, servers_at: { secrets: true, usual: SERVERS } },
  timeout: TIMEOUT_SECONDS,
  runsHere: false,
  speaksMcp: false,
  keepsDigits: true,
  described: true,
  leavesEffectsOpen: true,
  describedByOthers: true,
  tellsLeftOut: true,
  isBackend: true,
  ownAddress: COMPOSIO_URL,
  isService: true,
  brokersAccounts: true,
  own: { member: 'composio', shown: ComposioWords, given: ComposioWords, changed: ComposioWords, form: FORM },
  row: {
    id: 'composio',
    title: 'Composio',
    category: 'other',
    about: 'Tools for many vendors, with each member’s accounts stored at Composio.',
    url: COMPOSIO_URL,
    auth: ['none'],
    asks: [header('x-api-key', 'The API key of your Composio project: Settings, API Keys.')],
    documentation: 'https://docs.composio.dev',
    seeds: ['uru', 'universal-agent'],
  },
})
