/**
 * Reads one entry of a client's settings file as a process, a remote address, or an unusable entry.
 *
 * Reads the fields that all clients share under slightly different names, fills placeholders on the way and collects every
 * problem instead of stopping at the first. An mcp-remote command becomes the address that it connects to. Entries that start or
 * reach this product itself are marked as 'own', so that the gateway never connects to itself.
 */
import { INNER, isFields, type Fields, type McpJsonFile } from './mcp-json-file.ts'
import { clean, createEntryReader, type EntryReader, type ImportNeed } from './mcp-json-entry.ts'
import type { PlaceholderValues } from './mcp-json-placeholders.ts'
import { isOwn, packageOf, remoteOf, unwrapShell, type RemoteCommand } from './remote-command.ts'
import { secretArguments } from '../../lib/secret-marks.ts'

interface ImportedEntry {
  /** As the file names it. */
  name: string
  /** Unique in the file: `[a-z][a-z0-9_-]{0,30}`. */
  alias: string
  /** False where the client has it switched off. */
  enabled: boolean
  /** While there is one, the server cannot be added. */
  problems: ImportNeed[]
  notes: string[]
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
  platform?: NodeJS.Platform
  /** Folder for `${workspaceFolder}`. */
  workspace?: string
  /** Values for `${input:id}`. */
  inputs?: Readonly<Record<string, string>>
  /** Values for `${VAR}` and `${env:VAR}`; usually the environment of the person. */
  variables?: Readonly<Record<string, string | undefined>>
  /** Address of this gateway; entries that connect to it are left out. */
  gateway?: string
}

/** Distributes over the kinds, so that each keeps its own fields. */
type Unnamed<Server> = Server extends ImportedServer ? Omit<Server, 'name' | 'alias'> : never
type ReadServer = Unnamed<ImportedServer> | 'own'

/** Reads one entry; 'own' where it starts or reaches this product itself. */
export function readServer(name: string, entry: unknown, file: McpJsonFile, options: ServerOptions): ReadServer {
  const reader = createEntryReader(
    file.path === INNER ? clean(name) : `${file.path}.${clean(name)}`,
    file.inputs,
    valuesOf(options),
  )
  if (!isFields(entry)) {
    reader.need('wrong-shape', `${reader.path} must be an object with "command" or "url".`)
    return unusable(reader, true)
  }
  const enabled = entry['disabled'] !== true && entry['enabled'] !== false
  noteUnread(entry, reader)
  const asked = transportOf(entry, reader)
  const { command, args, env } = commandOf(entry)
  const url = entry['url'] ?? entry['serverUrl'] ?? entry['httpUrl']
  if (asked !== 'remote' && command !== undefined) return readProcess({ command, args, env }, enabled, reader, options)
  if (asked !== 'process' && url !== undefined)
    return readRemote({ url, headers: entry['headers'] }, enabled, reader, options)
  const wanted = asked === 'process' ? '"command"' : asked === 'remote' ? '"url"' : '"command" or "url"'
  const extension =
    entry['source'] === 'extension' ? ' It belongs to an editor extension, which starts the server itself.' : ''
  reader.need('wrong-shape', `${reader.path} has no ${wanted}.${extension}`)
  return unusable(reader, enabled)
}

function valuesOf({ home, platform, workspace, inputs = {}, variables = {} }: ServerOptions): PlaceholderValues {
  return { home, workspace, inputs, variables, separator: platform === 'win32' ? '\\' : '/' }
}

const unusable = ({ problems, notes }: EntryReader, enabled: boolean): ReadServer => ({
  kind: 'unusable',
  enabled,
  problems,
  notes,
})

/** Type names of remote servers. The gateway detects the HTTP transport by itself. */
const REMOTE = new Set(['http', 'streamablehttp', 'remote', 'sse', 'ws', 'websocket'])

