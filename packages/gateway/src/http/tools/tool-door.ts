/**
 * Tools for clients that speak no MCP: each request becomes `tools/list` or `tools/call` and takes the same road as any other
 * (`call/enter.ts`), with the same key, view, rules, limits and record (ledger U-10). Here it is only worded.
 *
 * A result is answered with 200, also where the tool failed, so that a model reads why; what is refused is problem+json. Where the
 * reason is a server that takes no more requests for now, `Retry-After` says when to call again.
 */
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
import type { AuditEntryBuilder, AuditLog } from '../../call/audit-entry.ts'
import type { Limits } from '../../limits/limits.ts'
import { cameSlowly, readBody, textOf } from '../body.ts'
import type { Clients } from '../client-address.ts'
import { countUnknown } from '../count-unknown.ts'
import { createClientLine } from '../mcp/client-line.ts'
import type { Challenge } from '../oauth/challenge.ts'
import { correlationOf, fromOf, headerOf, isJsonType, onBehalfIn } from '../request-head.ts'
import { problemAnswer, retryAfterOf } from '../say-fault.ts'
import type { CallsUnderWay } from '../streams/calls-under-way.ts'
import { cutUnread } from '../streams/unread.ts'
import { toolAddressOf, type ToolAddress } from './tool-addresses.ts'
import { toolsDocumentOf } from './tools-document.ts'

export interface ToolDoorParts {
  readonly admit: Admit
  readonly entrance: Entrance
  readonly auditLog: AuditLog
  readonly clients: Clients
  readonly limits: Pick<Limits, 'unknown'>
  readonly challenge: Challenge
  /** Bytes that a body may have. */
  readonly bodyLimit: number
  /** Aborted when the gateway drains. */
  readonly draining: AbortSignal
  readonly calls: Pick<CallsUnderWay, 'hold'>
  /** Whether the root takes names of tools. */
  readonly flat: boolean
  /** The key whose tools the document at the root shows to whoever brings none; undefined: to nobody. */
  readonly publicKey: string | undefined
}

export interface ToolDoor {
  addressOf(path: string): ToolAddress | undefined
  answer(request: IncomingMessage, response: ServerResponse, address: ToolAddress): Promise<void>
}

/** One request on its way. */
interface Visit {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly address: ToolAddress
  readonly requestContext: RequestContext
  readonly audit: AuditEntryBuilder
}

const LIST = 'tools/list'
const CALL = 'tools/call'
/** More pages than any endpoint has. */
const MOST_PAGES = 200

