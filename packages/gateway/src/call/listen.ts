/**
 * A modern client's ear for changes (`subscriptions/listen`): an acknowledgement first, then what it asked to hear, until
 * it hangs up or the gateway goes. Only what is honoured is acknowledged, and every message carries the subscription's id.
 */
import { isObject, SUBSCRIPTION_KEY, type Asked, type JsonObject } from '@toolway/protocol'
import type { Changed, Changes } from '../catalog/changes.ts'
import type { Answer, Line, Standing } from './ports.ts'

const FILTERS: Readonly<Record<string, Changed>> = {
  toolsListChanged: 'tools',
  promptsListChanged: 'prompts',
  resourcesListChanged: 'resources',
}

export async function listen(standing: Standing, asked: Asked, line: Line, changes: Changes): Promise<Answer> {
  const wanted = isObject(asked.params['notifications']) ? asked.params['notifications'] : {}
  const honoured = Object.entries(FILTERS).filter(([filter]) => wanted[filter] === true)
  const kinds = new Set(honoured.map(([, kind]) => kind))
  const meta: JsonObject = { [SUBSCRIPTION_KEY]: asked.id }
  const stop = changes.listen(standing.organizationId, {
    sees: (connectionId) => standing.sees(connectionId),
    onChange(kind) {
      if (kinds.has(kind))
        line.notify({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed`, params: { _meta: meta } })
    },
  })
  line.notify({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: meta, notifications: Object.fromEntries(honoured.map(([filter]) => [filter, true])) },
  })
  await aborted(line.signal)
  stop()
  return { result: { resultType: 'complete', _meta: meta } }
}

export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
