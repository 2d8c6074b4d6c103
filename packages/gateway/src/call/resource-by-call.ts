/**
 * A resource that a tool answers: to read it is to call that tool, with its rules, lock, approval, limit and record, so that nobody
 * reads by an address what the tool is kept from.
 */
import { Fault } from '@toolway/contract'
import { adaptResult, isObject, type JsonObject, type Revision } from '@toolway/protocol'
import type { Target } from '../catalog/tool-listing.ts'
import type { ResourceCall } from '../upstreams/native/loaded-vendor.ts'
import { call } from './call.ts'
import { seenTools } from './discovery/seen.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { ClientRequest } from './request.ts'

export interface ResourceRequest extends ClientRequest {
  readonly target: Target
  /** Undefined where the server knows no such address. */
  readonly inner: ResourceCall | undefined
}

/** Throws `resource.unknown` where there is none, or where the caller does not see the tool that reads it. */
export async function readByCall(request: ResourceRequest, parts: CallParts): Promise<Answer> {
  const { inner, target, mcpRequest, channel, ...step } = request
  const { uri, ...rest } = mcpRequest.params
  const unknown = () => new Fault('resource.unknown', { uri: String(uri) }, { data: { uri } })
  const name = inner === undefined ? undefined : exposedName(request, inner)
  if (inner === undefined || name === undefined) throw unknown()
  const params = { ...rest, name, arguments: inner.arguments }
  const answer = await call(
    // Headers repeat what the request says of the address; of the tool they know nothing.
    {
      ...step,
      mcpRequest: { ...mcpRequest, method: 'tools/call', params },
      channel: { ...channel, header: undefined },
    },
    parts,
  ).catch((thrown: unknown) => {
    throw thrown instanceof Fault && thrown.code === 'tool.unknown' ? unknown() : thrown
  })
  return 'error' in answer ? answer : contentOf(answer.result, String(uri), mcpRequest.caller.revision)
}

/** A tool's name as the caller sees it; undefined where it is hidden, blocked or switched off. */
function exposedName({ requestContext, mcpRequest, target }: ResourceRequest, { name }: ResourceCall) {
  const { toolListing } = requestContext
  for (const known of seenTools(requestContext, mcpRequest.caller).keys()) {
    const tool = toolListing.tool(known)
    if (tool?.connectionId === target.connectionId && tool.name === name) return known
  }
  return undefined
}

const FAILED = -32_603

/** A result of a tool as that of a resource. A question to the client goes out as it is. */
function contentOf(result: JsonObject, uri: string, revision: Revision): Answer {
  const { content, structuredContent, _meta: meta, isError } = result
  if (!Array.isArray(content)) return { result }
  const [first] = content
  const text = isObject(first) && typeof first['text'] === 'string' ? first['text'] : ''
  if (isError === true) {
    const data = isObject(meta) ? meta['dev.toolway/fault'] : undefined
    return { error: { code: FAILED, message: text, ...(data === undefined ? {} : { data }) } }
  }
  const body = structuredContent === undefined ? text : JSON.stringify(structuredContent)
  const read = { contents: [{ uri, mimeType: 'application/json', text: body }] }
  return { result: adaptResult('resources/read', read, { from: revision, to: revision }) }
}