export function createToolDoor(parts: ToolDoorParts): ToolDoor {
  const { admit, entrance, auditLog, clients, limits, challenge, bodyLimit, draining, calls, flat, publicKey } = parts

  async function serve(visit: Visit, inbound: Inbound): Promise<JsonObject> {
    const { address, request, requestContext, audit } = visit
    const { way } = address
    if (way === 'openapi') {
      const root = address.base === ''
      return toolsDocumentOf({ tools: await listAll(visit), base: address.base, version: VERSION, flat: flat || !root })
    }
    if (way === 'rest list') return { tools: await listAll(visit) }
    if (way === 'functions list') return functionsOf(await listAll(visit))
    const body = await bodyOf(request, audit)
    if (cameSlowly(audit.begun)) await admit(inbound)
    if (way === 'mcp list' || way === 'mcp call') return ask(visit, way === 'mcp list' ? LIST : CALL, body)
    const name = address.tool ?? ''
    const given = argumentsIn(body, way !== 'rest call', takesArguments(requestContext, name))
    return resultOf(await enter(visit, askedOf(CALL, { name, arguments: given })))
  }

  async function bodyOf(request: IncomingMessage, audit: AuditEntryBuilder): Promise<JsonObject> {
    const body = await readBody(request, bodyLimit)
    audit.note({ bytesIn: body.length })
    if (body.length === 0) return {}
    if (!isJsonType(request.headers['content-type'])) throw new Fault('request.media-type')
    const value = parseJson(textOf(body))
    if (!isObject(value)) throw new Fault('body.shape', { place: '/', problem: 'must be an object' })
    return value
  }

  /** MCP's own method at an address of its own: as a request, or as its params alone. */
  async function ask(visit: Visit, method: string, body: JsonObject): Promise<JsonObject> {
    if (body['jsonrpc'] === undefined) return resultOf(await enter(visit, askedOf(method, body)))
    const { id, params = {}, method: named = method } = body
    if (named !== method) throw new Fault('body.shape', { place: '/method', problem: `must be ${method} here` })
    if ((typeof id !== 'string' && typeof id !== 'number') || !isObject(params))
      throw new Fault('body.shape', { place: '/id', problem: 'must be a text or a number, beside params' })
    const request: Request = { jsonrpc: '2.0', id, method, params }
    const said = headerOf(visit.request)
    const header: HeaderReader = (name) => said(name) ?? unstated(name)
    const mcpRequest = isModern(request, header)
      ? readModern(request, undefined)
      : readLegacy(request, undefined, header)
    const answer = await enter(visit, mcpRequest)
    return { jsonrpc: '2.0', id, ...('error' in answer ? { error: { ...answer.error } } : { result: answer.result }) }
  }

  async function listAll(visit: Visit): Promise<JsonObject[]> {
    const tools: JsonObject[] = []
    let cursor: Json | undefined
    for (let page = 0; page < MOST_PAGES; page++) {
      const result = resultOf(await enter(visit, askedOf(LIST, cursor === undefined ? {} : { cursor })))
      if (Array.isArray(result['tools'])) tools.push(...result['tools'].filter(isObject))
      cursor = result['nextCursor']
      if (cursor === undefined) break
    }
    return tools
  }

  async function enter({ requestContext, response, audit }: Visit, mcpRequest: McpRequest) {
    const reply = { send: () => false, streams: false }
    const line = createClientLine({ mcpRequest, session: undefined, header: undefined, reply, audit, calls })
    const leave = () => line.cancel(new Fault('call.cancelled'))
    response.once('close', leave)
    try {
      const answer = await entrance.enter({ requestContext, mcpRequest, channel: line, audit })
      if ('error' in answer) audit.note({ outcome: 'failed' })
      return answer
    } finally {
      response.removeListener('close', leave)
      line.done()
    }
  }

  async function receive(
    request: IncomingMessage,
    response: ServerResponse,
    address: ToolAddress,
    audit: AuditEntryBuilder,
  ) {
    if (draining.aborted) throw new Fault('gateway.draining')
    audit.note({ method: address.method === 'GET' || address.way === 'mcp list' ? LIST : CALL })
    if (request.method !== address.method && !(request.method === 'HEAD' && address.method === 'GET'))
      throw new Fault('request.method', { method: request.method ?? '?', allowed: address.method })
    const { authorization = isPublic(address) ? `Bearer ${publicKey}` : undefined } = request.headers
    const inbound: Inbound = { place: address.place, authorization, onBehalfOf: onBehalfIn(request) }
    const requestContext = await admit(inbound)
    audit.note({ requestContext })
    const given = await serve({ request, response, address, requestContext, audit }, inbound)
    audit.note({ bytesOut: say(response, 200, 'application/json', given, laterIn(audit)) })
  }

  const isPublic = ({ way, base }: ToolAddress) => publicKey !== undefined && way === 'openapi' && base === ''

  async function answerOne(request: IncomingMessage, response: ServerResponse, address: ToolAddress): Promise<void> {
    const audit = auditLog.begin(0, correlationOf(request), fromOf(request, clients))
    response.setHeader('x-correlation-id', audit.correlationId)
    try {
      await receive(request, response, address, audit)
    } catch (thrown) {
      const fault = audit.fail(await countUnknown(thrown, limits))
      const challenged = challenge(fault, request)
      const answer = problemAnswer(fault, audit.correlationId)
      const headers = {
        ...answer.headers,
        ...(challenged === undefined ? {} : { 'www-authenticate': challenged }),
        ...(fault.code === 'request.method' ? { allow: String(fault.facts['allowed']) } : {}),
      }
      audit.note({ bytesOut: say(response, answer.status, answer.type, answer.problem, headers) })
    } finally {
      audit.close()
    }
  }

  return { addressOf: (path) => toolAddressOf(path, flat), answer: answerOne }
}

/** When a call that was answered with a fault may be made again, for clients that read the header (RFC 9110, section 10.2.3). */
function laterIn({ facts: { fault } }: AuditEntryBuilder): Readonly<Record<string, string>> {
  const seconds = fault === undefined ? undefined : retryAfterOf(fault)
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

function say(
  response: ServerResponse,
  status: number,
  type: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): number {
  if (response.destroyed || response.headersSent) return 0
  const text = JSON.stringify(body)
  const size = Buffer.byteLength(text)
  response
    .writeHead(status, {
      'content-type': type,
      'content-length': size,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(text)
  cutUnread(response)
  return size
}

/** Nothing is known of who asks but its key. */
const askedOf = (method: string, params: JsonObject): McpRequest =>
  readLegacy({ jsonrpc: '2.0', id: 1, method, params }, undefined, unstated)

/** Who says no revision gets all that there is to be had without a session. */
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
function takesArguments({ view }: RequestContext, name: string): boolean {
  const definition = view.list('tools', NEWEST_LEGACY).find((one) => one['name'] === name)
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
