/**
 * A server's text as a message, its response as an answer to the one request that it belongs to, and the faults of what is neither.
 *
 * An error of the server is an answer. The error to a greeting is told apart from an answer that is no MCP, because a wrong
 * token or a missing network must not look like a wrong address.
 */
import { Fault } from '@toolway/contract'
import { parseJson, type Json, type JsonObject } from '../json.ts'
import {
  idOf,
  isFailure,
  isResponse,
  readMessage,
  type ErrorBody,
  type Id,
  type Message,
  type Response,
} from '../message.ts'
import { readBatch } from './mend-message.ts'
import type { Answer } from './request.ts'
import type { Incoming, Outgoing, Peer, Transport } from './transport.ts'

export const malformedUpstream = (connection: string, problem: string, cause?: unknown): Fault =>
  new Fault('upstream.malformed', { connection, problem }, { cause })

export const lost = (connection: string, cause?: unknown): Fault =>
  new Fault('upstream.lost', { connection }, { cause })

/** A stream ended without the response. What was passed over in it may have been meant as one. */
export const endedUnanswered = (connection: string, odd: string | undefined): Fault =>
  odd === undefined
    ? lost(connection)
    : malformedUpstream(
        connection,
        `its event stream ended without a response, and had an event that is no message (${odd})`,
      )

/** An id of ours comes back as a text from some servers. */
export const isSameId = (input: Id | undefined, ours: Id | undefined): boolean =>
  input === ours || (typeof input === 'string' && typeof ours === 'number' && input === String(ours))

/** An error that the server could not attribute belongs to the only request of its exchange. */
export function answerOf(peer: Peer, id: Id, message: Message): Answer {
  if (!isResponse(message) || (!isSameId(message.id, id) && !(isFailure(message) && message.id === undefined)))
    throw malformedUpstream(peer.alias, 'its response is for another request')
  return isFailure(message)
    ? { error: maskedError(peer, message.error) }
    : { result: maskedResult(peer, message.result) }
}

/** Whether a body is the answer to this very request: its server has processed it then. */
export function answers(peer: Reader, text: string, id: Id): boolean {
  try {
    const message = readAs(peer, text)
    return isResponse(message) && isSameId(message.id, id)
  } catch {
    return false
  }
}

/** An error in the server's own words, as it may be told and logged. */
export const maskedError = (peer: Pick<Peer, 'mask'>, error: ErrorBody): ErrorBody => maskValue(peer, error)

/** The same for a tool that failed: its server's complaint is for the model, and may repeat what it was asked with. */
export const maskedResult = (peer: Pick<Peer, 'mask'>, result: JsonObject): JsonObject =>
  result['isError'] === true ? maskValue(peer, result) : result

const maskValue = <T extends object>(peer: Pick<Peer, 'mask'>, input: T): T =>
  JSON.parse(JSON.stringify(input), (_, value: unknown) => (typeof value === 'string' ? peer.mask(value) : value)) as T

/** A server's own words, as far as a reason needs them. */
export const cutExcerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const errorAnswer = (connection: string, method: string, error: { readonly message: string }): Fault =>
  new Fault('upstream.error', { connection, problem: `${method}: ${cutExcerpt(error.message)}` })

/** Whether a greeting was refused, by an error or by what is no answer to it: another era may be understood. */
export const isInitializeRefused = (thrown: unknown): thrown is Fault =>
  thrown instanceof Fault && (thrown.code === 'upstream.error' || thrown.code === 'upstream.malformed')

/** Passes 2xx and 4xx with a JSON-RPC body; throws the transport's refusal for every other status. */
export function refuseStatus(transport: Transport, incoming: Incoming): void {
  const { status } = incoming
  if (status < 300) return
  const carriesMessage = isJsonType(header(incoming, 'content-type')) && status >= 400 && status < 500
  if (carriesMessage && !NEVER_ANSWERS.has(status)) return
  throw transport.refusal(incoming)
}

/** Statuses of what stands before the server, whatever the body is: a credential or a moment may change them. */
const NEVER_ANSWERS = new Set([401, 403, 429])

export const header = ({ headers }: Pick<Incoming, 'headers'>, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'object' ? value[0] : value
}

/** The reader of a server's text: secrets that the server was sent are masked before anything else. */
type Reader = Pick<Transport, 'alias' | 'hide'>

/** One message out of a text; of several, the first response. Throws `upstream.malformed` when it is none. */
export function readAs(reader: Reader, text: string): Message {
  const messages = readAllAs(reader, text)
  const message = messages.length === 1 ? messages[0] : messages.find(isResponse)
  if (message === undefined) throw malformedUpstream(reader.alias, 'it contains no response')
  return message
}

/** The strict reader comes first: a message in order costs nothing more. Throws `request.shape`. */
export function readMessages(value: Json): Message[] {
  try {
    return [readMessage(value)]
  } catch {
    return readBatch(value)
  }
}

/** The messages of a text. Throws `upstream.malformed` when it is none. */
export function readAllAs({ alias, hide }: Reader, text: string): Message[] {
  try {
    return readMessages(parseJson(hide?.(text) ?? text))
  } catch (thrown) {
    throw new Fault('upstream.malformed', { connection: alias, problem: problemOf(thrown) }, { cause: thrown })
  }
}

/**
 * The messages of an event. Heartbeats and texts in place of a message are passed over, since the server may still answer: `onOdd` is
 * told why. Throws where it is the awaited response that cannot be read.
 */
export function readEvent(
  reader: Reader,
  text: string,
  until: Id | undefined,
  onOdd: (problem: string) => void,
): Message[] {
  try {
    return readAllAs(reader, text)
  } catch (thrown) {
    if (until !== undefined && isSameId(idIn(text, until), until)) throw thrown
    onOdd(thrown instanceof Fault ? String(thrown.facts['problem']) : 'not a message')
    return []
  }
}

/** A broken text that speaks JSON-RPC is the awaited message, whatever its id is: nothing better will come. */
function idIn(text: string, until: Id): Id | undefined {
  try {
    return idOf(parseJson(text))
  } catch {
    return /"jsonrpc"\s*:/.test(text) ? until : undefined
  }
}

/**
 * Returns the awaited response from a stream of messages; the others go to `onMessage`. Messages after the response are not read.
 */
export async function hearUntil(
  peer: Reader,
  texts: AsyncIterable<string>,
  { until, onMessage }: Pick<Outgoing, 'until' | 'onMessage'>,
): Promise<Response | undefined> {
  for await (const text of texts) {
    for (const message of readEvent(peer, text, until, () => {})) {
      const ends =
        until !== undefined && isResponse(message) && (isSameId(message.id, until) || message.id === undefined)
      if (ends) return message
      onMessage?.(message)
    }
  }
  return undefined
}

/** Types are compared without regard to case and parameters (RFC 9110, section 8.3.1). */
export const isStreamType = (type: string | undefined): boolean =>
  type !== undefined && /^\s*text\/event-stream\s*(;|$)/i.test(type)
const isJsonType = (type: string | undefined): boolean => type !== undefined && /json/i.test(type)

function problemOf(thrown: unknown): string {
  if (!(thrown instanceof Fault)) return 'not a message'
  return thrown.code === 'request.not-json' ? `its response is not JSON: ${thrown.facts['problem']}` : thrown.message
}
