/**
 * Admission: resolves a key and an address to an endpoint, in memory (steps 2 to 4 of a call).
 *
 * Path, key and default must agree on the organization and the toolset. A combination that disagrees, does not exist or belongs
 * to another organization answers the same: there is no such endpoint.
 */
import { Fault, type Limit, type PrincipalFacts } from '@toolway/contract'
import type { ToolListing } from '../catalog/tool-listing.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Identity, Principal } from '../identity/identify.ts'
import type { OnBehalf } from './callers/on-behalf.ts'
import type { Inbound, EndpointPath } from '../snapshot/ports/endpoint.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'
import { OWN_CLIENTS } from '../identity/principal.ts'
import { isThere, principalFacts, admittedIn } from '../snapshot/role.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'

export interface AdmitParts {
  readonly identity: Identity
  readonly accounts: Pick<Accounts, 'find'>
  /** By id or by slug; undefined when there is none (any more). */
  organization(name: { id?: string; slug?: string }): Snapshot | undefined
  readonly defaultOrganization: string
  readonly onBehalf: OnBehalf
  /** Completes an address that names its endpoint only in part; without it, the address is taken as it is. */
  readonly placeOf?: ((place: EndpointPath, principal: Principal) => EndpointPath) | undefined
}

export type Admit = (inbound: Inbound) => RequestContext | Promise<RequestContext>
/** Where somebody stands who is known already. */
export type Stand = (known: Principal, inbound: Omit<Inbound, 'authorization'>) => RequestContext

const DEFAULT_TOOLSET = 'default'

export function createAdmit(parts: AdmitParts): Admit {
  const { identity } = parts
  const stand = createStand(parts)
  return (inbound) => {
    const principal = identity.identify(inbound.authorization)
    return principal instanceof Promise ? principal.then((known) => stand(known, inbound)) : stand(principal, inbound)
  }
}

export function createStand(parts: Omit<AdmitParts, 'identity'>): Stand {
  const { accounts, organization, defaultOrganization, onBehalf, placeOf } = parts
  const stand: Stand = (known, { place: named, onBehalfOf }) => {
    const place = placeOf?.(named, known) ?? named
    // Asked first, so that a token for elsewhere learns nothing of what is here (RFC 8707, section 2).
    if (!isFor(known, place)) throw new Fault('token.unknown')
    const snapshot = placeOrganization(known, place)
    const principal = onBehalfOf === undefined || snapshot === undefined ? known : onBehalf(known, onBehalfOf, snapshot)
    const { toolset, connection } = placeToolset(principal, place)
    const limit = seenBy(principal)
    const toolListing = snapshot?.toolListing(toolset, connection, limit)
    if (snapshot === undefined || toolListing === undefined) throw new Fault('place.unknown')
    const role = admittedIn(accounts, principal, snapshot)
    if (role === undefined) throw new Fault('place.unknown')
    const who = { accounts, principal, role }
    if (!isThere(snapshot, toolset, who)) throw new Fault('place.unknown')
    const now = () => {
      const latest = organization({ id: snapshot.organization.id })
      const toolListing =
        latest !== undefined && isThere(latest, toolset, who)
          ? latest.toolListing(toolset, connection, limit)
          : undefined
      return latest === undefined || toolListing === undefined ? undefined : { toolListing, upstream: latest.upstream }
    }
    let facts: PrincipalFacts | undefined
    return {
      principal,
      role,
      who: () => (facts ??= principalFacts(accounts, principal, role, snapshot.groupsOf(principal.userId))),
      organizationId: snapshot.organization.id,
      organization: snapshot.organization.slug,
      version: snapshot.version,
      requestsPerMinute: snapshot.requestsPerMinute,
      toolset: connection === undefined ? toolset : undefined,
      connection,
      owner: `${principal.id} ${snapshot.organization.id} ${toolset} ${connection ?? ''}`,
      toolListing,
      sees: createSight(toolListing, () => now()?.toolListing),
      now,
      upstream: (connectionId) => snapshot.upstream(connectionId),
    }
  }

  function placeOrganization(principal: Principal, place: EndpointPath): Snapshot | undefined {
    const byPath = place.organization === undefined ? undefined : organization({ slug: place.organization })
    if (principal.organizationId === undefined)
      return byPath ?? (place.organization === undefined ? organization({ slug: defaultOrganization }) : undefined)
    const byKey = organization({ id: principal.organizationId })
    if (place.organization === undefined || byPath === byKey) return byKey
    // Whether the other one exists is told to neither; a token's owner is told what is wrong with it (ledger S0-AUT-01).
    if (principal.kind === 'user') throw new Fault('place.bound')
    return undefined
  }

  /** A key limited to a toolset reaches no other, and a single connection only as far as that toolset selects it. */
  function placeToolset(principal: Principal, place: EndpointPath) {
    const toolset = place.toolset ?? principal.toolset ?? DEFAULT_TOOLSET
    if (principal.toolset !== undefined && toolset !== principal.toolset) throw new Fault('place.unknown')
    return { toolset, connection: place.connection }
  }

  return stand
}

const isFor = ({ endpoint }: Principal, { organization, toolset, connection }: EndpointPath): boolean =>
  endpoint === undefined ||
  (endpoint.organization === organization && endpoint.toolset === toolset && endpoint.connection === connection)

/**
 * How far the tools reach that a principal sees. An OAuth client sees them all, because it may ask its person for more where it
 * is refused (MCP 2026-07-28, authorization, scope challenge); everybody else sees what it may call.
 */
const seenBy = ({ client, limit }: Principal): Limit =>
  client === undefined || OWN_CLIENTS.has(client) ? limit : 'execute'

/**
 * Whether a connection belongs to an endpoint, as it is now or as it was before the last change: one that has just come and
 * one that has just gone both concern who listens there, however long ago they began to.
 */
function createSight(first: ToolListing, current: () => ToolListing | undefined): RequestContext['sees'] {
  let [before, now]: (ToolListing | undefined)[] = [first, first]
  return (connectionId) => {
    const latest = current()
    if (latest !== now) [before, now] = [now, latest]
    return [before, now].some((toolListing) =>
      toolListing?.offered.some((offered) => offered.connectionId === connectionId),
    )
  }
}
