/**
 * A server's response as an answer to the one request that it belongs to, and the faults of a response that is none.
 *
 * An error of the server is an answer. The error to a greeting is told apart from an answer that is no MCP, because a wrong
 * token or a missing network must not look like a wrong address.
 */
import { Fault } from '@toolway/contract'
import type { JsonObject } from '../json.ts'
import { isFailure, isResponse, type ErrorBody, type Id, type Message } from '../message.ts'
import type { Answer } from './request.ts'
import { header, readAs, type Incoming, type Peer, type Transport } from './transport.ts'

export const malformed = (connection: string, problem: string, cause?: unknown): Fault =>
  new Fault('upstream.malformed', { connection, problem }, { cause })

export const lost = (connection: string, cause?: unknown): Fault =>
  new Fault('upstream.lost', { connection }, { cause })

/** An error that the server could not attribute belongs to the only request of its exchange. */
export function answerOf(peer: Peer, id: Id, message: Message): Answer {
  if (!isResponse(message) || (message.id !== id && !(isFailure(message) && message.id === undefined)))
    throw malformed(peer.alias, 'its answer is for another request')
  return isFailure(message)
    ? { error: maskedError(peer, message.error) }
    : { result: maskedResult(peer, message.result) }
}

/** Whether a body is the answer to this very request: its server has processed it then. */
export function answers(peer: Peer, text: string, id: Id): boolean {
  try {
    const message = readAs(peer, text)
    return isResponse(message) && message.id === id
  } catch {
    return false
  }
}

/** An error in the server's own words, as it may be told and logged. */
export const maskedError = (peer: Pick<Peer, 'mask'>, error: ErrorBody): ErrorBody => masked(peer, error)

/** The same for a tool that failed: its server's complaint is for the model, and may repeat what it was asked with. */
export const maskedResult = (peer: Pick<Peer, 'mask'>, result: JsonObject): JsonObject =>
  result['isError'] === true ? masked(peer, result) : result

const masked = <T extends object>(peer: Pick<Peer, 'mask'>, said: T): T =>
  JSON.parse(JSON.stringify(said), (_, value: unknown) => (typeof value === 'string' ? peer.mask(value) : value)) as T

/** A server's own words, as far as a reason needs them. */
export const excerpt = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

export const errorAnswer = (connection: string, method: string, error: { readonly message: string }): Fault =>
  new Fault('upstream.error', { connection, problem: `${method}: ${excerpt(error.message)}` })

/** Whether a greeting was refused, by an error or by what is no answer to it: another era may be understood. */
export const isGreetingRefused = (thrown: unknown): thrown is Fault =>
  thrown instanceof Fault && (thrown.code === 'upstream.error' || thrown.code === 'upstream.malformed')

/** Passes 2xx and 4xx with a JSON-RPC body; throws the transport's refusal for every other status. */
export function refuseStatus(transport: Transport, incoming: Incoming): void {
  const { status } = incoming
  if (status < 300) return
  const carriesMessage = header(incoming, 'content-type')?.includes('json') === true && status >= 400 && status < 500
  if (carriesMessage && !NEVER_ANSWERS.has(status)) return
  throw transport.refusal(incoming)
}

/** Statuses of what stands before the server, whatever the body is: a credential or a moment may change them. */
const NEVER_ANSWERS = new Set([401, 403, 429])
