/**
 * The `tools/list` answer of an endpoint for one principal, requested by another: the same admission and the same list, page by
 * page.
 *
 * Nothing is counted, recorded or called, and no session is opened. A principal without access to the endpoint is reported with
 * the fault that it would meet.
 */
import { Fault, permits, type DiscoveryMode, type Role } from '@toolway/contract'
import { isObject, type Caller, type JsonObject, type Revision } from '@toolway/protocol'
import type { Principal } from '../identity/principal.ts'
import { tokensOf } from '../lib/tokens.ts'
import type { Stand } from './admit.ts'
import { CLIENT_LIMITS } from './discovery/meter.ts'
import { list } from './list.ts'
import type { CallParts } from './call-parts.ts'
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'

export interface ListPreviewed {
  readonly refused: Fault | undefined
  readonly role: Role | undefined
  readonly mayCall: boolean
  readonly discovery: DiscoveryMode
  readonly pages: readonly (readonly JsonObject[])[]
  readonly tokens: number
  readonly firstTokens: number
  readonly exceeds: readonly number[]
}

export interface ListAsked {
  readonly principal: Principal
  readonly place: EndpointPath
  readonly revision: Revision
  readonly client: string | undefined
}

export type ListPreviews = (request: ListAsked) => ListPreviewed

export function createListPreview({ stand, parts }: { stand: Stand; parts: CallParts }): ListPreviews {
  return ({ principal, place, revision, client }) => {
    try {
      const requestContext = stand(principal, { place })
      const pages = pagesOf(requestContext, revision, client)
      const [first = []] = pages
      const whole = pages.flat()
      return {
        refused: undefined,
        role: requestContext.role,
        mayCall: permits(requestContext.role, 'tool_call'),
        discovery: requestContext.toolListing.discovery.mode,
        pages,
        tokens: tokensOf(whole),
        firstTokens: tokensOf(first),
        exceeds: CLIENT_LIMITS.filter((most) => whole.length > most),
      }
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown
      return { ...NOTHING, refused: thrown }
    }
  }

  function pagesOf(
    requestContext: RequestContext,
    revision: Revision,
    client: string | undefined,
  ): (readonly JsonObject[])[] {
    const named = client === undefined ? undefined : { name: client }
    const caller: Caller = { revision, capabilities: {}, client: named, logLevel: undefined }
    const pages: (readonly JsonObject[])[] = []
    let cursor: string | undefined
    do {
      const params = cursor === undefined ? {} : { cursor }
      const answer = list(requestContext, { id: 0, method: 'tools/list', params, caller }, parts)
      const result = 'result' in answer && isObject(answer.result) ? answer.result : {}
      pages.push(Array.isArray(result['tools']) ? (result['tools'] as JsonObject[]) : [])
      cursor = typeof result['nextCursor'] === 'string' ? result['nextCursor'] : undefined
    } while (cursor !== undefined)
    return pages
  }
}

const NOTHING: ListPreviewed = {
  refused: undefined,
  role: undefined,
  mayCall: false,
  discovery: 'direct',
  pages: [],
  tokens: 0,
  firstTokens: 0,
  exceeds: [],
}
