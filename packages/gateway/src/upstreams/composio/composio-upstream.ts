/**
 * Composio as an upstream (ledger S0-CMP, S4-CMP, U-11). Whatever way a connection goes, its tools have the slugs of Composio, its results
 * one form, and a call is made for the user and the account that the gateway found for its caller: no argument names another.
 */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import { NOBODY as CLIENT } from '@toolway/protocol/client'
import { createBreaker } from '../breaker.ts'
import { GRACE } from '../carrier.ts'
import { createJsonBackend } from '../listed/json-backend.ts'
import { createListedUpstream, type ToolList } from '../listed/listed-upstream.ts'
import { GATEWAY, type Ask, type ComposioTarget, type ReachOf, type Upstream } from '../upstream.ts'
import type { UpstreamContext } from '../upstreams.ts'
import { createAccountBroker } from './account-broker.ts'
import { createComposioFiles, UPLOAD_FILE, UPLOAD_TOOL } from './composio-files.ts'
import { createComposioApi, type ComposioApi } from './composio-api.ts'
import { mcpToolsOf, toolListOf, type ComposioTool } from './composio-tools.ts'
import { MULTI_EXECUTE, multiExecute } from './multi-execute.ts'
import { normalFormOf, normalResult, resultOf } from './normal-form.ts'
import { createSignedTransfer } from './signed-transfer.ts'
import { createSessions } from './sessions.ts'
import { createUserServers, type UserServers } from './user-servers.ts'

export interface ComposioUpstreamParts extends Pick<
  UpstreamContext,
  'ids' | 'pool' | 'now' | 'onNote' | 'onStateChange'
> {
  readonly reach: ReachOf<ComposioTarget>
}

/** How long an old list serves where Composio cannot be asked. Milliseconds. */
const STALE_FOR = 60 * 60_000
/** The user for whom the gateway lists, where the settings name none: Composio's own word for one. */
const NOBODY = 'default'

/** One way to Composio. */
interface Way {
  list(): Promise<ToolList<ComposioTool>>
  call(tool: ComposioTool, request: Ask, acting: Acting): Promise<JsonObject>
  close(): Promise<void>
}

/** For whom a call is made. */
interface Acting {
  readonly user: string
  readonly account: string | undefined
}

export function createComposioUpstream({
  reach,
  now,
  onNote,
  onStateChange,
  ids,
  pool,
}: ComposioUpstreamParts): Upstream {
  const { alias, timeout, wire } = reach
  const breaker = createBreaker({ alias, patience: timeout * 1000, now, onStateChange })
  const backend = createJsonBackend(reach, breaker, 'backend.malformed')
  const api = createComposioApi(alias, backend)
  const { private: isPrivate } = wire.way === 'mcp' ? wire.servers : wire
  const mcpClients = createUserServers({ ...reach, wire: { ...wire, private: isPrivate } }, { ids, pool })
  const files = createComposioFiles(api, createSignedTransfer(reach))
  const way = WAYS[wire.way]({ reach, api, mcpClients })
  const listed = createListedUpstream<ComposioTool>({
    server: { name: 'composio', title: 'Composio' },
    breaker,
    now,
    keptFor: wire.listedFor,
    staleFor: STALE_FOR,
    fetch: () => way.list(),
    async call(tool, request) {
      if (tool.slug === UPLOAD_FILE) return files.upload(request)
      const acting = actingIn(request, wire)
      return files.take(await way.call(tool, await files.send(tool, request), acting), request)
    },
    onStale: (age, thrown) =>
      onNote(
        { age_s: Math.round(age / 1000), problem: Fault.of(thrown).message },
        'the Composio tools could not be fetched; the previous list is used',
      ),
    onLeftOut(leftOut) {
      for (const { name, reason } of leftOut) onNote({ tool: name, reason }, 'a tool is left out')
    },
    close: async () => void (await Promise.all([way.close(), mcpClients.close(), backend.close(GRACE)])),
  })
  const broker = createAccountBroker({
    alias,
    api,
    terms: wire,
    needsAccounts: () => listed.some(({ needsAccount }) => needsAccount) ?? true,
  })
  const innerCalls: Upstream['innerCalls'] = (tool, value) => (tool === MULTI_EXECUTE ? multiExecute(value) : undefined)
  // Reads are tried again as those of MCP servers are (ledger S0-CMP-08).
  // Large answers are passed on whole; those beyond the limit become files (ledger S4-CMP-10).
  return { ...listed, broker, innerCalls, patience: timeout * 1000, direct: true }
}

/** The gateway found both before the call: an argument of such a name is the tool's own. */
function actingIn({ credential, owner }: Ask, { defaultUser }: ComposioTarget): Acting {
  const acting = credential?.brokered
  if (acting !== undefined) return acting
  if (owner === GATEWAY) return { user: defaultUser ?? NOBODY, account: undefined }
  throw new Error('a call to Composio has no user')
}

