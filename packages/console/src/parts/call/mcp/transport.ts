/**
 * The way from the console to an MCP endpoint of its own: a transport of the shared client over `fetch`, with the browser's
 * sign-in, the CSRF header and one renewal. No token is seen here.
 */
import { createFetchTransport, type Incoming, type Transport } from '@toolway/protocol/client'
import { Problem } from '../../../data/problem.ts'
import { csrfToken, leaveForSignIn, renew } from '../../../data/session.ts'
import { RpcFailure, type EventSink } from './exchange.ts'
import { isObject, type RpcError } from './wire.ts'
import { texts } from '../../../texts/texts.ts'

/** Each request has a transport of its own, so that its messages are told to its own event sink. */
export const transportTo = (address: string, eventSink: EventSink): Transport =>
  createFetchTransport({
    alias: address,
    url: address,
    fetch: signedIn,
    refusal: (incoming) => refusalOf(address, incoming),
    onWire: (direction, message) => eventSink.wire?.(direction, message),
  })

/** A status says no: in the words of JSON-RPC, or of a problem document. */
function refusalOf(address: string, { status, headers, text }: Incoming): Error {
  const body = parsed(text)
  if (isObject(body) && body['jsonrpc'] === '2.0' && isObject(body['error']))
    return new RpcFailure(body['error'] as unknown as RpcError)
  const head = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  return Problem.ofBody(body, { status, headers: head }, `POST ${address}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function signedIn(address: string, init: RequestInit): Promise<Response> {
  const askedAt = Date.now()
  const first = await send(address, init)
  if (first.status !== 401) return first
  if (await renew(askedAt)) {
    const second = await send(address, init)
    if (second.status !== 401) return second
  }
  leaveForSignIn()
  throw await Problem.ofAnswer(first, `${init.method} ${address}`)
}

async function send(address: string, init: RequestInit): Promise<Response> {
  const csrf = csrfToken()
  const headers = {
    ...(init.headers as Record<string, string>),
    ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
  }
  try {
    return await fetch(address, { ...init, headers })
  } catch (thrown) {
    if (init.signal?.aborted === true) throw thrown
    throw new Problem({
      message: texts.failed.noAnswer,
      mend: texts.failed.askAgain,
      asked: `${init.method} ${address}`,
    })
  }
}
