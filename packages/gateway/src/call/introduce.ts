/** How an endpoint introduces itself, in each era: who it is, what it can do, what its servers would have clients know. */
import {
  adaptResult,
  isObject,
  MODERN,
  REVISIONS,
  SERVER_KEY,
  writeInitialized,
  type JsonObject,
  type LegacyRevision,
  type Revision,
} from '@toolway/protocol'
import { capabilitiesOf, instructionsOf } from '../catalog/tool-listing.ts'
import type { Changed } from '../catalog/changes.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'

export const VERSION = '0.1.0'

/** An endpoint of one connection goes by the connection's name. */
const serverOf = ({ connection, toolListing }: RequestContext): JsonObject => ({
  name: 'toolway',
  title: connection === undefined ? 'Toolway' : (toolListing.offered[0]?.title ?? connection),
  version: VERSION,
})

/** One session has one identity: a server's own name in a result gives way to the gateway's, in the revision that has such a name. */
export function withOwnIdentity(result: JsonObject, requestContext: RequestContext, revision: Revision): JsonObject {
  const { _meta: meta } = result
  if (!isObject(meta) || !(SERVER_KEY in meta)) return result
  const { [SERVER_KEY]: _, ...rest } = meta
  const own = revision === MODERN ? { ...rest, [SERVER_KEY]: serverOf(requestContext) } : rest
  if (Object.keys(own).length > 0) return { ...result, _meta: own }
  const { _meta: __, ...bare } = result
  return bare
}

const introductionOf = (requestContext: RequestContext, revision: Revision) => ({
  server: serverOf(requestContext),
  capabilities: capabilitiesOf(requestContext.toolListing, revision),
  instructions: instructionsOf(requestContext.toolListing),
})

const LISTS: readonly Changed[] = ['tools', 'prompts', 'resources']

/** The lists of whose changes an endpoint tells its clients. */
export function announcedLists(requestContext: RequestContext, revision: Revision): ReadonlySet<Changed> {
  const capabilities = capabilitiesOf(requestContext.toolListing, revision)
  return new Set(LISTS.filter((name) => name in capabilities))
}

export const initialized = (requestContext: RequestContext, revision: LegacyRevision): JsonObject =>
  writeInitialized(revision, introductionOf(requestContext, revision))

/** To a client that gets no session: what needs one to be told or remembered is not announced. */
export function initializedAlone(requestContext: RequestContext, revision: LegacyRevision): JsonObject {
  const introduction = introductionOf(requestContext, revision)
  const { logging: _, ...rest } = introduction.capabilities
  const lists = LISTS.filter((name) => name in rest)
  return writeInitialized(revision, {
    ...introduction,
    capabilities: { ...rest, ...Object.fromEntries(lists.map((name) => [name, {}])) },
  })
}

export function discovered(requestContext: RequestContext): Answer {
  const { server, capabilities, instructions } = introductionOf(requestContext, MODERN)
  const result: JsonObject = {
    supportedVersions: [...REVISIONS].reverse(),
    capabilities,
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [SERVER_KEY]: server },
  }
  return { result: adaptResult('server/discover', result, { from: MODERN, to: MODERN }) }
}
