/**
 * The MCP server (ledger S0-PKG). It has no tool of its own: lists and calls ask the proxy. What is known of a caller's namespaces is kept
 * for that very key until the proxy has a new version.
 */
import { ProtocolError, Server, type CallToolResult } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { listText, resultText } from './answers.ts'
import type { Asking, Namespace, Proxy } from './proxy.ts'
import type { Settings } from './settings.ts'
import { definitionsOf, meantBy, type Meant } from './tools.ts'
import { VERSION } from './version.ts'

export interface UruServerParts {
  readonly proxy: Proxy
  readonly settings: Settings
  /** Ends what is under way when the process ends. */
  readonly ending: AbortSignal
  tell(line: string): void
}

const INVALID_PARAMS = -32_602
const NO_TOOL = -32_601
const APP = /^app:\/\/(.+)$/

/** The keys of `_meta` that stand for the caller's trace (W3C Trace Context), as far as a header can hold them. */
function traceIn(meta: object): Record<string, string> {
  const { traceparent, tracestate } = meta as Record<string, unknown>
  if (typeof traceparent !== 'string' || !/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent))
    return {}
  const state = typeof tracestate === 'string' && /^[\x20-\x7e]{1,512}$/.test(tracestate) ? { tracestate } : {}
  return { traceparent, ...state }
}

/** The part of an MCP request that its requests to the proxy depend on. */
interface RequestOf {
  readonly signal: AbortSignal
  readonly _meta?: object | undefined
}

const NAME = z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() })

export function createUruServer({ proxy, settings, ending, tell }: UruServerParts): Server {
  const { key, keyArgument, pageSize, mostNamespaces, listChanged } = settings
  const server = new Server(
    { name: 'uru-mcp', version: VERSION },
    { capabilities: { tools: { listChanged }, resources: { listChanged } } },
  )
  const namespaces = createNamespaces({ proxy, settings, tell })

  const askingFor = (signal: AbortSignal, own: string | undefined = key, meta: object = {}): Asking => ({
    key: own,
    signal: AbortSignal.any([signal, ending]),
    trace: traceIn(meta),
  })

  server.setRequestHandler('tools/list', async ({ params }, { mcpReq }) => {
    const listable = await namespaces.of(askingFor(mcpReq.signal))
    const all = listable.slice(0, mostNamespaces).flatMap((namespace) => definitionsOf(namespace, keyArgument))
    const { page, next } = pageOf(all, params?.cursor, pageSize)
    return { tools: page, ...(next === undefined ? {} : { nextCursor: next }) }
  })

  async function call(name: string, input: Record<string, unknown>, of: RequestOf): Promise<CallToolResult> {
    const { api_key: own, ...rest } = input
    const parameters = keyArgument ? rest : input
    const asking = askingFor(of.signal, keyArgument && typeof own === 'string' && own !== '' ? own : key, of._meta)
    const callable = await namespaces.of(asking)
    const meant = meantBy(name, callable)
    if (meant === undefined)
      throw new ProtocolError(
        NO_TOOL,
        `There is no tool "${name.slice(0, 200)}". List the tools to see those that exist.`,
      )
    if (meant.kind === 'list')
      return listNamespaceTools(meant, parameters, await proxy.tools(meant.namespace.app, asking))
    const { slug, sent } = executionOf(meant, parameters)
    return resultText(await proxy.execute(slug, sent, meant.namespace, asking), meant.namespace, callable)
  }

  server.setRequestHandler('tools/call', ({ params }, { mcpReq }) => call(params.name, params.arguments ?? {}, mcpReq))
  // The name in the source system's own words (ledger S0-PKG-04).
  server.setRequestHandler('tools/execute', { params: NAME }, ({ name, arguments: input = {} }, { mcpReq }) =>
    call(name, input, mcpReq),
  )

  server.setRequestHandler('resources/list', async (_, { mcpReq }) => ({
    resources: (await proxy.apps(askingFor(mcpReq.signal))).map((app) => ({
      uri: `app://${encodeURIComponent(app)}`,
      name: app,
      description: `The tools of ${app}.`,
      mimeType: 'application/json',
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const [, app] = APP.exec(uri) ?? []
    if (app === undefined)
      throw new ProtocolError(INVALID_PARAMS, 'A resource has the form app://NAME, as returned by resources/list.')
    const tools = await proxy.tools(decodeURIComponent(app), askingFor(mcpReq.signal))
    return {
      contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ app: decodeURIComponent(app), tools }) }],
    }
  })

  if (listChanged) void watch({ proxy, settings, ending }, (version) => onVersionChanged(version))

  async function onVersionChanged(version: number): Promise<void> {
    namespaces.forget()
    // The next list is at least as new as what the notification is about.
    await namespaces.of(askingFor(ending), version).catch(() => {})
    await Promise.allSettled([server.sendToolListChanged(), server.sendResourceListChanged()])
  }

  return server
}

