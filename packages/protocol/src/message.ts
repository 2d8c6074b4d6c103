/**
 * A JSON-RPC 2.0 message as MCP uses it, and the check that a value is one (https://www.jsonrpc.org/specification).
 *
 * Strict on what is routed on (jsonrpc, id, method, the shape of params), tolerant on everything that is passed through:
 * unknown fields stay where they are, and `params` or `_meta` that are null are absent. Ids may be any string, the empty one too, and any integer, 0 too; never null, and
 * never beyond 53 bits, where the answer would carry another number than the question.
 */
import { Fault } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from './json.ts'

export type Id = string | number

export interface Request {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly method: string
  readonly params?: JsonObject
}
export interface Notification {
  readonly jsonrpc: '2.0'
  readonly method: string
  readonly params?: JsonObject
}
export interface Success {
  readonly jsonrpc: '2.0'
  readonly id: Id
  readonly result: JsonObject
}
export interface ErrorBody {
  readonly code: number
  readonly message: string
  readonly data?: Json
}
export interface Failure {
  readonly jsonrpc: '2.0'
  /** Absent when the request could not be read far enough to know its id. */
  readonly id?: Id
  readonly error: ErrorBody
}
export type Response = Success | Failure
export type Message = Request | Notification | Response

export const isRequest = (message: Message): message is Request => 'method' in message && 'id' in message
export const isNotification = (message: Message): message is Notification => 'method' in message && !('id' in message)
export const isResponse = (message: Message): message is Response => !('method' in message)
export const isFailure = (response: Response): response is Failure => 'error' in response

/** The response that carries the answer to a request. */
export const responseOf = (
  { id }: Request,
  answer: Pick<Success, 'result'> | Required<Pick<Failure, 'error'>>,
): Response =>
  'error' in answer ? { jsonrpc: '2.0', id, error: answer.error } : { jsonrpc: '2.0', id, result: answer.result }

const isId = (value: unknown): value is Id => typeof value === 'string' || Number.isSafeInteger(value)
const ID_PROBLEM = 'must be a string or an integer of at most 53 bits'
const refuse = (place: string, problem: string) => new Fault('request.shape', { place, problem })

/** Check one value, or throw `request.shape` with the place (`/method`) and the problem. */
export function readMessage(value: unknown): Message {
  if (!isObject(value)) throw refuse('the body', 'must be an object')
  if (value['jsonrpc'] !== '2.0') throw refuse('/jsonrpc', 'must be "2.0"')
  const isCall = Object.hasOwn(value, 'method')
  const members = Number(isCall) + Number(Object.hasOwn(value, 'result')) + Number(Object.hasOwn(value, 'error'))
  if (members !== 1) throw refuse('the body', 'must have a method, a result or an error')
  return isCall ? readCall(value) : readResponse(value)
}

function readCall(value: JsonObject): Request | Notification {
  if ('id' in value && !isId(value['id'])) throw refuse('/id', ID_PROBLEM)
  if (typeof value['method'] !== 'string' || value['method'] === '')
    throw refuse('/method', 'must be a non-empty string')
  const { params } = value
  if (params === null || (isObject(params) && params['_meta'] === null)) return readCall(withoutNull(value))
  if (params !== undefined && !isObject(params)) throw refuse('/params', 'must be an object')
  const meta = params?.['_meta']
  if (meta !== undefined && !isObject(meta)) throw refuse('/params/_meta', 'must be an object')
  return value as unknown as Request | Notification
}

/** Programs whose types know no absent member write null: both members are optional, and it can mean nothing else. */
function withoutNull({ params, ...call }: JsonObject): JsonObject {
  if (!isObject(params)) return call
  const { _meta: _, ...others } = params
  return { ...call, params: others }
}

function readResponse(value: JsonObject): Response {
  if ('error' in value) {
    const error = value['error']
    if (!isObject(error) || !Number.isInteger(error['code'])) throw refuse('/error/code', 'must be an integer')
    if (typeof error['message'] !== 'string') throw refuse('/error/message', 'must be a string')
    // Servers in the field send `id: null` with an error that they could not attribute.
    if (!isId(value['id'])) return { jsonrpc: '2.0', error: error as unknown as ErrorBody }
  } else {
    if (!isId(value['id'])) throw refuse('/id', ID_PROBLEM)
    if (!isObject(value['result'])) throw refuse('/result', 'must be an object')
  }
  return value as unknown as Response
}

/** The id of whatever arrived, as far as it can be read: an answer to a broken request still carries it. */
export const idOf = (value: unknown): Id | undefined => (isObject(value) && isId(value['id']) ? value['id'] : undefined)

/** `params._meta`, or an empty object. */
export function metaOf(params: JsonObject | undefined): JsonObject {
  const meta = params?.['_meta']
  return isObject(meta) ? meta : {}
}

/** The progress token that the client chose, if it wants progress. */
export function progressTokenOf(params: JsonObject): Id | undefined {
  const meta = params['_meta'] as JsonObject | undefined
  const token = meta?.['progressToken']
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}
