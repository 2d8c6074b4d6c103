/**
 * A call as the list of an endpoint invites to it: of a tool by its own name, or of a tool of ours that finds, describes or calls
 * another one.
 *
 * What is called through one of ours goes the whole way of a call under its own name: view, rules, limit, record, scope and
 * approval are the inner tool's, and so are its progress, its questions and its tasks.
 */
import { Fault, EFFECTS, type Effect } from '@toolway/contract'
import { adaptResult, isObject, MODERN, type McpRequest, type JsonObject } from '@toolway/protocol'
import { nearestNames } from '../../lib/nearest-names.ts'
import { call, resultOf } from '../call.ts'
import type { Answer } from '../../upstreams/upstream.ts'
import type { CallParts } from '../call-parts.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'
import type { ClientRequest } from '../request.ts'
import { findTools, listOf } from './find-tools.ts'
import { FOUND_AT_FIRST, MOST_FOUND, ownTool, type OwnTool } from './own-tools.ts'
import { seenTools, withAccounts } from './seen.ts'
import { toolOfConnection } from './tool-of-connection.ts'

export function callListed(step: ClientRequest, parts: CallParts): Promise<Answer> {
  const own = ownTool(step.requestContext.toolListing, step.mcpRequest.params['name'])
  return own === undefined ? call(step, parts) : callOwn(step, own, parts)
}

async function callOwn(step: ClientRequest, own: OwnTool, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, audit } = step
  audit.note({ target: String(mcpRequest.params['name']) })
  try {
    const given = mcpRequest.params['arguments'] ?? {}
    if (!isObject(given)) throw new Fault('params.shape', { place: '/arguments', problem: 'must be an object' })
    if (own.kind === 'call' || own.kind === 'execute') return await callInner(step, own, given, parts)
    // To look for a tool is to list: it is counted and limited as that, and no record of anything done.
    audit.note({ method: 'tools/list' })
    return answerOf(mcpRequest, look({ requestContext, mcpRequest, parts }, own, given))
  } catch (thrown) {
    const fault = Fault.of(thrown)
    if (!SAID_TO_MODELS.has(fault.code)) throw fault
    audit.refuse(fault)
    return answerOf(mcpRequest, resultOf(fault, audit.correlationId))
  }
}

/** Errors that a model can correct by itself, once it reads them. */
const SAID_TO_MODELS: ReadonlySet<string> = new Set(['params.shape', 'tool.unlisted', 'cursor.unknown'])

function answerOf({ caller: { revision } }: McpRequest, result: JsonObject): Answer {
  return { result: adaptResult('tools/call', result, { from: MODERN, to: revision }) }
}

const UNKNOWN: ReadonlySet<string> = new Set(['tool.unknown', 'tool.own-name'])

type Calls = Extract<OwnTool, { kind: 'call' | 'execute' }>

async function callInner(step: ClientRequest, own: Calls, value: JsonObject, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, channel, audit } = step
  const name = innerNameOf(own, value)
  const known = own.kind === 'execute' ? toolOfConnection(requestContext, mcpRequest, own.from, name) : name
  audit.note({ target: name })
  if (known === undefined) throw unlisted(requestContext, mcpRequest, name)
  const args = argumentsOf(own, value)
  if (args !== undefined && !isObject(args))
    throw new Fault('params.shape', { place: '/arguments/arguments', problem: 'must be an object' })
  const { arguments: _, ...rest } = mcpRequest.params
  const params = { ...rest, name: known, ...(args === undefined ? {} : { arguments: args }) }
  // Headers repeat what the outer call says; of the inner one they know nothing.
  try {
    return await call(
      { ...step, mcpRequest: { ...mcpRequest, params }, channel: { ...channel, header: undefined } },
      parts,
    )
  } catch (thrown) {
    // A tool that is hidden from a caller answers like one that does not exist.
    throw thrown instanceof Fault && UNKNOWN.has(thrown.code) ? unlisted(requestContext, mcpRequest, name) : thrown
  }
}

