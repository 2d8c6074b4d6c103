/**
 * The declaration of the preset `agent` (source system S4): one agent, several servers. Files stay with the local toolkit, actions go
 * to Composio's tool router, and two toolsets say what the main agent and its report expert may call. It is read as a declaration file
 * is, and stands in place of one.
 *
 * Its variables are those of `AGENT_VARIABLES`. The servers of the catalog are started as the catalog says.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONNECTOR_CATALOG, type CatalogEntry } from '@toolway/contract'
import { ConfigFault } from './config.ts'
import { readDeclaration, type Declared } from './config-file.ts'
import { isUnset, listed, type Lookup } from './preset-variables.ts'

const PLACE = 'preset agent'
/** Mail and chat of the source system, and Composio's own search and code interpreter. */
const TOOLKITS = 'gmail,outlook,slack,composio_search,codeinterpreter'
/** Servers that need no key are started where they are named: they are packages of other people. */
const BY_NAME = ['video_audio', 'youtube'] as const
const TOOLKIT_FILE = fileURLToPath(new URL('../../toolkit/bin/toolway-toolkit.mjs', import.meta.url))

export interface AgentVariable {
  readonly name: string
  readonly needed: boolean
  /** Its purpose, as the end of a sentence. */
  readonly about: string
}

/** The variables of the preset (ledger S4-ENV-01); `toolway doctor` names those that are missing. */
export const AGENT_VARIABLES: readonly AgentVariable[] = [
  { name: 'COMPOSIO_API_KEY', needed: true, about: 'the API key of your project at Composio (Settings, API Keys)' },
  { name: 'DEFAULT_USER_ID', needed: true, about: 'the user at Composio for whom an agent without one acts' },
  { name: 'TOOLWAY_TOOLKIT_ROOT', needed: false, about: 'the folder in which the gateway starts the local toolkit' },
  { name: 'LOGFIRE_TOKEN', needed: false, about: 'the write token to which traces are sent' },
  { name: 'EDGAR_IDENTITY', needed: false, about: 'your name and mail address, for the server edgartools' },
  { name: 'Z_AI_API_KEY', needed: false, about: 'a key of Z.AI, for the server zai_vision' },
  { name: 'Z_AI_MODE', needed: false, about: 'the platform of that key: ZAI (the default) or ZHIPU' },
]

/** Throws ConfigFault for needed variables that are missing, and for variables that do not go together. */
export function agentDeclaration(lookup: Lookup): Declared[] {
  const missing = AGENT_VARIABLES.filter(({ name, needed }) => needed && isUnset(lookup(name)))
  if (missing.length > 0)
    throw new ConfigFault(
      `The preset agent needs ${missing.map(({ name, about }) => `${name}, ${about}`).join('; and ')}. Set it in the environment or in .env.`,
    )
  return readDeclaration(PLACE, JSON.stringify(declarationOf(lookup)), lookup)
}

const declarationOf = (lookup: Lookup): object => ({
  connections: { ...localToolkit(lookup), composio: composio(lookup), ...others(lookup) },
  toolsets: AGENT_TOOLSETS,
})

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
    toolkits: listed(lookup('COMPOSIO_TOOLKITS') ?? TOOLKITS),
    default_user: lookup('DEFAULT_USER_ID'),
    // The report expert is given what only reads, which Composio says of its tools.
    trusted: true,
    ...(isUnset(lookup('COMPOSIO_URL')) ? {} : { url: { env: 'COMPOSIO_URL' } }),
  }
}

function others(lookup: Lookup): object {
  const named = listed(lookup('AGENT_SERVERS'))
  const strange = named.find((name) => !BY_NAME.some((one) => one === name))
  if (strange !== undefined)
    throw new ConfigFault(`AGENT_SERVERS names "${strange}": it may name ${BY_NAME.join(' and ')}.`)
  if (!isUnset(lookup('Z_AI_MODE')) && isUnset(lookup('Z_AI_API_KEY')))
    throw new ConfigFault('Z_AI_MODE is set and Z_AI_API_KEY is not: give it a key of Z.AI.')
  const wanted = [
    ...(isUnset(lookup('EDGAR_IDENTITY')) ? [] : ['edgartools']),
    ...BY_NAME.filter((name) => named.includes(name)),
    ...(isUnset(lookup('Z_AI_API_KEY')) ? [] : ['zai_vision']),
  ]
  return Object.fromEntries(
    CONNECTOR_CATALOG.filter(({ id }) => wanted.includes(id)).map((entry) => [entry.id, programOf(entry, lookup)]),
  )
}

const DEFAULTS: Readonly<Record<string, string>> = { Z_AI_MODE: 'ZAI' }

/** A program of the catalog with the variables that it asks for. */
function programOf({ title, command, asks, programs }: CatalogEntry, lookup: Lookup): object {
  const [program = '', ...args] = command ?? []
  const valueOf = (name: string) => (isUnset(lookup(name)) ? DEFAULTS[name] : { env: name })
  const environment = asks.map(({ name }) => [name, valueOf(name)] as const).filter(([, value]) => value !== undefined)
  const besides = programs.filter((name) => name !== program)
  return { title, command: program, args, programs: besides, environment: Object.fromEntries(environment) }
}