interface WayParts {
  readonly reach: ReachOf<ComposioTarget>
  readonly api: ComposioApi
  readonly mcpClients: UserServers
}

const argumentsOf = ({ params }: Ask): JsonObject => (isObject(params['arguments']) ? params['arguments'] : {})

const callOptionsOf = ({ correlationId, signal }: Ask) => ({ correlationId, signal })

function toCallResult(answer: JsonObject): JsonObject {
  const form = normalFormOf(answer)
  return resultOf(form ?? { data: answer, successful: true, error: null, log_id: null })
}

const WAYS: Readonly<Record<ComposioTarget['way'], (parts: WayParts) => Way>> = {
  rest: ({ reach: { wire }, api }) => ({
    list: async () => toolListOf(await api.tools(wire.toolkits), [UPLOAD_TOOL]),
    async call({ slug }, request, { user, account }) {
      const act = {
        method: 'POST' as const,
        path: `/tools/execute/${encodeURIComponent(slug)}`,
        body: {
          user_id: user,
          ...(account === undefined ? {} : { connected_account_id: account }),
          arguments: argumentsOf(request),
        },
      }
      return toCallResult(await api.send(slug, act, callOptionsOf(request)))
    },
    close: async () => {},
  }),

  mcp({ reach: { wire, alias }, mcpClients }) {
    const serverFor = ({ user, account }: Acting) => {
      const query = new URLSearchParams({
        user_id: user,
        ...(account === undefined ? {} : { connected_account_id: account }),
      })
      const url = new URL(wire.servers.url)
      url.pathname = `${url.pathname.replace(/\/+$/, '')}/composio/server/${encodeURIComponent(wire.server ?? '')}/mcp`
      // A query of its own, such as a key of a proxy, stays.
      for (const name of ['user_id', 'connected_account_id']) url.searchParams.delete(name)
      for (const [name, value] of query) url.searchParams.append(name, value)
      return mcpClients.at(query.toString(), url.href)
    }
    return {
      async list() {
        const server = serverFor({ user: wire.defaultUser ?? NOBODY, account: undefined })
        return toolListOf([], mcpToolsOf(await listTools(server, alias), false))
      },
      call: (tool, request, acting) => askServer(serverFor(acting), tool, request),
      close: async () => {},
    }
  },

  session({ reach, api, mcpClients }) {
    const { wire, alias } = reach
    const sessions = createSessions(api, wire)
    const serverAt = ({ id, mcp }: { id: string; mcp: string }) => mcpClients.at(id, mcp)
    return {
      async list() {
        const own = await sessions.of(wire.defaultUser ?? NOBODY)
        const [meta, tools] = await Promise.all([listTools(serverAt(own), alias), api.tools(wire.toolkits)])
        return toolListOf(tools, [UPLOAD_TOOL, ...mcpToolsOf(meta, true)])
      },
      call: (tool, request, { user }) =>
        sessions.within(user, async (session) => {
          if (tool.isSessionTool) return askServer(serverAt(session), tool, request)
          const path = `/tool_router/session/${encodeURIComponent(session.id)}/execute`
          const body = { tool_slug: tool.slug, arguments: argumentsOf(request) }
          return toCallResult(await api.send(tool.slug, { method: 'POST', path, body }, callOptionsOf(request)))
        }),
      close: async () => {},
    }
  },
}

/** The tools of an MCP server, all pages. */
async function listTools(server: Upstream, alias: string): Promise<JsonObject> {
  const tools = []
  let cursor: string | undefined
  do {
    const answer = await server.ask({
      ...OWN,
      params: cursor === undefined ? {} : { cursor },
      signal: AbortSignal.timeout(60_000),
    })
    if ('error' in answer)
      throw new Fault('backend.malformed', { connection: alias, problem: `it lists no tools: ${answer.error.message}` })
    const { tools: page, nextCursor } = answer.result
    if (Array.isArray(page)) tools.push(...page)
    cursor = typeof nextCursor === 'string' ? nextCursor : undefined
  } while (cursor !== undefined && tools.length < 10_000)
  return { tools }
}

/** The gateway's own requests. */
const OWN = {
  method: 'tools/list',
  caller: CLIENT,
  owner: GATEWAY,
  session: undefined,
  headerParameters: [],
  onNotification() {},
  onQuestion: () => Promise.resolve({ error: { code: -32601, message: 'Nobody can be asked here.' } }),
} as const

/** One call at an MCP server, in its era; progress goes to the caller's own sink. */
async function askServer(server: Upstream, { slug }: ComposioTool, request: Ask): Promise<JsonObject> {
  const { credential: _, ...own } = request
  const answer = await server.ask({ ...own, params: { ...request.params, name: slug } })
  if ('error' in answer)
    throw new Fault('connector.failed', { vendor: 'Composio', tool: slug, problem: answer.error.message })
  return normalResult(answer.result)
}
