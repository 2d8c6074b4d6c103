/**
 * What the addresses of tools share: reading a body, asking the dispatcher for `tools/list` and `tools/call` as an MCP client would,
 * and its answer as a result.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import {
  isObject,
  NEWEST_LEGACY,
  parseJson,
  withTrace,
  type HeaderReader,
  type Json,
  type JsonObject,
  type McpRequest,
} from '@toolway/protocol'
import type { Admit } from '../../call/admit.ts'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import { readLegacy, type RequestDispatcher } from '../../call/dispatch.ts'
import type { CallCredentials } from '../../snapshot/ports/credentials.ts'
import type { Inbound } from '../../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import { arrivedSlowly, readBody, textOf } from '../body.ts'
import { createRequestChannel } from '../mcp/request-channel.ts'
import type { Reply } from '../mcp/reply.ts'
import { headerOf, isJsonType } from '../request-head.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'
import type { ToolAddress } from './tool-addresses.ts'

export interface ServeParts {
  readonly admit: Admit
  readonly dispatcher: RequestDispatcher
  /** Bytes that a body may have. */
  readonly bodyLimit: number
  readonly calls: Pick<CallsUnderWay, 'add'>
  /** Whether the root takes names of tools. */
  readonly flat: boolean
  /** The accounts of callers; undefined where no credentials are kept. */
  readonly credentials: Pick<CallCredentials, 'accountsOf'> | undefined
}

/** One request on its way. */
export interface ToolExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly address: ToolAddress
  readonly requestContext: RequestContext
  readonly inbound: Inbound
  readonly audit: AuditEntryBuilder
  /** Takes messages before the answer, where the client wants a stream. */
  readonly reply: Pick<Reply, 'send' | 'streams'>
}

/** The answer to a request; the status is 200 unless it says otherwise. */
export interface Served {
  readonly body: JsonObject | readonly Json[] | undefined
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export const LIST = 'tools/list'
export const CALL = 'tools/call'
/** More pages than any endpoint has. */
const MOST_PAGES = 200

/** The body as an object; the caller is admitted again where the body came slowly. */
export async function bodyOf(parts: ServeParts, { request, audit, inbound }: ToolExchange): Promise<JsonObject> {
  const body = await readBody(request, parts.bodyLimit)
  audit.note({ bytesIn: body.length })
  const value = body.length === 0 ? {} : readJson(request, textOf(body))
  if (arrivedSlowly(audit.begun)) await parts.admit(inbound)
  return value
}

function readJson(request: IncomingMessage, text: string): JsonObject {
  if (!isJsonType(request.headers['content-type'])) throw new Fault('request.media-type')
  const value = parseJson(text)
  if (!isObject(value)) throw new Fault('body.shape', { place: '/', problem: 'must be an object' })
  return value
}

export async function listAll(parts: ServeParts, exchange: ToolExchange): Promise<JsonObject[]> {
  const tools: JsonObject[] = []
  let cursor: Json | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = resultOf(await answerVisit(parts, exchange, askedOf(LIST, cursor === undefined ? {} : { cursor })))
    if (Array.isArray(result['tools'])) tools.push(...result['tools'].filter(isObject))
    cursor = result['nextCursor']
    if (cursor === undefined) break
  }
  return tools
}

/** The result of a call; its progress goes out before it where the client takes a stream. */
export async function callTool(
  parts: ServeParts,
  exchange: ToolExchange,
  name: string,
  value: Json,
): Promise<JsonObject> {
  const meta = exchange.reply.streams ? { _meta: { progressToken: exchange.audit.correlationId } } : {}
  return resultOf(await answerVisit(parts, exchange, askedOf(CALL, { name, arguments: value, ...meta })))
}

export async function answerVisit(
  parts: ServeParts,
  { request, requestContext, response, reply, audit }: ToolExchange,
  asking: McpRequest,
) {
  const mcpRequest = { ...asking, params: withTrace(asking.params, headerOf(request)) }
  const channel = createRequestChannel({
    mcpRequest,
    session: undefined,
    header: undefined,
    reply,
    audit,
    calls: parts.calls,
  })
  const cancelCall = () => channel.cancel(new Fault('call.cancelled'))
  response.once('close', cancelCall)
  try {
    const answer = await parts.dispatcher.dispatch({ requestContext, mcpRequest, channel, audit })
    if ('error' in answer) audit.note({ outcome: 'failed' })
    return answer
  } finally {
    response.removeListener('close', cancelCall)
    channel.done()
  }
}

/** Nothing is known of who asks but its key. */
export const askedOf = (method: string, params: JsonObject): McpRequest =>
  readLegacy({ jsonrpc: '2.0', id: 1, method, params }, undefined, latestLegacyHeader)

/** A request without a revision gets the newest legacy revision, for all features available without a session. */
export const latestLegacyHeader: HeaderReader = (name) => (name === 'mcp-protocol-version' ? NEWEST_LEGACY : undefined)

/** An error that a server gave is its own word, and no result. */
export function resultOf(answer: Awaited<ReturnType<RequestDispatcher['dispatch']>>): JsonObject {
  if (!('error' in answer)) return answer.result
  const { code, message } = answer.error
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { 'dev.toolway/error': { code, message } },
  }
}

/**
 * The arguments at the address of a tool: the body, or its only member `arguments`. For a tool that has a parameter of that name
 * (`own`) the body is always the arguments.
 */
export function bareArguments(body: JsonObject, own: boolean): Json {
  const { arguments: wrapped } = body
  return isObject(wrapped) && Object.keys(body).length === 1 && !own ? wrapped : body
}

/**
 * The arguments below `/rest/tools`: those under `arguments` as MCP has them, whatever stands beside them, or the body where it has no
 * such member. A tool with a parameter `arguments` that takes an object has to be called in the first form.
 */
export function restArguments(body: JsonObject): Json {
  const { arguments: wrapped } = body
  if (wrapped === null) return {}
  return isObject(wrapped) ? wrapped : body
}

/** Whether a tool has a parameter of that very name: then nothing is taken out of it. */
export function takesArguments({ toolListing }: RequestContext, name: string): boolean {
  const definition = toolListing.list('tools', NEWEST_LEGACY).find((value) => value['name'] === name)
  const schema = definition?.['inputSchema']
  return isObject(schema) && isObject(schema['properties']) && Object.hasOwn(schema['properties'], 'arguments')
}
