/**
 * One HTTP exchange with an upstream: a body goes out, one JSON message or a stream of them comes back.
 *
 * It knows how an upstream fails (refused, cut off, silent, too large, not JSON) and says so as a fault; it knows nothing of
 * methods, sessions or eras, and it never sends anything twice.
 */
import { Fault } from '@toolway/contract'
import { parseJson, readMessage, type Message } from '@toolway/protocol'
import { createParser } from 'eventsource-parser'
import type { Dispatcher, Pool } from 'undici'

/** The largest answer that is taken in; beyond it the exchange ends, so that memory stays bounded. */
const MAX_ANSWER = 32 * 1024 * 1024

export interface Wire {
  readonly alias: string
  readonly pool: Pool
  readonly path: string
  /** Headers of every request: the connection's own ones. */
  readonly headers: Readonly<Record<string, string>>
  /** Seconds, for the sentence of a timeout. */
  readonly timeout: number
}

export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** For streams that may be silent for long. */
  readonly patient?: boolean
}

export type Incoming = Dispatcher.ResponseData

const ACCEPT = 'application/json, text/event-stream'

export async function send(wire: Wire, { method, headers, body, signal, patient = false }: Outgoing): Promise<Incoming> {
  try {
    return await wire.pool.request({
      path: wire.path,
      method,
      headers: { ...wire.headers, accept: ACCEPT, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      ...(patient ? { bodyTimeout: 0 } : {}),
    })
  } catch (thrown) {
    throw wordFailure(wire, thrown, signal)
  }
}

export const header = (response: Incoming, name: string): string | undefined => {
  const value = response.headers[name]
  return Array.isArray(value) ? value[0] : value
}

export const isStream = (response: Incoming): boolean => header(response, 'content-type')?.startsWith('text/event-stream') ?? false

export async function readText(wire: Wire, response: Incoming, signal?: AbortSignal): Promise<string> {
  try {
    // The usual small answer states its length, and reading it whole costs a fifth of walking its chunks.
    if (Number(header(response, 'content-length') ?? Infinity) <= MAX_ANSWER) return await response.body.text()
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_ANSWER) throw new Fault('result.too-large', { connection: wire.alias, limit: MAX_ANSWER })
      chunks.push(chunk)
    }
    return chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString()
  } catch (thrown) {
    throw wordFailure(wire, thrown, signal)
  }
}

/** The single message of a JSON answer. Throws `upstream.malformed` when it is not one. */
export async function readOne(wire: Wire, response: Incoming, signal?: AbortSignal): Promise<Message> {
  return readAs(wire, await readText(wire, response, signal))
}

export function readAs(wire: Wire, text: string): Message {
  try {
    return readMessage(parseJson(text))
  } catch (thrown) {
    const problem = thrown instanceof Fault ? thrown.message : 'not a message'
    throw new Fault('upstream.malformed', { connection: wire.alias, problem }, { cause: thrown })
  }
}

export interface StreamEvent {
  readonly message: Message
  readonly id: string | undefined
}

/** The messages of an event stream, in order, each event's id with it. Ends when the upstream ends the stream. */
export async function* readStream(wire: Wire, response: Incoming, signal?: AbortSignal): AsyncGenerator<StreamEvent> {
  const events: { data: string; id: string | undefined }[] = []
  const parser = createParser({ onEvent: ({ data, id }) => events.push({ data, id }) })
  const decoder = new TextDecoder()
  let pending = 0
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      const before = events.length
      parser.feed(decoder.decode(chunk, { stream: true }))
      pending = events.length > before ? 0 : pending + chunk.length
      if (pending > MAX_ANSWER) throw new Fault('result.too-large', { connection: wire.alias, limit: MAX_ANSWER })
      for (const { data, id } of events.splice(0)) if (data !== '') yield { message: readAs(wire, data), id }
    }
  } catch (thrown) {
    throw wordFailure(wire, thrown, signal)
  }
}

/** Let an answer go that nobody reads, so that its socket is free again. */
export const discard = (response: Incoming): void => {
  response.body.resume().on('error', () => {})
}

const codeOf = (thrown: unknown): string =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : ''

const UNSENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its name does not resolve',
  EAI_AGAIN: 'its name does not resolve now',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  UND_ERR_CONNECT_TIMEOUT: 'it does not take connections',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
const SILENT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

function wordFailure(wire: Wire, thrown: unknown, signal: AbortSignal | undefined): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof Error && thrown.cause instanceof Fault) return thrown.cause
  if (signal?.aborted === true) return signal.reason instanceof Fault ? signal.reason : new Fault('call.cancelled')
  const code = codeOf(thrown)
  const extra = { cause: thrown }
  if (SILENT.has(code)) return new Fault('upstream.timeout', { connection: wire.alias, seconds: wire.timeout }, extra)
  const problem = UNSENT[code]
  if (problem !== undefined) return new Fault('upstream.unreachable', { connection: wire.alias, problem }, extra)
  return new Fault('upstream.lost', { connection: wire.alias }, extra)
}
