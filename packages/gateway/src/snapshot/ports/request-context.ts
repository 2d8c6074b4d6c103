/** The facts of a request before its message is read; `call/admit.ts` makes them. */
import type { ConnectionId, OrganizationId, PrincipalFacts, Role } from '@toolway/contract'
import type { ToolListing } from '../../catalog/tool-listing.ts'
import type { Principal } from '../../identity/identify.ts'
import type { Upstream } from '../../upstreams/upstream.ts'

/** The facts of a request before its message is read: the caller, the endpoint, and what the endpoint offers. */
export interface RequestContext {
  readonly principal: Principal
  /** The caller's role in this organization. */
  readonly role: Role
  /** The same, as rules see it. */
  who(): PrincipalFacts
  readonly organizationId: OrganizationId
  readonly organization: string
  /** How often what the organization offers was changed; the same in every gateway. */
  readonly version: number
  /** The organization's own limit, else that of the gateway's settings. */
  readonly requestsPerMinute: number | undefined
  /** The slug of the toolset, or the alias of the one connection, for records. */
  readonly toolset: string | undefined
  readonly connection: string | undefined
  /** Names endpoint and principal: sessions and cursors are bound to it. */
  readonly owner: string
  readonly toolListing: ToolListing
  /** Whether a connection belongs to this endpoint, as it is by now or as it was before the last change. */
  sees(connectionId: ConnectionId): boolean
  upstream(connectionId: ConnectionId): Upstream
  /** The endpoint as it stands by now, for whoever stays; undefined when there is none any more. */
  now(): Pick<RequestContext, 'toolListing' | 'upstream'> | undefined
}
