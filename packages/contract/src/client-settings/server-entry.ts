/**
 * Reads one entry of a client's settings file as a process, a remote address, or an unusable entry.
 *
 * Reads the fields that all clients share under slightly different names, fills placeholders on the way and collects every
 * problem instead of stopping at the first. An mcp-remote command becomes the address that it connects to. Entries that start or
 * reach this product itself are marked as 'own', so that the gateway never connects to itself.
 */
import { addressOf, commandOf, environmentOf, withCommandMembers, headersOf, noteUnread } from './entry-members.ts'
import { isFields, type Fields } from './fields.ts'
import { limitedTools, limitsOf, type LimitedTools, type ToolLimits } from './tool-limits.ts'
import type { FoundEntry, McpJsonFile } from './settings-file.ts'
import { clean, createEntryReader, type EntryReader, type ImportNeed } from './entry-reader.ts'
import type { PlaceholderValues } from './placeholders.ts'
import { isOwn, packageOf, remoteOf, unwrapShell, type RemoteCommand } from './remote-command.ts'
import { secretArguments } from '../secret-marks.ts'

interface ImportedEntry {
  /** As the file names it; empty for a server by itself. */
  name: string
  /** False where the client has it switched off. */
  enabled: boolean
  /** While there is one, the server cannot be added. */
  problems: ImportNeed[]
  notes: string[]
  /** Members of the entry, and flags of its command, that nothing was made of. */
  unread: string[]
  /** Which of its tools are on; absent: all. */
  tools?: LimitedTools
}

export interface ImportedProcess extends ImportedEntry {
  kind: 'process'
  command: string
  args: string[]
  /** Every value is a secret. */
  environment: Record<string, string>
  /** Positions in `args` that hold a secret. */
  secretArguments: number[]
}

export interface ImportedRemote extends ImportedEntry {
  kind: 'http'
  /** May hold a secret in its path or query. */
  url: string
  /** Every value is a secret. */
  headers: Record<string, string>
}

/** An entry that says neither what to start nor where to connect; its problems say what is wrong. */
export interface ImportedUnusable extends ImportedEntry {
  kind: 'unusable'
}

export type ImportedServer = ImportedProcess | ImportedRemote | ImportedUnusable

/** The values an entry may refer to; nothing is read from this process. */
export interface ServerOptions {
  /** Home folder of the person whose file it is, for `${userHome}`. */
  home: string
  platform?: string
  /** Folder for `${workspaceFolder}`. */
  workspace?: string
  /** Values for `${input:id}`. */
  inputs?: Readonly<Record<string, string>>
  /** Values for `${VAR}` and `${env:VAR}`; usually the environment of the person. */
  variables?: Readonly<Record<string, string | undefined>>
  /** Placeholders stay as they are written, and are no problems. */
  keepPlaceholders?: boolean
  /** Address of this gateway; entries that connect to it are left out. */
  gateway?: string
}

/** Distributes over the kinds, so that each keeps its own fields. */
type Unnamed<Server> = Server extends ImportedServer ? Omit<Server, 'name'> : never
type ReadServer = Unnamed<ImportedServer> | 'own'

/** Reads one entry; 'own' where it starts or reaches this product itself. */
export function readServer(found: FoundEntry, file: McpJsonFile, options: ServerOptions): ReadServer {
  const { name, project } = found
  const reader = createEntryReader(found.path, file.inputs, valuesOf(options, file))
  if (!isFields(found.entry)) {
    reader.need('wrong-shape', `${reader.path} must be an object with "command" or "url".`)
    return { kind: 'unusable', enabled: true, problems: reader.problems, notes: reader.notes, unread: reader.unread }
  }
  const entry = withCommandMembers(found.entry)
  const around = file.around(name)
  const enabled = entry['disabled'] !== true && entry['enabled'] !== false && !around.disabled
  if (project !== undefined) reader.notes.push(`It is set for the folder ${clean(project)} alone; here it is for all.`)
  noteUnread(entry, reader)
  const server = readKind(entry, enabled, reader, options)
  if (server === 'own' || server.kind === 'unusable') return server
  const limits = limitsOf(entry, [...around.limits, ...ignoredBy(server)])
  return withoutIgnored(limits === undefined ? server : { ...server, tools: toolsOf(limits, reader) })
}