/** Returns the transport type that the entry states. */
function transportOf(entry: Fields, reader: EntryReader): 'process' | 'remote' | undefined {
  const type = entry['type'] ?? entry['transport']
  if (type === undefined || type === null) return undefined
  const said = typeof type === 'string' ? type.toLowerCase().replaceAll(/[-_ ]/g, '') : ''
  if (said === 'stdio' || said === 'local') return 'process'
  if (REMOTE.has(said)) return 'remote'
  reader.need(
    'unsupported-transport',
    `${reader.path}.type must be "stdio", "http", "sse" or "ws"; other types are not supported.`,
  )
  return entry['command'] === undefined ? 'remote' : 'process'
}

/** Zed's older form keeps command, args and env together under `command`. */
function commandOf(entry: Fields): { command: unknown; args: unknown; env: unknown } {
  const { command } = entry
  if (isFields(command)) return { command: command['path'], args: command['args'], env: command['env'] }
  return { command, args: entry['args'], env: entry['env'] }
}

function readProcess(
  fields: { command: unknown; args: unknown; env: unknown },
  enabled: boolean,
  reader: EntryReader,
  options: ServerOptions,
): ReadServer {
  const written = { command: reader.text(fields.command, 'command'), args: reader.list(fields.args, 'args') }
  const unwrapped = options.platform === 'win32' ? written : unwrapShell(written.command, written.args)
  const run = packageOf(...startOf(written))
  if (isOwn(run)) return 'own'
  const remote = remoteOf(run)
  const environment = reader.record(fields.env, 'env')
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
): ReadServer {
  reader.notes.push('It was reached through mcp-remote; Toolway connects to the address directly.')
  if (remote.dropped.includes('--header-file')) {
    reader.need(
      'not-carried-over',
      'Its headers are in a file (--header-file), which is not read; put them in "headers" instead.',
    )
  }
  const dropped = remote.dropped.filter((flag) => flag !== '--header-file')
  if (dropped.length > 0) reader.notes.push(`Not carried over from mcp-remote: ${dropped.map(clean).join(', ')}.`)
  const headers: [string, string][] = []
  for (const line of remote.headers) {
    const [, name, value] = /^([\w-]+):\s*([^]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      reader.need('bad-header', 'A --header argument of mcp-remote is not in the form Name:value.')
    else headers.push([name, value])
  }
  // mcp-remote fills its headers from the variables of its own entry first.
  return readRemote({ url: remote.url, headers: Object.fromEntries(headers) }, enabled, reader, options, environment)
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
  const { problems, notes } = reader
  return { kind: 'http', enabled, url, headers, problems, notes }
}

/** Same host, port and protocol; the names of the loopback are one. */
function isSameServer(url: string, gateway: string): boolean {
  const [one, other] = [URL.parse(url), URL.parse(gateway)]
  const origin = ({ protocol, hostname, port }: URL) =>
    `${protocol}//${['localhost', '127.0.0.1', '[::1]', '0.0.0.0'].includes(hostname) ? 'loopback' : hostname}:${port}`
  return one !== null && other !== null && origin(one) === origin(other)
}

/** Fields that change how a server runs and that a connection does not have. */
const UNREAD: readonly (readonly [name: string, note: string])[] = [
  ['envFile', 'The variables in its "envFile" are not read; add the ones that the server needs.'],
  ['cwd', 'Its working directory ("cwd") is not carried over; use absolute paths.'],
  ['sandbox', 'Its "sandbox" rules are not carried over.'],
  ['headersHelper', 'Its "headersHelper" is not run; add the headers that it generates.'],
  ['oauth', 'Its sign-in settings are not carried over; sign in again from Toolway.'],
  ['auth', 'Its sign-in settings are not carried over; sign in again from Toolway.'],
  ['autoApprove', 'Its list of automatically approved tools is not carried over; use rules instead.'],
  ['alwaysAllow', 'Its list of automatically approved tools is not carried over; use rules instead.'],
  ['disabledTools', 'Its disabled tools are not carried over; use a toolset or a rule.'],
]

function noteUnread(entry: Fields, { notes }: EntryReader): void {
  for (const [name, note] of UNREAD) {
    const value = entry[name]
    const empty =
      value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0)
    if (!empty && !notes.includes(note)) notes.push(note)
  }
}
