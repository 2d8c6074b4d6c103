/**
 * Finds the entries in a client's settings file, and the client that the file belongs to.
 *
 * It knows where each client stores its servers: `mcpServers` (Claude Desktop, Claude Code, Cursor, Windsurf, Cline), `servers`
 * or `mcp.servers` (VS Code), `context_servers` (Zed). The client is recognized by marks that only it writes; otherwise it is
 * 'unknown', which affects only the wording of messages. Entries are not inspected beyond that.
 */
import { JsonTextFault, readJsonText, repeatedKeys, valueOf } from '../../lib/json-text.ts'
import { excerptOf } from './mcp-json-excerpt.ts'

export type ImportClient =
  | 'claude-desktop'
  | 'claude-code'
  | 'cursor'
  | 'vscode'
  | 'windsurf'
  | 'cline'
  | 'zed'
  | 'unknown'

export const MAX_CHARACTERS = 1_000_000
export const MAX_SERVERS = 200

/** The whole file cannot be read; the message is for the person who gave it and holds no value of the file. */
export class ImportFault extends Error {
  readonly line: number | undefined
  readonly column: number | undefined
  constructor(message: string, place?: { line: number; column: number }) {
    super(message)
    this.name = 'ImportFault'
    this.line = place?.line
    this.column = place?.column
  }
}

export type Fields = Readonly<Record<string, unknown>>

export interface McpJsonFile {
  client: ImportClient
  /** Where the entries stand, for messages: `mcpServers`. */
  path: string
  entries: readonly (readonly [name: string, entry: unknown])[]
  /** Inputs that VS Code asks for before it starts a server, by id. */
  inputs: ReadonlyMap<string, { description: string }>
  notes: string[]
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the text as JSON with comments and finds its entries. Throws ImportFault. */
export function openMcpJson(text: string): McpJsonFile {
  if (text.length > MAX_CHARACTERS)
    throw new ImportFault(
      `The file is larger than ${MAX_CHARACTERS} characters, which is too large for a settings file.`,
    )
  if (text.replace('\uFEFF', '').trim() === '')
    throw new ImportFault('The file is empty; there are no servers to import.')
  const { root, twice } = parse(text)
  const { path, found } = findEntries(root)
  const notes = notesOf(twice, path)
  const entries = Object.entries(found)
  if (entries.length > MAX_SERVERS)
    throw new ImportFault(`${path} contains ${entries.length} servers; at most ${MAX_SERVERS} can be imported at once.`)
  if (entries.length === 0) notes.push(`${path} is empty; there are no servers to import.`)
  return { client: clientOf(root, path, Object.values(found)), path, entries, inputs: inputsOf(root), notes }
}

/** A server that stands twice is refused, as the other one would be lost; of other members the last one counts, as in clients. */
function notesOf(twice: readonly string[], path: string): string[] {
  const before = path === INNER ? '' : `${path}.`
  const isServer = (one: string) => one.startsWith(before) && !one.slice(before.length).includes('.')
  const server = twice.find(isServer)
  if (server !== undefined)
    throw new ImportFault(
      `${path} contains the server ${JSON.stringify(server.slice(before.length))} twice: remove one of them, or give it another name.`,
    )
  return twice.map((one) => `${one} appears twice in the file; the last one is used.`)
}

/** The value, and the paths of keys that stand twice. */
function parse(text: string): { root: unknown; twice: string[] } {
  try {
    const node = readJsonText(text, { relaxed: true })
    return { root: valueOf(node), twice: repeatedKeys(node).map((path) => path.slice(2)) }
  } catch (thrown) {
    if (!(thrown instanceof JsonTextFault)) throw thrown
    throw new ImportFault(`The file is not JSON. ${thrown.message}\n${excerptOf(text, thrown)}`, thrown)
  }
}

/** A file that is the inner part alone. */
export const INNER = 'the file'
const PLACES = ['mcpServers', 'servers', 'context_servers', 'mcp.servers', 'mcp.mcpServers'] as const

function findEntries(root: unknown): { path: string; found: Fields } {
  if (!isFields(root))
    throw new ImportFault('The file must contain an object in braces with the servers under "mcpServers" or "servers".')
  for (const path of PLACES) {
    const [first = '', second] = path.split('.')
    const outer = own(root, first)
    const found = second === undefined ? outer : isFields(outer) ? own(outer, second) : undefined
    if (found === undefined) continue
    if (!isFields(found))
      throw new ImportFault(`${path} must be an object that maps each server's name to its settings.`)
    return { path, found }
  }
  // A file that is only the inner part, as documentation often shows it.
  const values = Object.values(root)
  if (values.length > 0 && values.every(looksLikeServer)) return { path: INNER, found: root }
  throw new ImportFault(
    'No servers found: expected "mcpServers" (Claude Desktop, Claude Code, Cursor, Windsurf, Cline), "servers" (VS Code) or "context_servers" (Zed) at the top level of the file.',
  )
}

const own = (fields: Fields, name: string): unknown => (Object.hasOwn(fields, name) ? fields[name] : undefined)
const looksLikeServer = (value: unknown) =>
  isFields(value) && ['command', 'url', 'serverUrl'].some((name) => typeof own(value, name) === 'string')

function clientOf(root: unknown, path: string, entries: readonly unknown[]): ImportClient {
  if (path === 'context_servers') return 'zed'
  if (path === 'servers' || path === 'mcp.servers') return 'vscode'
  const servers = entries.filter(isFields)
  const some = (...names: string[]) => servers.some((server) => names.some((name) => Object.hasOwn(server, name)))
  const text = JSON.stringify(servers)
  if (some('serverUrl', 'disabledTools')) return 'windsurf'
  if (some('autoApprove', 'alwaysAllow') || text.includes('"streamableHttp"')) return 'cline'
  if (some('type')) return 'claude-code'
  if (some('url', 'envFile') || /\$\{(?:env:|userHome|workspaceFolder)/.test(text)) return 'cursor'
  if (/\$\{[A-Za-z_]\w*(?::-[^}]*)?\}/.test(withoutRemote(servers))) return 'claude-code'
  if (isFields(root) && path === 'mcpServers' && servers.length > 0) return 'claude-desktop'
  return 'unknown'
}

/** mcp-remote fills `${NAME}` itself, so in its entries the form says nothing about the client. */
const withoutRemote = (servers: readonly Fields[]) =>
  JSON.stringify(
    servers.filter(({ args }) => !(Array.isArray(args) && args.some((arg) => String(arg).startsWith('mcp-remote')))),
  )

function inputsOf(root: unknown): McpJsonFile['inputs'] {
  const holder = isFields(root) && isFields(own(root, 'mcp')) ? own(root, 'mcp') : root
  const inputs = isFields(holder) ? own(holder, 'inputs') : undefined
  const found = new Map<string, { description: string }>()
  for (const input of Array.isArray(inputs) ? (inputs as unknown[]) : []) {
    if (!isFields(input) || typeof input['id'] !== 'string') continue
    found.set(input['id'], { description: typeof input['description'] === 'string' ? input['description'] : '' })
  }
  return found
}
