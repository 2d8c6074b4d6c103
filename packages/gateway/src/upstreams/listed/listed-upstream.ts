/**
 * An upstream whose server speaks no MCP and has a list of things that become tools: a contract backend, n8n, Composio. The list is
 * fetched by the gateway itself, kept for a time, and looked at again as often, because such a server tells nobody that it changed.
 *
 * There is no session, no protocol revision to find out and nobody to ask.
 */
import { Fault } from '@toolway/contract'
import { MODERN, type JsonObject } from '@toolway/protocol'
import { pause } from '../../lib/pause.ts'
import type { Breaker } from '../breaker.ts'
import {
  GATEWAY,
  type Answer,
  type Ask,
  type Hearing,
  type LeftOut,
  type ListKind,
  type Upstream,
} from '../upstream.ts'
import { createKept } from './value-cache.ts'

/** A tool of a list. */
export interface ListedTool {
  readonly definition: JsonObject
}

export interface ToolList<Tool extends ListedTool> {
  /** By their names. */
  readonly tools: ReadonlyMap<string, Tool>
  readonly leftOut: readonly LeftOut[]
}

export interface Fetching {
  /** Somebody wants to see what changed: nothing that was kept will do. */
  readonly fresh: boolean
  /** Told how many milliseconds old the list is already. */
  aged(milliseconds: number): void
}

export interface ListedUpstreamParts<Tool extends ListedTool> {
  /** What the server is, as `serverInfo` has it. */
  readonly server: { readonly name: string; readonly title?: string }
  readonly breaker: Breaker
  readonly now: () => number
  /** Milliseconds that a list is used before it is fetched anew, and that an old one may serve where it cannot be fetched. */
  readonly keptFor: number
  readonly staleFor: number
  fetch(how: Fetching): Promise<ToolList<Tool>>
  /** The result of one call. Throws faults. */
  call(tool: Tool, request: Ask): Promise<JsonObject>
  /** An old list is used because of this. */
  onStale(age: number, thrown: unknown): void
  /** Called once for each new set of what is left out. */
  onLeftOut(leftOut: readonly LeftOut[]): void
  close(): Promise<void>
}

export interface ListedUpstream<Tool extends ListedTool> extends Upstream {
  readonly leftOut: () => readonly LeftOut[]
  /** A tool of the last list, without asking for one. */
  peek(name: string): Tool | undefined
  /** Whether a tool of the last list is of that form; undefined where there is no list yet. */
  some(isMeant: (tool: Tool) => boolean): boolean | undefined
  /** The list is known to be old: it is fetched now. Never throws. */
  refresh(): Promise<void>
}

const NO_METHOD = -32601
/** All callers share one list, which the gateway fetches for itself. */
const KEY = 'gateway'

export function createListedUpstream<Tool extends ListedTool>(parts: ListedUpstreamParts<Tool>): ListedUpstream<Tool> {
  const { breaker, now, keptFor, staleFor, onStale } = parts
  const listing = createKept<ToolList<Tool>>({ now, keptFor, staleFor, onStale })
  const closing = new AbortController()
  const ended = new Set<() => void>()
  let lastLeftOut = ''

  async function fetch(how: Fetching): Promise<ToolList<Tool>> {
    const list = await parts.fetch(how)
    const text = JSON.stringify(list.leftOut)
    if (text !== lastLeftOut && list.leftOut.length > 0) parts.onLeftOut(list.leftOut)
    lastLeftOut = text
    return list
  }

  const open = () => listing.open(KEY, (aged) => fetch({ fresh: false, aged }))
  const renew = (fresh = true) => listing.refresh(KEY, (aged) => fetch({ fresh, aged }))

  async function list(): Promise<Answer> {
    const { tools } = await open()
    return { result: { tools: Array.from(tools.values(), ({ definition }) => definition) } }
  }

  async function call(request: Ask): Promise<Answer> {
    const name = String(request.params['name'])
    const tool = (await open()).tools.get(name)
    // It was listed, and is no more: what is gone and what was never there answer alike.
    if (tool === undefined) throw new Fault('tool.unknown', { tool: name })
    return { result: await parts.call(tool, request) }
  }

  return {
    async introduce() {
      // Lists are asked for rarely and on purpose: what changed is to be seen by whoever wants to see it. The first of a process is
      // asked for by its start.
      await renew(listing.peek(KEY) !== undefined)
      const server = { ...parts.server, version: '1' }
      return { revision: MODERN, server, capabilities: { tools: {} }, instructions: undefined }
    },
    ask(request) {
      if (!breaker.closed && request.owner !== GATEWAY) {
        const refusal = breaker.admit()
        if (refusal !== undefined) return Promise.reject(refusal)
      }
      if (request.method === 'tools/call') return call(request)
      if (request.method === 'tools/list') return list()
      return Promise.resolve({ error: { code: NO_METHOD, message: `Method not found: ${request.method}` } })
    },
    peek: (name) => listing.peek(KEY)?.tools.get(name),
    some: (isMeant) => someOf(listing.peek(KEY), isMeant),
    refresh: () =>
      renew().then(
        () => {},
        () => {},
      ),
    leftOut: () => listing.peek(KEY)?.leftOut ?? [],
    watch(onChange, signal) {
      const polling = { first: listing.peek(KEY), open, every: keptFor }
      void poll(polling, onChange, AbortSignal.any([signal, closing.signal]))
    },
    listen({ signal, onEnd }: Hearing) {
      ended.add(onEnd)
      signal.addEventListener('abort', () => ended.delete(onEnd), { once: true })
      return Promise.resolve({ uris: [], tasks: [] })
    },
    async check() {
      await renew()
      return true
    },
    tell() {},
    doubt() {},
    forget() {},
    async close() {
      closing.abort()
      for (const end of ended) end()
      await parts.close()
    },
  }
}

interface Polling<Tool extends ListedTool> {
  readonly first: ToolList<Tool> | undefined
  open(): Promise<ToolList<Tool>>
  /** Milliseconds. */
  readonly every: number
}

async function poll<Tool extends ListedTool>(
  { first, open, every }: Polling<Tool>,
  onChange: (kind: ListKind, missed: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let before = textOfList(first)
  while (!signal.aborted) {
    await pause(every, signal)
    if (signal.aborted) return
    const after = textOfList(await open().catch(() => undefined))
    if (after !== undefined && before !== undefined && after !== before) onChange('tools', false)
    before = after ?? before
  }
}

const someOf = <Tool extends ListedTool>(list: ToolList<Tool> | undefined, isMeant: (tool: Tool) => boolean) =>
  list === undefined ? undefined : Array.from(list.tools.values()).some(isMeant)

const textOfList = <Tool extends ListedTool>(list: ToolList<Tool> | undefined): string | undefined =>
  list === undefined ? undefined : JSON.stringify(Array.from(list.tools.values(), ({ definition }) => definition))
