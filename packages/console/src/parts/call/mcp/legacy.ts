/**
 * A session of the revisions that open one (up to 2025-11-25): opened when it is first needed, opened again when the gateway knows it
 * no more, ended when nobody looks any longer. Leaving is no cancel there, so that cancelling is said.
 */
import { answerTo, hearNotification, nextId, resultOf, RpcFailure, type Asking, type McpClient } from './exchange.ts'
import { isObject } from './headers.ts'
import { endSession, post, type JsonObject, type Message } from './wire.ts'

const LEGACY = '2025-11-25'
/** Pages have to be opened first. */
const URL_FIRST = -32042
const MOST_ROUNDS = 3
const SESSION = 'mcp-session-id'

export interface LegacySession {
  readonly request: McpClient['request']
  readonly close: () => void
}

type Head = Readonly<Record<string, string>>

export function legacySession(address: string, capabilities: JsonObject, clientInfo: JsonObject): LegacySession {
  let opening: Promise<Head> | undefined

  async function open(asking: Asking): Promise<Head> {
    const params = { protocolVersion: LEGACY, capabilities, clientInfo }
    let answer: Message | undefined
    const message: Message = { jsonrpc: '2.0', id: nextId(), method: 'initialize', params }
    asking.ears?.wire?.('sent', message)
    const head = await post(address, message, {
      headers: {},
      hear(heard) {
        asking.ears?.wire?.('heard', heard)
        answer = heard
      },
    })
    const result = resultOf(answer)
    const session = head.get(SESSION)
    const revision = String(result['protocolVersion'] ?? LEGACY)
    const headers = { 'mcp-protocol-version': revision, ...(session === null ? {} : { [SESSION]: session }) }
    await tell(headers, { jsonrpc: '2.0', method: 'notifications/initialized' }, asking)
    const { capabilities: offered } = result
    if (isObject(offered) && offered['logging'] !== undefined) await wantLogs(headers)
    return headers
  }

  /** What a server tells beside its answers is wanted whole. */
  const wantLogs = (headers: Head) =>
    post(
      address,
      { jsonrpc: '2.0', id: nextId(), method: 'logging/setLevel', params: { level: 'debug' } },
      { headers, hear: () => undefined },
    ).catch(() => undefined)

  async function tell(headers: Head, message: Message, { ears }: Asking): Promise<void> {
    ears?.wire?.('sent', message)
    await post(address, message, { headers, hear: () => undefined })
  }

  async function once(method: string, params: JsonObject, asking: Asking): Promise<JsonObject> {
    const { ears = {}, signal = new AbortController().signal } = asking
    opening ??= open(asking)
    const headers = await opening.catch((thrown: unknown) => {
      opening = undefined
      throw thrown
    })
    const id = nextId()
    const message: Message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: { progressToken: `p${id}` } } }
    const cancel = () =>
      void tell(
        headers,
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } },
        asking,
      ).catch(() => undefined)
    let answer: Message | undefined
    const hear = (heard: Message) => {
      ears.wire?.('heard', heard)
      if (heard.method === undefined) answer = heard
      else if (heard.id === undefined) hearNotification(heard, ears)
      else void settle(heard, headers, asking)
    }
    signal.addEventListener('abort', cancel, { once: true })
    ears.wire?.('sent', message)
    try {
      await post(address, message, { headers, signal, hear })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
    return resultOf(answer)
  }

  /** A question of the server's, answered by a message of its own. */
  async function settle({ id, method = '', params = {} }: Message, headers: Head, asking: Asking): Promise<void> {
    const { ears = {}, signal = new AbortController().signal } = asking
    const reply = async (): Promise<Message> => {
      if (method === 'ping') return { jsonrpc: '2.0', id: id ?? null, result: {} }
      const result = await answerTo({ method, params }, ears, signal)
      return { jsonrpc: '2.0', id: id ?? null, result }
    }
    // Whoever cancelled answers nothing more.
    await reply().then(
      (message) => tell(headers, message, asking),
      () => undefined,
    )
  }

  return {
    async request(method, params, asking = {}) {
      for (let round = 0; ; round++) {
        try {
          return await once(method, params, asking)
        } catch (thrown) {
          // Nothing was done: the gateway knows the session no more, or pages have to be opened first.
          if (round < MOST_ROUNDS && isUnknownSession(thrown)) opening = undefined
          else if (round >= MOST_ROUNDS || !(await openFirst(thrown, asking))) throw thrown
        }
      }
    },
    close: () => void opening?.then((headers) => (SESSION in headers ? endSession(address, headers) : undefined)),
  }
}

/** Whether its person agreed to open what the error of 2025-11-25 names, so that the call is worth another try. */
async function openFirst(
  thrown: unknown,
  { ears = {}, signal = new AbortController().signal }: Asking,
): Promise<boolean> {
  if (!(thrown instanceof RpcFailure) || thrown.error.code !== URL_FIRST || !isObject(thrown.error.data)) return false
  const { elicitations } = thrown.error.data
  if (!Array.isArray(elicitations) || elicitations.length === 0) return false
  for (const page of (elicitations as readonly unknown[]).filter(isObject)) {
    const params = { ...page, mode: 'url' }
    const { action } = await answerTo({ method: 'elicitation/create', params }, ears, signal)
    if (action !== 'accept') return false
  }
  return true
}

const isUnknownSession = (thrown: unknown): boolean =>
  thrown instanceof RpcFailure && isObject(thrown.error.data) && thrown.error.data['fault'] === 'session.unknown'