/** What mcp-remote hides of the tools, until it is a limit. */
type WithIgnored = ReadServer & { ignored?: string[] }

const ignoredBy = (server: WithIgnored): ToolLimits[] =>
  server === 'own' || server.ignored === undefined ? [] : [limitsOf({ excludeTools: server.ignored }, []) ?? NONE]
const NONE: ToolLimits = { except: [], unclear: [] }

function withoutIgnored(server: WithIgnored): ReadServer {
  if (server === 'own') return server
  const { ignored: _, ...rest } = server
  return rest
}

/** Says which tools are on, and why. */
function toolsOf(limits: ToolLimits, { notes }: EntryReader): LimitedTools {
  const tools = limitedTools(limits)
  const joinNames = (names: readonly string[] = []) => names.map(clean).join(', ')
  const unclear = limits.unclear.length > 0
  if (tools.only === undefined) notes.push(`These tools are off, as in the file: ${joinNames(tools.except)}.`)
  else {
    const on = tools.only.length === 0 ? 'All its tools are off' : 'Only these tools are on'
    const named = tools.only.length === 0 ? '' : `: ${joinNames(tools.only)}`
    notes.push(
      unclear
        ? `${on}, since its limit on tools (${joinNames(limits.unclear)}) is not a list of names${named}. Enable the tools that it needs.`
        : `${on}, as in the file${named}.`,
    )
  }
  return tools
}

function readKind(entry: Fields, enabled: boolean, reader: EntryReader, options: ServerOptions): WithIgnored {
  if (isPartOfGoose(entry, reader)) return unusable(reader, enabled)
  const transport = transportOf(entry, reader)
  const [command, url] = [commandOf(entry), addressOf(entry)]
  if (transport !== 'remote' && command !== undefined) return readProcess(entry, enabled, reader, options)
  if (transport !== 'process' && url !== undefined)
    return readRemote({ url, headers: headersOf(entry, reader) }, enabled, reader, options)
  const member = transport === 'process' ? '"command"' : transport === 'remote' ? '"url"' : '"command" or "url"'
  const extension =
    entry['source'] === 'extension' || entry['settings'] !== undefined
      ? ' It belongs to an editor extension, which starts the server itself.'
      : ''
  reader.need('wrong-shape', `${reader.path} has no ${member}.${extension}`)
  return unusable(reader, enabled)
}

function valuesOf(
  { home, platform, workspace, inputs = {}, variables = {}, keepPlaceholders: keep }: ServerOptions,
  file: McpJsonFile,
): PlaceholderValues {
  const proposed = [...file.inputs].flatMap(([id, { fallback }]) =>
    fallback === undefined ? [] : [[id, fallback] as const],
  )
  const separator = platform === 'win32' ? '\\' : '/'
  return { home, workspace, inputs: { ...Object.fromEntries(proposed), ...inputs }, variables, separator, keep }
}

const unusable = ({ problems, notes, unread }: EntryReader, enabled: boolean): WithIgnored => ({
  kind: 'unusable',
  enabled,
  problems,
  notes,
  unread,
})

/** Type names of remote servers. The gateway detects the HTTP transport by itself. */
const REMOTE = new Set(['http', 'streamablehttp', 'remote', 'sse', 'ws', 'websocket'])

/** Extensions of Goose that are no MCP servers of their own. */
const OF_GOOSE = new Set(['builtin', 'platform', 'frontend', 'inline_python'])

function isPartOfGoose({ type }: Fields, reader: EntryReader): boolean {
  if (typeof type !== 'string' || !OF_GOOSE.has(type)) return false
  reader.need(
    'unsupported-transport',
    `${reader.path} is a part of Goose itself (type ${type}), which no other program has.`,
  )
  return true
}