/** The source system's clients say `tool_name` and `parameters` (ledger S0-PKG-13). */
function innerNameOf({ kind }: Calls, value: JsonObject): string {
  const member = kind === 'call' ? 'name' : value['tool'] === undefined && 'tool_name' in value ? 'tool_name' : 'tool'
  const name = value[member]
  if (typeof name !== 'string' || name === '')
    throw new Fault('params.shape', { place: `/arguments/${member}`, problem: 'must be the name of a tool' })
  return name
}

function argumentsOf({ kind }: Calls, { arguments: args, parameters }: JsonObject) {
  // Null is no arguments, as it is for a call by name.
  const found = kind === 'execute' && args === undefined ? parameters : args
  return found ?? undefined
}

function unlisted(requestContext: RequestContext, mcpRequest: McpRequest, name: string): Fault {
  const near = nearestNames(name, seenTools(requestContext, mcpRequest.caller).keys())
  return new Fault('tool.unlisted', {
    tool: name.slice(0, 200),
    nearest: near.length === 0 ? '' : `; did you mean ${near.join(' or ')}`,
  })
}

interface Looking {
  readonly requestContext: RequestContext
  readonly mcpRequest: McpRequest
  readonly parts: CallParts
}

function look({ requestContext, mcpRequest, parts }: Looking, own: OwnTool, value: JsonObject): JsonObject {
  if (own.kind === 'describe') return structured(describe(parts, requestContext, mcpRequest, value))
  if (own.kind === 'list')
    return structured(
      listOf(requestContext, mcpRequest, own.from, {
        filter: textAt(value, 'filter'),
        category: textAt(value, 'category'),
        cursor: textAt(value, 'cursor'),
        signer: parts.signer,
      }),
    )
  const query = textAt(value, 'query')
  if (query === undefined || query.trim() === '')
    throw new Fault('params.shape', { place: '/arguments/query', problem: 'must specify what to search for' })
  return structured(findTools(requestContext, mcpRequest, { query, limit: limitAt(value), effect: effectAt(value) }))
}

/** Twice: for programs, and for clients that read text only (MCP 2026-07-28, structured content). */
const structured = (value: JsonObject): JsonObject => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
})

function describe(
  parts: CallParts,
  requestContext: RequestContext,
  mcpRequest: McpRequest,
  value: JsonObject,
): JsonObject {
  const name = textAt(value, 'name')
  if (name === undefined) throw new Fault('params.shape', { place: '/arguments/name', problem: 'must be a string' })
  const definition = seenTools(requestContext, mcpRequest.caller).get(name)
  const target = requestContext.toolListing.tool(name)
  if (definition === undefined || target === undefined) throw unlisted(requestContext, mcpRequest, name)
  const [tool = definition] = withAccounts(parts, requestContext, [definition])
  return { tool, effect: target.effect, connection: target.alias }
}

function textAt(input: JsonObject, member: string): string | undefined {
  const value = input[member]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && value.length <= LONGEST) return value
  throw new Fault('params.shape', {
    place: `/arguments/${member}`,
    problem: `must be a string of at most ${LONGEST} characters`,
  })
}

/** Of what is looked for: each word costs a search. */
const LONGEST = 500

function limitAt({ limit }: JsonObject): number {
  if (limit === undefined || limit === null) return FOUND_AT_FIRST
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= MOST_FOUND) return limit
  throw new Fault('params.shape', {
    place: '/arguments/limit',
    problem: `must be a whole number from 1 to ${MOST_FOUND}`,
  })
}

function effectAt({ effect }: JsonObject): Effect | undefined {
  if (effect === undefined || effect === null) return undefined
  const known = EFFECTS.find((item) => item === effect)
  if (known !== undefined) return known
  throw new Fault('params.shape', { place: '/arguments/effect', problem: `must be one of ${EFFECTS.join(', ')}` })
}
