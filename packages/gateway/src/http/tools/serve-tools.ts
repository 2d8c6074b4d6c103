/** Requests of clients without MCP as `tools/list` and `tools/call`, and their results as JSON. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import {
  isObject,
  NEWEST_LEGACY,
  parseJson,
  type McpRequest,
  type HeaderReader,
  type Json,
  type JsonObject,
  type Request,
} from '@toolway/protocol'
import type { Admit } from '../../call/admit.ts'
import { isModern, readLegacy, readModern, type Entrance } from '../../call/enter.ts'
import { VERSION } from '../../call/introduce.ts'
import type { Inbound, RequestContext } from '../../call/ports.ts'
import type { AuditEntryBuilder } from '../../call/audit-entry.ts'
import { cameSlowly, readBody, textOf } from '../body.ts'
import { createClientLine } from '../mcp/client-line.ts'
import { headerOf, isJsonType } from '../request-head.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'
import type { ToolAddress } from './tool-addresses.ts'
import { toolsDocumentOf } from './tools-document.ts'

export interface ServeParts {
  readonly admit: Admit
  readonly entrance: Entrance
  /** Bytes that a body may have. */
  readonly bodyLimit: number
  readonly calls: Pick<CallsUnderWay, 'hold'>
  /** Whether the root takes names of tools. */
  readonly flat: boolean
}

/** One request on its way. */
export interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly address: ToolAddress
  readonly requestContext: RequestContext
  readonly audit: AuditEntryBuilder
}

export const LIST = 'tools/list'
export const CALL = 'tools/call'
/** More pages than any endpoint has. */
const MOST_PAGES = 200

/** The answer to one request, as an object for JSON. Throws the faults of the request, and of a call before its tool is known. */
export async function serve(parts: ServeParts, visit: Visit, inbound: Inbound): Promise<JsonObject> {
  const { address, request, requestContext, audit } = visit
  const { way } = address
  if (way === 'openapi') {
    const root = address.base === ''
    return toolsDocumentOf({
      tools: await listAll(parts, visit),
      base: address.base,
      version: VERSION,
      flat: parts.flat || !root,
    })
  }
  if (way === 'rest list') return { tools: await listAll(parts, visit) }
  if (way === 'functions list') return functionsOf(await listAll(parts, visit))
  const body = await bodyOf(parts, request, audit)
  if (cameSlowly(audit.begun)) await parts.admit(inbound)
  if (way === 'mcp list' || way === 'mcp call') return ask(parts, visit, way === 'mcp list' ? LIST : CALL, body)
  const name = address.tool ?? ''
  const given = argumentsIn(body, way !== 'rest call', takesArguments(requestContext, name))
  return resultOf(await enter(parts, visit, askedOf(CALL, { name, arguments: given })))
}

async function bodyOf(parts: ServeParts, request: IncomingMessage, audit: AuditEntryBuilder): Promise<JsonObject> {
  const body = await readBody(request, parts.bodyLimit)
  audit.note({ bytesIn: body.length })
  if (body.length === 0) return {}
  if (!isJsonType(request.headers['content-type'])) throw new Fault('request.media-type')
  const value = parseJson(textOf(body))
  if (!isObject(value)) throw new Fault('body.shape', { place: '/', problem: 'must be an object' })
  return value
}

/** MCP's own method at an address of its own: as a request, or as its params alone. */
async function ask(parts: ServeParts, visit: Visit, method: string, body: JsonObject): Promise<JsonObject> {
  if (body['jsonrpc'] === undefined) return resultOf(await enter(parts, visit, askedOf(method, body)))
  const { id, params = {}, method: named = method } = body
  if (named !== method) throw new Fault('body.shape', { place: '/method', problem: `must be ${method} here` })
  if ((typeof id !== 'string' && typeof id !== 'number') || !isObject(params))
    throw new Fault('body.shape', { place: '/id', problem: 'must be a text or a number, beside params' })
  const request: Request = { jsonrpc: '2.0', id, method, params }
  const said = headerOf(visit.request)
  const header: HeaderReader = (name) => said(name) ?? unstated(name)
  const mcpRequest = isModern(request, header) ? readModern(request, undefined) : readLegacy(request, undefined, header)
  const answer = await enter(parts, visit, mcpRequest)
  return { jsonrpc: '2.0', id, ...('error' in answer ? { error: { ...answer.error } } : { result: answer.result }) }
}

async function listAll(parts: ServeParts, visit: Visit): Promise<JsonObject[]> {
  const tools: JsonObject[] = []
  let cursor: Json | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const result = resultOf(await enter(parts, visit, askedOf(LIST, cursor === undefined ? {} : { cursor })))
    if (Array.isArray(result['tools'])) tools.push(...result['tools'].filter(isObject))
    cursor = result['nextCursor']
    if (cursor === undefined) break
  }
  return tools
}

async function enter(parts: ServeParts, { requestContext, response, audit }: Visit, mcpRequest: McpRequest) {
  const reply = { send: () => false, streams: false }
  const line = createClientLine({ mcpRequest, session: undefined, header: undefined, reply, audit, calls: parts.calls })
  const leave = () => line.cancel(new Fault('call.cancelled'))
  response.once('close', leave)
  try {
    const answer = await parts.entrance.enter({ requestContext, mcpRequest, channel: line, audit })
    if ('error' in answer) audit.note({ outcome: 'failed' })
    return answer
  } finally {
    response.removeListener('close', leave)
    line.done()
  }
}

/** Nothing is known of who asks but its key. */
const askedOf = (method: string, params: JsonObject): McpRequest =>
  readLegacy({ jsonrpc: '2.0', id: 1, method, params }, undefined, unstated)

/** A request without a revision gets the newest legacy revision, for all features available without a session. */
const unstated: HeaderReader = (name) => (name === 'mcp-protocol-version' ? NEWEST_LEGACY : undefined)

/** An error that a server gave is its own word, and no result. */
function resultOf(answer: Awaited<ReturnType<Entrance['enter']>>): JsonObject {
  if (!('error' in answer)) return answer.result
  const { code, message } = answer.error
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { 'dev.toolway/error': { code, message } },
  }
}

/** Whether a tool has a parameter of that very name: then nothing is taken out of it. */
function takesArguments({ toolListing }: RequestContext, name: string): boolean {
  const definition = toolListing.list('tools', NEWEST_LEGACY).find((one) => one['name'] === name)
  const schema = definition?.['inputSchema']
  return isObject(schema) && isObject(schema['properties']) && Object.hasOwn(schema['properties'], 'arguments')
}

/** The arguments, as they are or under `arguments` as MCP has them. */
function argumentsIn(body: JsonObject, bare: boolean, own: boolean): Json {
  const { arguments: wrapped } = body
  if (!bare) return wrapped ?? {}
  return isObject(wrapped) && Object.keys(body).length === 1 && !own ? wrapped : body
}

/** As chat interfaces take functions. */
const functionsOf = (tools: readonly JsonObject[]): JsonObject => ({
  tools: tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: {
      name: name ?? '',
      ...(description === undefined ? {} : { description }),
      parameters: inputSchema ?? { type: 'object', properties: {} },
    },
  })),
  total: tools.length,
})
