/**
 * A modern client's listen stream (`subscriptions/listen`): an acknowledgement first, then the notifications that it subscribed
 * to from all servers of the endpoint, until it hangs up, the gateway stops, or one of the servers is no longer visible.
 *
 * Only honoured subscriptions are acknowledged, and every message carries the subscription's id (specification 2026-07-28,
 * subscriptions). An entry that the caller may not see is not acknowledged, like one that does not exist.
 */
import { Fault } from '@toolway/contract'
import {
  isObject,
  metaOf,
  SUBSCRIPTION_KEY,
  type McpRequest,
  type JsonObject,
  type Notification,
} from '@toolway/protocol'
import type { Changed, Changes } from '../../catalog/changes.ts'
import { presentsOf } from '../credentials/use-credential.ts'
import { createListChangeDetector } from '../discovery/difference.ts'
import { callerAt } from '../forward.ts'
import { announcedLists } from '../introduce.ts'
import { hear } from './hear.ts'
import { wishesOf, type Wishes } from './listen-wishes.ts'
import type { Listeners } from './listeners.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallParts } from '../call-parts.ts'
import type { ClientChannel } from '../../snapshot/ports/client-channel.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { shapeTask } from '../result-processing/shape-result.ts'
import { nameTask } from '../tasks/tasks.ts'

const FILTERS: Readonly<Record<string, Changed>> = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
}

export interface ListenParts extends Pick<CallParts, 'credentials' | 'tasks' | 'results' | 'resultLimit' | 'fileFrom'> {
  readonly changes: Changes
  readonly listeners: Listeners
}

export async function listen(
  requestContext: RequestContext,
  mcpRequest: McpRequest,
  channel: ClientChannel,
  parts: ListenParts,
): Promise<Answer> {
  const { notifications } = mcpRequest.params
  const wanted = isObject(notifications) ? notifications : {}
  const announced = announcedLists(requestContext, mcpRequest.caller.revision)
  const honoured = Object.entries(FILTERS).filter(([filter, kind]) => wanted[filter] === true && announced.has(kind))
  const kinds = new Set(honoured.map(([, kind]) => kind))
  const wishes = wishesOf(parts, requestContext, wanted)
  const leave = parts.listeners.enter(requestContext.principal.id)
  const ending = new AbortController()
  const signal = AbortSignal.any([channel.signal, ending.signal])
  const stream = createStream(mcpRequest, channel)
  const listsDiffer = createListChangeDetector(requestContext, mcpRequest.caller, announced)
  const stop = parts.changes.listen(requestContext.organizationId, {
    sees: (connectionId) => requestContext.sees(connectionId),
    onChange(kind) {
      if (kinds.has(kind) && listsDiffer(kind))
        stream.say({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` })
      if (!wishes.every((item) => isShown(requestContext, item))) ending.abort()
    },
  })
  try {
    const heard = await Promise.all(
      wishes.map((item) => hearOne({ parts, requestContext, mcpRequest, stream, signal, ending }, item)),
    )
    const uris = heard.flatMap((item) => item.uris)
    const tasks = heard.flatMap((item) => item.tasks)
    stream.acknowledge({
      ...Object.fromEntries(honoured.map(([filter]) => [filter, true])),
      ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
      ...(tasks.length > 0 ? { taskIds: tasks } : {}),
    })
    await aborted(signal)
    return { result: { resultType: 'complete', _meta: { [SUBSCRIPTION_KEY]: mcpRequest.id } } }
  } finally {
    ending.abort()
    stop()
    leave()
  }
}

/** Of one server either all resources are shown or none. */
function isShown(requestContext: RequestContext, { target, uris }: Wishes): boolean {
  const toolListing = requestContext.now()?.toolListing
  const [uri] = uris.values()
  if (uri !== undefined) return toolListing?.resource(uri)?.connectionId === target.connectionId
  return toolListing?.offered.some(({ connectionId }) => connectionId === target.connectionId) === true
}

interface Stream {
  say(notification: Notification): void
  acknowledge(honoured: JsonObject): void
}

/** The acknowledgement comes first: what is said earlier waits for it. */
function createStream({ id }: McpRequest, channel: ClientChannel): Stream {
  let early: Notification[] | undefined = []
  const send = ({ method, params }: Notification) =>
    channel.notify({
      jsonrpc: '2.0',
      method,
      params: { ...params, _meta: { ...metaOf(params), [SUBSCRIPTION_KEY]: id } },
    })
  return {
    say: (notification) => (early === undefined ? send(notification) : void early.push(notification)),
    acknowledge(notifications) {
      send({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: { notifications } })
      const waiting = early ?? []
      early = undefined
      for (const notification of waiting) send(notification)
    },
  }
}

interface Listened {
  readonly parts: ListenParts
  readonly requestContext: RequestContext
  readonly mcpRequest: McpRequest
  readonly stream: Stream
  readonly signal: AbortSignal
  readonly ending: AbortController
}

/**
 * Subscribes to the named notifications of one server, under the names that the client knows. Resolves to those that are
 * honoured.
 */
async function hearOne({ parts, requestContext, mcpRequest, stream, signal, ending }: Listened, wishes: Wishes) {
  const { target, uris, tasks } = wishes
  // A task that has ended brings its result along, which is within the budget of its tool here, too; one after the other.
  let telling = Promise.resolve()
  const tellTask = ({ jsonrpc, method }: Notification, task: JsonObject) => {
    telling = telling
      .then(async () => {
        const toolListing = requestContext.now()?.toolListing ?? requestContext.toolListing
        const params = await shapeTask(
          parts,
          { ...requestContext, toolListing },
          target.connectionId,
          task,
          mcpRequest.caller,
        )
        if (!signal.aborted) stream.say({ jsonrpc, method, params })
      })
      // A change that does not fit is not notified; a poll of the task is told why.
      .catch(() => {})
  }
  const honoured = await hear({
    requestContext,
    connectionId: target.connectionId,
    isShown: () => isShown(requestContext, wishes),
    session: undefined,
    owner: requestContext.principal.id,
    caller: callerAt(requestContext, target, mcpRequest),
    credential: presentsOf(parts, requestContext, target),
    uris: [...uris.keys()],
    tasks: [...tasks.keys()],
    signal,
    onNotification({ jsonrpc, method, params = {} }) {
      const { uri, taskId } = params
      if (method === 'notifications/resources/updated' && typeof uri === 'string')
        stream.say({
          jsonrpc,
          method,
          params: { ...params, uri: requestContext.toolListing.exposeUri(target.alias, uri) },
        })
      else if (method === 'notifications/tasks' && typeof taskId === 'string' && tasks.has(taskId))
        tellTask({ jsonrpc, method }, nameTask(requestContext, target, tasks.get(taskId) ?? '', params))
    },
    onGone: () => ending.abort(),
  }).catch((thrown: unknown) => {
    // Without an account nothing of that server is honoured; what others say is heard all the same.
    if (thrown instanceof Fault && thrown.code.startsWith('credential.')) return { uris: [], tasks: [] }
    throw thrown
  })
  const known = (names: readonly string[], by: ReadonlyMap<string, string>) =>
    names.flatMap((name) => by.get(name) ?? [])
  return { uris: known(honoured.uris, uris), tasks: known(honoured.tasks, tasks) }
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