/** The namespaces of each key, asked for once until they are forgotten. */
function createNamespaces({ proxy, settings, tell }: Pick<UruServerParts, 'proxy' | 'settings' | 'tell'>) {
  const { mostNamespaces } = settings
  /** By the key that they were listed for: a call may bring its own. */
  const known = new Map<string | undefined, Promise<readonly Namespace[]>>()
  let hidden = 0

  /** @param version the least that is new enough; unsaid, what was listed before serves */
  const of = (asking: Asking, version?: number): Promise<readonly Namespace[]> => {
    const before = version === undefined ? known.get(asking.key) : undefined
    if (before !== undefined) return before
    const loading = proxy.namespaces(asking, version).then((all) => {
      const beyond = Math.max(0, all.length - mostNamespaces)
      if (beyond > 0 && beyond !== hidden)
        tell(`${beyond} of ${all.length} namespaces are not listed: URU_MAX_NAMESPACES is ${mostNamespaces}.`)
      hidden = beyond
      return all
    })
    known.set(asking.key, loading)
    loading.catch(() => known.delete(asking.key))
    return loading
  }
  return { of, forget: () => known.clear() }
}

/** The tools of a namespace that the words of the input are in. */
function listNamespaceTools(
  { namespace }: Meant,
  input: Record<string, unknown>,
  all: Awaited<ReturnType<Proxy['tools']>>,
) {
  const words = [input['filter'], input['category']].flatMap((word) =>
    typeof word === 'string' && word !== '' ? [word.toLowerCase()] : [],
  )
  const found = all.filter((tool) => words.every((word) => JSON.stringify(tool).toLowerCase().includes(word)))
  return listText(namespace, found, all.length)
}

/** Calls back for each new version of the tools, until the process ends. */
async function watch(
  { proxy, settings, ending }: Pick<UruServerParts, 'proxy' | 'settings' | 'ending'>,
  onChange: (version: number) => Promise<void>,
) {
  const asking = { key: settings.key, signal: ending }
  let last: { etag: string | undefined; version: number } | undefined
  while (!ending.aborted) {
    // A proxy that is away is asked again at the next turn.
    const now = await proxy.version(last?.etag, asking).catch(() => undefined)
    if (now !== undefined && last !== undefined && now.version !== last.version) await onChange(now.version)
    last = now ?? last
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, settings.poll)
      timer.unref()
      ending.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true })
    })
  }
}

function executionOf({ kind, tool }: Meant, input: Record<string, unknown>): { slug: string; sent: object } {
  if (kind === 'direct') return { slug: tool, sent: input }
  const { tool_name: slug, parameters = {} } = input
  if (typeof slug !== 'string' || slug === '')
    throw new ProtocolError(INVALID_PARAMS, 'tool_name must be the name of a tool, as returned by the list of tools.')
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
    throw new ProtocolError(INVALID_PARAMS, 'parameters must be an object.')
  return { slug, sent: parameters }
}

function pageOf<Item>(
  all: readonly Item[],
  cursor: string | undefined,
  size: number,
): { page: Item[]; next: string | undefined } {
  const from = cursor === undefined ? 0 : Number(/^p(\d{1,9})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1])
  if (!Number.isInteger(from))
    throw new ProtocolError(INVALID_PARAMS, 'The cursor is not from this server: list from the beginning.')
  const to = from + size
  return { page: all.slice(from, to), next: to < all.length ? Buffer.from(`p${to}`).toString('base64url') : undefined }
}
