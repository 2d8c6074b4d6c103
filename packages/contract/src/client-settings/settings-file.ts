/**
 * Finds the entries in a client's settings file, and the client that the file belongs to.
 *
 * It knows where each client stores its servers: `mcpServers` (Claude, Cursor, Gemini CLI, Windsurf, Cline, Roo, Amazon Q, mcpo,
 * LibreChat; a list in Continue), `projects` (Claude Code), `servers` or `mcp.servers` (VS Code), `context_servers` (Zed),
 * `mcp_servers` (Codex), `mcp` (opencode), `extensions` (Goose). Entries are not inspected beyond that.
 */
import { clientOf, type ImportClient } from './client-of.ts'
import { clean } from './entry-reader.ts'
import { isFields, ownOf, type Fields } from './fields.ts'
import { limitsAround } from './tool-limits.ts'
import type { FileInputs } from './placeholders.ts'
import { ImportFault, readSettingsText } from './settings-text.ts'

export const MAX_CHARACTERS = 1_000_000
export const MAX_SERVERS = 200

export interface FoundEntry {
  name: string
  entry: unknown
  /** Where it stands, for messages: `mcpServers.github`. */
  path: string
  /** Of the folder of a project, where it stands there. */
  project?: string
}

export interface McpJsonFile {
  client: ImportClient
  entries: readonly FoundEntry[]
  inputs: FileInputs
  /** Limits that stand beside the servers. */
  around: ReturnType<typeof limitsAround>
  notes: string[]
}

/** Reads the text and finds its entries. Throws ImportFault. */
export function openMcpJson(text: string): McpJsonFile {
  // Claude Code keeps its history in the file of its servers, so that it grows beyond what others write.
  if (text.length > MAX_CHARACTERS)
    throw new ImportFault(
      `The file is larger than ${MAX_CHARACTERS} characters, which is too large for a settings file.`,
    )
  if (text.replace('\uFEFF', '').trim() === '')
    throw new ImportFault('The file is empty; there are no servers to import.')
  const { root, format, twice } = readSettingsText(text)
  const { path, isList, entries } = findEntries(root)
  const notes = notesOf(twice, path)
  if (entries.length > MAX_SERVERS)
    throw new ImportFault(`${path} contains ${entries.length} servers; at most ${MAX_SERVERS} can be imported at once.`)
  if (entries.length === 0) notes.push(`${path} is empty; there are no servers to import.`)
  const client = clientOf({ root, path, format, isList, entries: entries.map(({ entry }) => entry) })
  const around = limitsAround(root, { isOpencode: path === 'mcp' })
  return { client, entries, inputs: inputsOf(root), around, notes }
}

/** A server that stands twice is refused, as the other one would be lost; of other members the last one counts, as in clients. */
function notesOf(twice: readonly string[], path: string): string[] {
  const before = path === INNER ? '' : `${path}.`
  const isServer = (value: string) => value.startsWith(before) && !value.slice(before.length).includes('.')
  const server = twice.find(isServer)
  if (server !== undefined)
    throw new ImportFault(
      `${path} contains the server ${JSON.stringify(clean(server.slice(before.length)))} twice: remove one of them, or give it another name.`,
    )
  return twice.map((value) => `${clean(value)} appears twice in the file; the last one is used.`)
}

/** A file that is the inner part alone. */
const INNER = 'the file'
const PLACES = [
  'mcpServers',
  'servers',
  'context_servers',
  'mcp_servers',
  'mcp.servers',
  'mcp.mcpServers',
  'amp.mcpServers',
  'experimental.modelContextProtocolServers',
] as const

interface Found {
  path: string
  isList: boolean
  entries: FoundEntry[]
}

