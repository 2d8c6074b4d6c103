/**
 * The preset `uru` (source system S0): company tools from n8n, personal tools from Composio, and the tools of the platform itself, in
 * two tiers.
 */
import { ConfigFault } from './config/fault.ts'
import type { Preset, PresetVariable } from './preset.ts'
import { isUnset, listOfText, type Lookup } from './preset-variables.ts'

const TOOLKITS = 'gmail,googlecalendar,googledrive,slack'

const VARIABLES: readonly PresetVariable[] = [
  { name: 'N8N_URL', needed: false, about: 'the address of n8n, whose workflows are the company tools' },
  { name: 'N8N_API_KEY', needed: false, about: 'a key from the n8n settings' },
  { name: 'COMPOSIO_API_KEY', needed: false, about: 'the API key of your Composio project (Settings, API Keys)' },
  { name: 'COMPOSIO_TOOLKITS', needed: false, about: 'slugs of toolkits, separated by commas' },
  { name: 'COMPOSIO_SERVERS', needed: false, about: 'app=SERVER_ID, separated by commas, instead of toolkits' },
  { name: 'COMPOSIO_URL', needed: false, about: "another address for Composio's REST interface" },
  { name: 'COMPOSIO_MCP_URL', needed: false, about: 'another address for those MCP servers' },
  { name: 'DEFAULT_USER_ID', needed: false, about: 'the Composio user for keys that do not belong to a member' },
]

export const uru: Preset = {
  about: 'creates the connections to n8n, Composio and Toolway itself that its variables describe',
  // The port of the source system's proxy, which clients know.
  settings: { TOOLWAY_PORT: '3001', TOOLWAY_DEMO: 'off' },
  ports: { web: '3000', api: '8000', mcp: '3001' },
  variables: VARIABLES,
  organization: (lookup) => ({
    connections: {
      ...company(lookup),
      ...personal(lookup),
      platform: { type: 'platform', title: 'Platform' },
    },
    toolsets: { apps: { title: 'Apps', include: ['*'], discovery: 'two-tier' } },
  }),
}

function company(lookup: Lookup): object {
  if (isUnset(lookup('N8N_URL'))) return {}
  if (isUnset(lookup('N8N_API_KEY')))
    throw new ConfigFault('N8N_URL is set but N8N_API_KEY is not: set it to a key from the n8n settings.')
  const headers = { 'X-N8N-API-KEY': { env: 'N8N_API_KEY' } }
  return { company: { type: 'n8n', title: 'Company', url: { env: 'N8N_URL' }, headers } }
}

function personal(lookup: Lookup): object {
  const servers = listOfText(lookup('COMPOSIO_SERVERS'))
  if (isUnset(lookup('COMPOSIO_API_KEY'))) {
    const set = ['COMPOSIO_TOOLKITS', 'COMPOSIO_SERVERS'].find((name) => !isUnset(lookup(name)))
    if (set === undefined) return {}
    throw new ConfigFault(`${set} is set but COMPOSIO_API_KEY is not: set it to the API key of your Composio project.`)
  }
  const shared = {
    type: 'composio',
    headers: { 'x-api-key': { env: 'COMPOSIO_API_KEY' } },
    ...(isUnset(lookup('COMPOSIO_URL')) ? {} : { url: { env: 'COMPOSIO_URL' } }),
    ...(isUnset(lookup('DEFAULT_USER_ID')) ? {} : { default_user: lookup('DEFAULT_USER_ID') }),
  }
  if (servers.length === 0)
    return Object.fromEntries(
      listOfText(lookup('COMPOSIO_TOOLKITS') ?? TOOLKITS).map((toolkit) => [
        aliasOf(toolkit),
        { ...shared, title: titleOf(toolkit), toolkits: [toolkit] },
      ]),
    )
  const at = isUnset(lookup('COMPOSIO_MCP_URL')) ? {} : { servers_at: lookup('COMPOSIO_MCP_URL') }
  return Object.fromEntries(
    servers.map((pair) => {
      const [toolkit = '', server = ''] = pair.split('=')
      if (toolkit === '' || server === '')
        throw new ConfigFault(`COMPOSIO_SERVERS contains "${pair}", which is not app=SERVER_ID.`)
      const own = { title: titleOf(toolkit), way: 'mcp', toolkits: [toolkit], server, ...at }
      return [aliasOf(toolkit), { ...shared, ...own }]
    }),
  )
}

const aliasOf = (toolkit: string): string => toolkit.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-')
const titleOf = (toolkit: string): string => toolkit.slice(0, 1).toUpperCase() + toolkit.slice(1)
