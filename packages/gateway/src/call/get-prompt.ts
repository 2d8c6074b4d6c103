/** Getting one prompt, and completing an argument of a prompt or of a resource template. */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject, type Revision } from '@toolway/protocol'
import type { Target } from '../catalog/tool-listing.ts'
import { forward } from './forward.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import type { ClientRequest } from './request.ts'

export async function getPrompt(request: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, audit } = request
  const { name } = mcpRequest.params
  if (typeof name !== 'string') throw new Fault('params.shape', { place: '/name', problem: 'must be a string' })
  audit.note({ target: name })
  const target = findPrompt(requestContext, name)
  return forward({ ...request, parts, target, params: { ...mcpRequest.params, name: target.name } })
}

function findPrompt(requestContext: RequestContext, name: string): Target {
  const target = requestContext.toolListing.prompt(name)
  if (target === undefined) throw new Fault('prompt.unknown', { prompt: name })
  return target
}

export async function complete(request: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest } = request
  const { ref } = mcpRequest.params
  if (!isObject(ref)) throw new Fault('params.shape', { place: '/ref', problem: 'must be an object' })
  const [target, own] = resolve(requestContext, ref)
  const { context, ...params } = mcpRequest.params
  const knows = context !== undefined && target.revision >= CONTEXT_SINCE
  const known = knows ? { ...params, context } : params
  return forward({ ...request, parts, target, params: { ...known, ref: own } })
}

/** Since then a completion may be told of the arguments that are filled in already. */
const CONTEXT_SINCE = '2025-06-18' satisfies Revision

/** A reference in the server's own words, and the server that it belongs to. */
function resolve(requestContext: RequestContext, ref: JsonObject): [Target, JsonObject] {
  if (ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string') {
    const target = findPrompt(requestContext, ref['name'])
    return [target, { ...ref, name: target.name }]
  }
  if (ref['type'] === 'ref/resource' && typeof ref['uri'] === 'string') {
    const target = requestContext.toolListing.resource(ref['uri'])
    if (target === undefined) throw new Fault('resource.unknown', { uri: ref['uri'] }, { data: { uri: ref['uri'] } })
    return [target, { ...ref, uri: target.name }]
  }
  throw new Fault('params.shape', {
    place: '/ref',
    problem: 'must be a ref/prompt with a name or a ref/resource with a uri',
  })
}