function findEntries(root: unknown): Found {
  if (!isFields(root))
    throw new ImportFault('The file must contain an object in braces with the servers under "mcpServers" or "servers".')
  const placed = placedIn(root)
  const projects = projectsIn(root)
  if (projects.length > 0) {
    const all = [...(placed?.entries ?? []), ...projects]
    return { path: placed?.entries.length ? placed.path : 'projects', isList: false, entries: withoutRepeated(all) }
  }
  if (placed !== undefined) return placed
  for (const path of ['mcp', 'extensions'] as const) {
    const found = ownOf(root, path)
    if (isFields(found) && Object.values(found).some((entry) => looksLikeServer(entry) || hasKind(entry)))
      return { path, isList: false, entries: entriesOf(found, path) }
  }
  // A file that is only the inner part, as documentation often shows it.
  const values = Object.values(root)
  if (values.length > 0 && values.every(looksLikeServer))
    return { path: INNER, isList: false, entries: entriesOf(root, '') }
  // Or one server by itself.
  if (looksLikeServer(root)) return { path: INNER, isList: false, entries: [loneEntry(root)] }
  throw new ImportFault(
    'No servers found: expected "mcpServers" (Claude Desktop, Claude Code, Cursor, Gemini CLI, Windsurf, Cline, Roo, LibreChat, Continue, Amazon Q), "servers" (VS Code), "context_servers" (Zed), "mcp_servers" (Codex), "mcp" (opencode) or "extensions" (Goose) at the top level of the file.',
  )
}

function placedIn(root: Fields): Found | undefined {
  for (const path of PLACES) {
    const [first = '', second] = path.split('.')
    const outer = ownOf(root, first)
    // Settings of VS Code write the path as one key, too.
    const found =
      ownOf(root, path) ?? (second === undefined ? outer : isFields(outer) ? ownOf(outer, second) : undefined)
    if (found === undefined || found === null) continue
    if (Array.isArray(found)) return { path, isList: true, entries: found.map((entry, at) => itemOf(entry, at, path)) }
    if (!isFields(found))
      throw new ImportFault(`${path} must be an object that maps each server's name to its settings.`)
    return { path, isList: false, entries: entriesOf(found, path) }
  }
  return undefined
}

const loneEntry = (entry: Fields): FoundEntry => ({
  name: typeof entry['name'] === 'string' ? entry['name'] : '',
  entry,
  path: INNER,
})

const entriesOf = (found: Fields, path: string): FoundEntry[] =>
  Object.entries(found).map(([name, entry]) => ({
    name,
    entry,
    path: path === '' ? clean(name) : `${path}.${clean(name)}`,
  }))

/** Continue: a list of entries that have their name as a member. */
function itemOf(entry: unknown, at: number, path: string): FoundEntry {
  const name = isFields(entry) ? ownOf(entry, 'name') : undefined
  return { name: typeof name === 'string' && name !== '' ? name : `server-${at + 1}`, entry, path: `${path}[${at}]` }
}

/** Claude Code: the servers of single folders. */
function projectsIn(root: Fields): FoundEntry[] {
  const projects = ownOf(root, 'projects')
  if (!isFields(projects)) return []
  return Object.entries(projects).flatMap(([project, settings]) => {
    const found = isFields(settings) ? ownOf(settings, 'mcpServers') : undefined
    if (!isFields(found) || !isFields(settings)) return []
    const off: unknown = settings['disabledMcpServers']
    return entriesOf(found, `projects.${clean(project)}.mcpServers`).map((entry) => ({
      ...entry,
      project,
      entry:
        Array.isArray(off) && off.includes(entry.name) && isFields(entry.entry)
          ? { ...entry.entry, disabled: true }
          : entry.entry,
    }))
  })
}

/** The same server in several folders is one. */
function withoutRepeated(entries: readonly FoundEntry[]): FoundEntry[] {
  const keys = entries.map(({ name, entry }) => JSON.stringify([name, entry]))
  return entries.filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
}

const looksLikeServer = (value: unknown) =>
  isFields(value) &&
  ['command', 'cmd', 'url', 'uri', 'serverUrl', 'httpUrl'].some((name) => {
    const member = ownOf(value, name)
    return typeof member === 'string' || (name === 'command' && Array.isArray(member))
  })
const hasKind = (value: unknown) => isFields(value) && typeof ownOf(value, 'type') === 'string'

function inputsOf(root: unknown): FileInputs {
  const holder = isFields(root) && isFields(ownOf(root, 'mcp')) ? ownOf(root, 'mcp') : root
  const inputs = isFields(holder) ? ownOf(holder, 'inputs') : undefined
  const found = new Map<string, { description: string; fallback?: string; secret?: true }>()
  for (const input of Array.isArray(inputs) ? (inputs as unknown[]) : []) {
    if (!isFields(input) || typeof input['id'] !== 'string') continue
    const { description, default: fallback, password } = input
    found.set(input['id'], {
      description: typeof description === 'string' ? description : '',
      ...(typeof fallback === 'string' && fallback !== '' ? { fallback } : {}),
      ...(password === true ? { secret: true as const } : {}),
    })
  }
  return found
}