/** Returns the transport type that the entry states. */
function transportOf(entry: Fields, reader: EntryReader): 'process' | 'remote' | undefined {
  const type = entry['type'] ?? entry['transport']
  if (type === undefined || type === null) return undefined
  const text = typeof type === 'string' ? type.toLowerCase().replaceAll(/[-_ ]/g, '') : ''
  if (text === 'stdio' || text === 'local') return 'process'
  if (REMOTE.has(text)) return 'remote'
  reader.need(
    'unsupported-transport',
    `${reader.path}.type must be "stdio", "http", "sse" or "ws"; other types are not supported.`,
  )
  return entry['command'] === undefined ? 'remote' : 'process'
}

function readProcess(entry: Fields, enabled: boolean, reader: EntryReader, options: ServerOptions): WithIgnored {
  const written = { command: reader.text(commandOf(entry), 'command'), args: reader.list(entry['args'], 'args') }
  const unwrapped = options.platform === 'win32' ? written : unwrapShell(written.command, written.args)
  const run = packageOf(...startOf(written))
  if (isOwn(run)) return 'own'
  const remote = remoteOf(run)
  const environment = reader.record(environmentOf(entry, reader), 'env')
  if (remote) return readRemoteCommand(remote, environment, enabled, reader, options)
  if (unwrapped.command !== written.command) reader.notes.push('The leading "cmd /c" is for Windows and is left out.')
  const args = unwrapped.args.map((arg) => reader.fill(arg))
  const known = new Set(args.flatMap(({ secret }, at) => (secret ? [at] : [])))
  const values = args.map(({ value }) => value)
  return {
    kind: 'process',
    enabled,
    command: reader.fill(unwrapped.command).value,
    args: values,
    environment,
    secretArguments: secretArguments(values, known),
    problems: reader.problems,
    notes: reader.notes,
    unread: reader.unread,
  }
}

const startOf = ({ command, args }: { command: string; args: readonly string[] }) => {
  const start = unwrapShell(command, args)
  return [start.command, start.args] as const
}

function readRemoteCommand(
  remote: RemoteCommand,
  environment: Record<string, string>,
  enabled: boolean,
  reader: EntryReader,
  options: ServerOptions,
): WithIgnored {
  reader.notes.push('It was reached through mcp-remote; Toolway connects to the address directly.')
  if (remote.dropped.includes('--header-file')) {
    reader.need(
      'not-carried-over',
      'Its headers are in a file (--header-file), which is not read; put them in "headers" instead.',
    )
  }
  const dropped = remote.dropped.filter((flag) => flag !== '--header-file')
  reader.unread.push(...dropped.map(clean))
  if (dropped.length > 0) reader.notes.push(`Not carried over from mcp-remote: ${dropped.map(clean).join(', ')}.`)
  const headers: [string, string][] = []
  for (const line of remote.headers) {
    const [, name, value] = /^([\w-]+):\s*([^]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      reader.need('bad-header', 'A --header argument of mcp-remote is not in the form Name:value.')
    else headers.push([name, value])
  }
  // mcp-remote fills its headers from the variables of its own entry first.
  const server = readRemote(
    { url: remote.url, headers: Object.fromEntries(headers) },
    enabled,
    reader,
    options,
    environment,
  )
  return server === 'own' || remote.ignored.length === 0 ? server : { ...server, ignored: remote.ignored }
}

function readRemote(
  fields: { url: unknown; headers: unknown },
  enabled: boolean,
  reader: EntryReader,
  { gateway }: ServerOptions,
  own: Readonly<Record<string, string>> = {},
): ReadServer {
  const url = reader.url(fields.url)
  if (gateway !== undefined && isSameServer(url, gateway)) return 'own'
  const headers = reader.headers(fields.headers, own)
  const { problems, notes, unread } = reader
  return { kind: 'http', enabled, url, headers, problems, notes, unread }
}

/** Same host, port and protocol; the names of the loopback are one. */
function isSameServer(url: string, gateway: string): boolean {
  const [server, other] = [URL.parse(url), URL.parse(gateway)]
  const origin = ({ protocol, hostname, port }: URL) =>
    `${protocol}//${['localhost', '127.0.0.1', '[::1]', '0.0.0.0'].includes(hostname) ? 'loopback' : hostname}:${port}`
  return server !== null && other !== null && origin(server) === origin(other)
}
