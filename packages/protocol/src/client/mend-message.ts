/**
 * Reads messages of servers that are nearly JSON-RPC: `null` where a member should be absent, a missing `jsonrpc`, an error that is a
 * text, a batch of messages.
 *
 * It mends only what has one meaning, and only after the strict reader has refused the message: a message in order costs nothing more.
 * Requests of clients are never read here.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { readMessage, type Message } from '../message.ts'

/** JSON-RPC 2.0, section 5.1: a server's own error, where it names no code. */
const SERVER_ERROR = -32000
/** Members that mean the same whether they are null or absent. */
const ABSENT_IF_NULL = ['method', 'params', 'id', 'error', 'result'] as const

/** One message. Throws `request.shape`, as the strict reader does. */
export function readLoosely(value: Json): Message {
  try {
    return readMessage(value)
  } catch (thrown) {
    const mended = mendMessage(value)
    if (mended === undefined) throw thrown
    return readMessage(mended)
  }
}

/** All messages of a text: servers of revision 2025-03-26 may send several at once. Throws for the first that is none. */
export const readBatch = (value: Json): Message[] =>
  Array.isArray(value) ? value.map(readLoosely) : [readLoosely(value)]

function mendMessage(value: Json): JsonObject | undefined {
  // `{"error":"Not found"}` is the answer of some other interface, or of what stands before the server.
  if (!isObject(value) || (value['jsonrpc'] === undefined && value['id'] === undefined)) return undefined
  const mended: JsonObject = { ...value }
  const isResponse = value['method'] === undefined || value['method'] === null
  const hadResult = 'result' in value
  for (const name of ABSENT_IF_NULL) if (mended[name] === null) delete mended[name]
  if (mended['jsonrpc'] === undefined || Number(mended['jsonrpc']) === 2) mended['jsonrpc'] = '2.0'
  if (isResponse) return mendResponse(mended, hadResult)
  const { params } = mended
  if (Array.isArray(params) && params.length === 0) delete mended['params']
  if (isObject(params) && params['_meta'] === null) {
    const { _meta: _, ...others } = params
    mended['params'] = others
  }
  return mended
}

/** An empty result may be said by null; an error without a code or a message is an error all the same. */
function mendResponse(mended: JsonObject, hadResult: boolean): JsonObject {
  const { error } = mended
  if (error === undefined) {
    if (hadResult && mended['result'] === undefined) mended['result'] = {}
    return mended
  }
  if (typeof error === 'string') mended['error'] = { code: SERVER_ERROR, message: error }
  if (!isObject(error)) return mended
  const code = Number(error['code'] ?? SERVER_ERROR)
  const message = typeof error['message'] === 'string' ? error['message'] : ''
  mended['error'] = { ...error, code: Number.isInteger(code) ? code : SERVER_ERROR, message }
  return mended
}
