/**
 * The preset `agent` (source system S4): one agent, several servers. Files stay with the local toolkit, actions go
 * to Composio's tool router, and two toolsets say what the main agent and its report expert may call.
 *
 * Its variables are those of `VARIABLES`. The servers of the catalog are started as the catalog says.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONNECTOR_CATALOG, type CatalogEntry } from '@toolway/contract'
import { ConfigFault } from './config/fault.ts'
import type { Preset, PresetVariable } from './preset.ts'
import { isUnset, listOfText, variablesOf, type Lookup } from './preset-variables.ts'

/** Mail and chat of the source system, and Composio's own search and code interpreter. */
const TOOLKITS = 'gmail,outlook,slack,composio_search,codeinterpreter'
/** Servers that need no key are started where they are named: they are packages of other people. */
const BY_NAME = ['video_audio', 'youtube'] as const
const TOOLKIT_FILE = fileURLToPath(new URL('../../toolkit/bin/toolway-toolkit.mjs', import.meta.url))

/** The variables of the preset (ledger S4-ENV-01); `toolway doctor` names those that are missing. */
const VARIABLES: readonly PresetVariable[] = [
  { name: 'COMPOSIO_API_KEY', needed: true, about: 'the API key of your Composio project (Settings, API Keys)' },
  { name: 'DEFAULT_USER_ID', needed: true, about: 'the Composio user for whom an agent without its own user acts' },
  { name: 'COMPOSIO_TOOLKITS', needed: false, about: 'slugs of toolkits, separated by commas' },
  { name: 'COMPOSIO_URL', needed: false, about: "another address for Composio's REST interface" },
  {
    name: 'AGENT_SERVERS',
    needed: false,
    about: 'servers that need no key, separated by commas: video_audio, youtube',
  },
  { name: 'TOOLWAY_TOOLKIT_ROOT', needed: false, about: 'the folder in which the gateway starts the local toolkit' },
  { name: 'LOGFIRE_TOKEN', needed: false, about: 'the write token for traces' },
  { name: 'EDGAR_IDENTITY', needed: false, about: 'your name and email address, for the edgartools server' },
  { name: 'Z_AI_API_KEY', also: ['ZAI_API_KEY'], needed: false, about: 'a Z.AI key, for the server zai_vision' },
  { name: 'Z_AI_MODE', needed: false, about: 'the platform of that key: ZAI (the default) or ZHIPU' },
]

/** The table of tools and agents (seed 004, section 5). Agents see the names that the source system gave its tools. */
const AGENT_TOOLSETS = {
  main: {
    title: 'Main agent',
    include: ['*'],
    exclude: ['local_toolkit__save_corpus'],
    naming: 'mcp',
    // Composio has more tools than a model should read: those of its session and of the toolkit are listed, others are found.
    discovery: 'search',
    pinned: ['local_toolkit__*', 'composio__COMPOSIO_*'],
  },
  'report-expert': {
    title: 'Report expert',
    include: ['local_toolkit__*', 'composio__COMPOSIO_SEARCH_*'],
    limits: { composio: 'read' },
    naming: 'mcp',
  },
}

function localToolkit(lookup: Lookup): object {
  const root = lookup('TOOLWAY_TOOLKIT_ROOT')
  if (root === undefined || isUnset(root)) return {}
  const program = existsSync(TOOLKIT_FILE)
    ? { command: process.execPath, args: [TOOLKIT_FILE, '--root', root] }
    : { command: 'npx', args: ['-y', 'toolway-toolkit', '--root', root] }
  // Its workbench tools reach the same project at Composio.
  const environment = {
    COMPOSIO_API_KEY: { env: 'COMPOSIO_API_KEY' },
    DEFAULT_USER_ID: { env: 'DEFAULT_USER_ID' },
    ...(isUnset(lookup('COMPOSIO_URL')) ? {} : { COMPOSIO_BASE_URL: { env: 'COMPOSIO_URL' } }),
  }
  return {
    local_toolkit: {
      title: 'Local toolkit',
      ...program,
      ...reachOf(root),
      environment,
      trusted: true,
      // It is a part of this product, and its tools change with it.
      lock: 'off',
      rules: [OWN_FILES],
    },
  }
}

/**
 * The toolkit sees its folder and nothing else. It judges each address that it fetches itself and connects without a proxy, so it
 * keeps the network of the machine.
 */
const reachOf = (root: string) => ({ allow_paths: [resolve(root)], network: 'host' })

/** Files of the workspace are written without a question: the toolkit reaches nothing outside of its folder. */
const OWN_FILES = {
  name: 'own-workspace',
  action: 'allow',
  parameters: { lifts: ['ask-destructive', 'ask-writes'] },
  reason: 'The local toolkit works in its own folder.',
}

function composio(lookup: Lookup): object {
  return {
    title: 'Composio',
    type: 'composio',
    way: 'session',
    headers: { 'x-api-key': { env: 'COMPOSIO_API_KEY' } },
    toolkits: listOfText(lookup('COMPOSIO_TOOLKITS') ?? TOOLKITS),
    default_user: lookup('DEFAULT_USER_ID'),
    // The report expert is given what only reads, which Composio says of its tools.
    trusted: true,
    ...(isUnset(lookup('COMPOSIO_URL')) ? {} : { url: { env: 'COMPOSIO_URL' } }),
  }
}

function others(lookup: Lookup): object {
  const named = listOfText(lookup('AGENT_SERVERS'))
  const strange = named.find((name) => !BY_NAME.some((item) => item === name))
  if (strange !== undefined)
    throw new ConfigFault(`AGENT_SERVERS contains "${strange}": it may contain only ${BY_NAME.join(' and ')}.`)
  if (!isUnset(lookup('Z_AI_MODE')) && isUnset(lookup('Z_AI_API_KEY')))
    throw new ConfigFault('Z_AI_MODE is set but Z_AI_API_KEY is not: set it to a Z.AI key.')
  const programIds = [
    ...(isUnset(lookup('EDGAR_IDENTITY')) ? [] : ['edgartools']),
    ...BY_NAME.filter((name) => named.includes(name)),
    ...(isUnset(lookup('Z_AI_API_KEY')) ? [] : ['zai_vision']),
  ]
  return Object.fromEntries(
    CONNECTOR_CATALOG.filter(({ id }) => programIds.includes(id)).map((entry) => [entry.id, programOf(entry, lookup)]),
  )
}

const DEFAULTS: Readonly<Record<string, string>> = { Z_AI_MODE: 'ZAI' }

/** A program of the catalog with the variables that it asks for. */
function programOf({ title, command, asks, programs }: CatalogEntry, lookup: Lookup): object {
  const [program = '', ...args] = command ?? []
  const valueOf = (name: string) => (isUnset(lookup(name)) ? DEFAULTS[name] : lookup(name))
  const environment = asks.map(({ name }) => [name, valueOf(name)] as const).filter(([, value]) => value !== undefined)
  const besides = programs.filter((name) => name !== program)
  return { title, command: program, args, programs: besides, environment: Object.fromEntries(environment) }
}

export const agent: Preset = {
  about: 'creates the connections of one agent to the local toolkit, to Composio and to other servers',
  settings: { TOOLWAY_DEMO: 'off' },
  variables: VARIABLES,
  organization(input) {
    const lookup = variablesOf('agent', VARIABLES, input)
    return {
      connections: { ...localToolkit(lookup), composio: composio(lookup), ...others(lookup) },
      toolsets: AGENT_TOOLSETS,
    }
  },
}
