/**
 * One JSON-RPC message to an MCP endpoint of the console's own, and the messages that answer it, one by one as they come.
 *
 * The browser's sign-in is all that it needs; no token is seen here. It knows neither era: which headers belong to a message is said
 * by who sends it. Throws a `Problem` where there is no message to hear.
 */
import { readEvents } from '../../../data/events.ts'
import { Problem } from '../../../data/problem.ts'
import { ASK_AGAIN, csrfToken, leaveForSignIn, NO_ANSWER, renew } from '../../../data/session.ts'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json | undefined
}

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: Json
}

export interface Message {
  readonly jsonrpc: '2.0'
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: JsonObject
  readonly result?: JsonObject
  readonly error?: RpcError
}

export interface Sending {
  readonly headers: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  readonly hear: (message: Message) => void
}

/** Resolves with the answer's head when the last message was heard. */
export async function post(address: string, message: Message, sending: Sending): Promise<Headers> {
  const response = await answerTo(address, 'POST', sending, JSON.stringify(message))
  const type = response.headers.get('content-type') ?? ''
  if (type.includes('text/event-stream')) {
    await readEvents(response, (data) => sending.hear(JSON.parse(data) as Message))
    return response.headers
  }
  const text = await response.text()
  const said = type.includes('application/json') && text !== '' ? (JSON.parse(text) as Message) : undefined
  if (said?.jsonrpc === '2.0') sending.hear(said)
  else if (!response.ok) throw await Problem.ofAnswer(new Response(text, response), `POST ${address}`)
  return response.headers
}

/** The end of a session; that there is none any more is as good. */
export const endSession = (address: string, headers: Readonly<Record<string, string>>): Promise<unknown> =>
  send(address, 'DELETE', { headers }).catch(() => undefined)

type Sent = Omit<Sending, 'hear'>

async function answerTo(address: string, method: string, sent: Sent, body: string): Promise<Response> {
  const asked = Date.now()
  const first = await send(address, method, sent, body)
  if (first.status !== 401) return first
  if (await renew(asked)) {
    const second = await send(address, method, sent, body)
    if (second.status !== 401) return second
  }
  leaveForSignIn()
  throw await Problem.ofAnswer(first, `POST ${address}`)
}

async function send(address: string, method: string, { headers, signal }: Sent, body?: string): Promise<Response> {
  const csrf = csrfToken()
  try {
    return await fetch(address, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown
    throw new Problem({ message: NO_ANSWER, mend: ASK_AGAIN, asked: `${method} ${address}` })
  }
}
