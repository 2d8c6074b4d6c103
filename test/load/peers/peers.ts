/**
 * The published programs that `npm run bench -- --peers` measures beside the gateway, and what is said of each target there.
 *
 * Versions are pinned in package.json and package-lock.json of this folder. A program is started as its own guide says, with its
 * defaults and one server behind it; `lacks` and `does` hold facts of that version, as its own documentation and `--help` tell.
 */
import type { TargetName } from '../bench-options.ts'
import type { CallTarget } from '../generator/mcp-call.ts'

/** What a program is started with. */
export interface PeerPlace {
  readonly port: number
  /** A folder of its own, where it may write. */
  readonly folder: string
  /** The command that starts the stub over stdio. */
  readonly stdio: readonly [command: string, ...args: string[]]
  /** The legacy stub over HTTP. */
  readonly remote: string
}

export interface PublishedPeer {
  readonly name: TargetName
  readonly package: string
  /** Its program inside the package. */
  readonly program: string
  /** The server behind it: one that it starts, or the legacy stub over HTTP. */
  readonly server: 'stdio' | 'remote'
  /** The words of its command line. */
  readonly words: (place: PeerPlace) => readonly string[]
  /** Files in its folder, by name. */
  readonly files?: (place: PeerPlace) => Readonly<Record<string, string>>
  readonly endpoint: { readonly path: string; readonly tool: string } & Pick<CallTarget, 'isStream'>
}

/** A word for a shell. */
const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`

export const PUBLISHED: readonly PublishedPeer[] = [
  {
    name: 'mcp-proxy',
    package: 'mcp-proxy',
    program: 'dist/bin/mcp-proxy.mjs',
    server: 'stdio',
    words: ({ port, stdio }) => ['--host', '127.0.0.1', '--port', String(port), '--', ...stdio],
    endpoint: { path: '/mcp', tool: 'echo' },
  },
  {
    name: 'supergateway',
    package: 'supergateway',
    program: 'dist/index.js',
    server: 'stdio',
    // Without --stateful it starts the server anew for each request.
    words: ({ port, stdio }) => [
      ...['--stdio', stdio.map(quoted).join(' ')],
      ...['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port)],
    ],
    endpoint: { path: '/mcp', tool: 'echo' },
  },
  {
    name: 'mcp-hub',
    package: 'mcp-hub',
    program: 'dist/cli.js',
    server: 'remote',
    words: ({ port, folder }) => ['--port', String(port), '--config', `${folder}/servers.json`],
    files: ({ remote }) => ({ 'servers.json': JSON.stringify({ mcpServers: { stub: { url: remote } } }) }),
    endpoint: { path: '/mcp', tool: 'stub__echo', isStream: true },
  },
]

export const isPublished = (target: TargetName): boolean => PUBLISHED.some(({ name }) => name === target)

/** Programs of the comparison that could not be pinned, with the reason. */
export const NOT_PINNED: readonly (readonly [name: string, why: string])[] = [
  ['@1mcp/agent', 'the npm registry answered 404 when versions were pinned (2026-11-26)'],
  ['@samanhappy/mcphub', 'the npm registry answered 404 when versions were pinned (2026-11-26)'],
]

/** What stands behind a target and how its client speaks. Targets of one road are comparable. */
export type Road = 'HTTP, 2026-07-28' | 'HTTP, with sessions' | 'stdio'

export interface About {
  readonly road: Road
  /** What it does for a call besides passing it on. */
  readonly does: string
  /** What Toolway does and it does not, after the word "without". */
  readonly lacks?: string
}

const GATEWAY = 'checks a key, limits and rules; writes an audit record and a log line for each call'
const ALONE = 'organizations, rules, rate limits, audit records'
const OPEN = `authentication of callers, ${ALONE}`

/** In the order of the table. */
export const ABOUT: Readonly<Partial<Record<TargetName, About>>> = {
  direct: { road: 'HTTP, 2026-07-28', does: 'nothing: the server itself' },
  raw: { road: 'HTTP, 2026-07-28', does: 'passes bytes and looks at none', lacks: `knowledge of MCP, ${OPEN}` },
  sdk: {
    road: 'HTTP, 2026-07-28',
    does: 'checks messages by the official SDK',
    lacks: OPEN,
  },
  gateway: { road: 'HTTP, 2026-07-28', does: GATEWAY },
  'legacy-legacy': { road: 'HTTP, with sessions', does: GATEWAY },
  'mcp-hub': {
    road: 'HTTP, with sessions',
    does: 'joins several servers; clients by HTTP+SSE of 2024-11-05, a session for each connection',
    lacks: OPEN,
  },
  'legacy-stdio': { road: 'stdio', does: `${GATEWAY}; confines the server` },
  'mcp-proxy': {
    road: 'stdio',
    does: 'one server; keeps events for clients that resume; one key for all callers on request, off here',
    lacks: ALONE,
  },
  supergateway: {
    road: 'stdio',
    does: 'one server, a process of it for each session; logs each message',
    lacks: OPEN,
  },
}
