/**
 * The execution of a workflow that answered before it had ended, followed by n8n's public API (`GET /executions`). Which one it is shows
 * in its data, which hold the headers of the request that started it.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { pause } from '../../lib/pause.ts'
import type { JsonBackend } from '../listed/json-backend.ts'
import type { Ask } from '../upstream.ts'

export interface Following {
  /** The side of the API. */
  readonly asks: JsonBackend
  /** Seconds that a call may take. */
  readonly timeout: number
  readonly workflowId: string
  readonly correlationId: string
  /** Its idempotency key, by which the execution is found: nobody else's has it. */
  readonly callId: string
  readonly asked: Ask
}

export type Followed = { readonly output: Json } | { readonly problem: string }

const EXECUTIONS = '/api/v1/executions'
/** Looked at in one request: those of the workflow that began last. */
const LATEST = 20
/** Milliseconds between two looks, from the first to the longest. */
const FIRST_MS = 250
const LONGEST = 5_000
/** The key may not read executions, or n8n does not save them: nothing shows up in this time. */
const UNSEEN_FOR_MS = 5_000
const WORKING = new Set(['new', 'running', 'waiting', 'unknown'])

/**
 * Undefined where the execution cannot be seen, or is still working when the time of the call is over: the answer of the webhook is
 * all that is known then.
 */
export async function followExecution(following: Following, begun: string): Promise<Followed | undefined> {
  const { asks, asked, timeout, correlationId } = following
  const until = Date.now() + timeout * 1000 - LONGEST
  const unseenUntil = Date.now() + UNSEEN_FOR_MS
  let id: string | undefined
  let looks = 0
  for (let wait = FIRST_MS; Date.now() < until && !asked.signal.aborted; wait = Math.min(wait * 1.5, LONGEST)) {
    await pause(wait, asked.signal)
    try {
      const execution =
        id === undefined
          ? await findExecution(following, begun)
          : await asks.read(
              `${EXECUTIONS}/${encodeURIComponent(id)}`,
              { includeData: 'true' },
              { correlationId, signal: asked.signal },
            )
      if (isObject(execution)) {
        id = String(execution['id'])
        if (!WORKING.has(String(execution['status']))) return outcomeOf(execution)
        tellProgress(asked, ++looks, `execution ${id}: ${String(execution['status'])}`)
      } else if (Date.now() > unseenUntil) return undefined
    } catch {
      // What the workflow does goes on without it being watched.
      if (Date.now() > unseenUntil) return undefined
    }
  }
  return undefined
}

async function findExecution({ asks, workflowId, correlationId, callId, asked }: Following, begun: string) {
  const query = { workflowId, includeData: 'true', limit: String(LATEST), startedAfter: begun }
  const answer = await asks.read(EXECUTIONS, query, { correlationId, signal: asked.signal })
  const { data } = isObject(answer) ? answer : ({} as JsonObject)
  return (Array.isArray(data) ? data : []).find((value) => JSON.stringify(value).includes(callId))
}

function outcomeOf({ status, data }: JsonObject): Followed {
  const result = isObject(data) && isObject(data['resultData']) ? data['resultData'] : {}
  if (status !== 'success') {
    const { error } = result
    const message = isObject(error) ? error['message'] : undefined
    return { problem: typeof message === 'string' ? message : `its execution ended as ${String(status)}` }
  }
  return { output: outputOf(result) }
}

/** The items that the last node gave: one as it is, several as a list. */
function outputOf({ lastNodeExecuted: last, runData }: JsonObject): Json {
  const runs = isObject(runData) && typeof last === 'string' ? runData[last] : undefined
  const run = Array.isArray(runs) ? runs.at(-1) : undefined
  const main = isObject(run) && isObject(run['data']) ? run['data']['main'] : undefined
  const items = (Array.isArray(main) ? main : []).flatMap((branch) =>
    (Array.isArray(branch) ? branch : []).flatMap((item) =>
      isObject(item) && item['json'] !== undefined ? [item['json']] : [],
    ),
  )
  const [only = null] = items
  return items.length > 1 ? items : only
}

/** To a client that asked for progress. */
function tellProgress({ params, onNotification }: Ask, progress: number, message: string): void {
  const { _meta: meta } = params
  const token = isObject(meta) ? meta['progressToken'] : undefined
  if (typeof token !== 'string' && typeof token !== 'number') return
  onNotification({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: token, progress, message },
  })
}
