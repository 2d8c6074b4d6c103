/** Requests of clients without MCP as `tools/list` and `tools/call`, and their results as JSON. */
import { Fault } from '@toolway/contract'
import { isObject, type HeaderReader, type JsonObject, type Request } from '@toolway/protocol'
import { isModern, readLegacy, readModern } from '../../call/dispatch.ts'
import { VERSION } from '../../call/introduce.ts'
import { headerOf } from '../request-head.ts'
import {
  askedOf,
  bareArguments,
  bodyOf,
  CALL,
  callTool,
  answerVisit,
  LIST,
  listAll,
  restArguments,
  resultOf,
  takesArguments,
  latestLegacyHeader,
  type Served,
  type ServeParts,
  type ToolExchange,
} from './ask-tools.ts'
import { serveApps } from './serve-apps.ts'
import { resultOnce } from './result-once.ts'
import { toolsDocumentOf } from './tools-document.ts'

/** The answer to one request. Throws the faults of the request, and of a call before its tool is known. */
export async function serve(parts: ServeParts, exchange: ToolExchange): Promise<Served> {
  const apps = serveApps(exchange.address.way)
  return apps === undefined ? { body: await serveTools(parts, exchange) } : apps(parts, exchange)
}

async function serveTools(parts: ServeParts, exchange: ToolExchange): Promise<JsonObject> {
  const { address, requestContext } = exchange
  const { way } = address
  if (way === 'openapi') {
    const root = address.base === ''
    return toolsDocumentOf({
      tools: await listAll(parts, exchange),
      base: address.base,
      version: VERSION,
      flat: parts.flat || !root,
    })
  }
  if (way === 'rest list') return { tools: await listAll(parts, exchange) }
  if (way === 'functions list') return functionsOf(await listAll(parts, exchange))
  const body = await bodyOf(parts, exchange)
  if (way === 'mcp list' || way === 'mcp call') return ask(parts, exchange, way === 'mcp list' ? LIST : CALL, body)
  const name = address.name ?? ''
  const value = way === 'rest call' ? restArguments(body) : bareArguments(body, takesArguments(requestContext, name))
  return resultOnce(await callTool(parts, exchange, name, value))
}

/** MCP's own method at an address of its own: as a request, or as its params alone. */
async function ask(parts: ServeParts, exchange: ToolExchange, method: string, body: JsonObject): Promise<JsonObject> {
  if (body['jsonrpc'] === undefined) return resultOf(await answerVisit(parts, exchange, askedOf(method, body)))
  const { id, params = {}, method: named = method } = body
  if (named !== method) throw new Fault('body.shape', { place: '/method', problem: `must be ${method} here` })
  if ((typeof id !== 'string' && typeof id !== 'number') || !isObject(params))
    throw new Fault('body.shape', { place: '/id', problem: 'must be a string or a number, next to params' })
  const request: Request = { jsonrpc: '2.0', id, method, params }
  const reader = headerOf(exchange.request)
  const header: HeaderReader = (name) => reader(name) ?? latestLegacyHeader(name)
  const mcpRequest = isModern(request, header) ? readModern(request, undefined) : readLegacy(request, undefined, header)
  const answer = await answerVisit(parts, exchange, mcpRequest)
  return { jsonrpc: '2.0', id, ...('error' in answer ? { error: { ...answer.error } } : { result: answer.result }) }
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
