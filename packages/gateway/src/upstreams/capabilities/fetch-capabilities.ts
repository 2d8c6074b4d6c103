/**
 * Asking one connection what it offers, and keeping the answer: its lists replace the last ones whole, or stay and are stale.
 */
import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import { isObject, type JsonObject, type Revision } from '@toolway/protocol'
import { errorAnswer } from '@toolway/protocol/client'
import { ownAsk } from '../gateway-request.ts'
import type { LeftOut, ServerInfo, Upstream } from '../upstream.ts'
import { createOfferBounds, MAX_ITEMS, MAX_PAGES, type ListMethod, type OfferBounds } from './capabilities-bounds.ts'

export interface CapabilitiesSnapshot {
  readonly revision: Revision
  readonly server: { server: JsonObject; capabilities: JsonObject; instructions?: string }
  readonly tools: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  /** Listed items that are not accepted, with the reason. */
  readonly leftOut: readonly LeftOut[]
  /** Items that are accepted with repairs, and what was repaired. */
  readonly repaired: readonly LeftOut[]
}

/** Milliseconds for all lists. */
const DEADLINE_MS = 5 * 60_000
/** Characters of JSON of what a server says about itself: every client that opens a session gets it. */
const MAX_SERVER_INFO_CHARACTERS = 256 * 1024
const METHOD_NOT_FOUND = -32601

/**
 * Everything an upstream lists, page by page. Throws `upstream.*` faults. `met` is called when the server has said who it is, before
 * it is asked for a list: whoever listens from then on misses no change of what is listed.
 */
export async function fetchCapabilities(
  upstream: Upstream,
  alias: string,
  signal: AbortSignal,
  met: () => void = () => {},
): Promise<CapabilitiesSnapshot> {
  const serverInfo = await upstream.introduce(signal)
  met()
  if (JSON.stringify(serverInfo).length > MAX_SERVER_INFO_CHARACTERS)
    throw new Fault('result.too-large', { connection: alias, limit: MAX_SERVER_INFO_CHARACTERS })
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
  const { capabilities } = serverInfo
  const bounds = createOfferBounds()
  const fetchList = (capability: string, method: ListMethod, member: string) =>
    isObject(capabilities[capability])
      ? listAll(upstream, serverInfo, { alias, method, member, bounds, signal: bounded })
      : Promise.resolve([])
  const [tools, resources, templates, prompts] = await Promise.all([
    fetchList('tools', 'tools/list', 'tools'),
    fetchList('resources', 'resources/list', 'resources'),
    fetchList('resources', 'resources/templates/list', 'resourceTemplates'),
    fetchList('prompts', 'prompts/list', 'prompts'),
  ])
  const { server, instructions } = serverInfo
  return {
    revision: serverInfo.revision,
    server: { server, capabilities, ...(instructions === undefined ? {} : { instructions }) },
    tools,
    resources,
    templates,
    prompts,
    leftOut: bounds.leftOut,
    repaired: bounds.repaired,
  }
}

interface Listing {
  readonly alias: string
  readonly method: ListMethod
  readonly member: string
  readonly bounds: OfferBounds
  readonly signal: AbortSignal
}

async function listAll(
  upstream: Upstream,
  { revision }: ServerInfo,
  { alias, method, member, bounds, signal }: Listing,
): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await upstream.ask(ownAsk(method, cursor === undefined ? {} : { cursor }, revision, signal))
    if ('error' in answer) {
      // Servers announce a capability and lack one of its lists; that list is empty then.
      if (answer.error.code === METHOD_NOT_FOUND) return items
      throw errorAnswer(alias, method, answer.error)
    }
    const found = answer.result[member]
    if (!Array.isArray(found))
      throw new Fault('upstream.malformed', { connection: alias, problem: `${method} has no list of ${member}` })
    const next = answer.result['nextCursor']
    const room = MAX_ITEMS - items.length
    for (const listed of found.slice(0, room)) {
      const item = bounds.read(method, listed, revision)
      if (item !== undefined) items.push(item)
    }
    if (found.length > room) {
      bounds.ends(method, `the server lists more than ${MAX_ITEMS}; the rest is ignored`)
      return items
    }
    if (typeof next !== 'string') return items
    if (next === cursor) {
      bounds.ends(method, 'the server returned the same cursor twice; the rest of its list is ignored')
      return items
    }
    cursor = next
  }
  bounds.ends(method, `the server returned ${MAX_PAGES} pages and still had more; the rest of its list is ignored`)
  return items
}

export interface SyncParts {
  store(organizationId: OrganizationId, connectionId: ConnectionId, offer: CapabilitiesSnapshot): Promise<void>
  fail(organizationId: OrganizationId, connectionId: ConnectionId, fault: Fault): Promise<void>
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void }
}

export interface Subject {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly alias: string
  /** Throws where it cannot even be opened. */
  upstream(): Upstream
  /** As `fetchOffer` calls it. */
  met?(upstream: Upstream): void
}

export type SyncCatalog = (subject: Subject, signal: AbortSignal) => Promise<boolean>

/**
 * Whether it went well; a failure of the server is kept with its reason and never thrown. Throws what `store` throws where it is
 * trouble of the gateway's own, which is no fault of the connection.
 */
export function createSyncCatalog({ store, fail, log }: SyncParts): SyncCatalog {
  async function noteFailure({ organizationId, connectionId, alias }: Subject, thrown: unknown): Promise<false> {
    const fault = Fault.of(thrown)
    log.warn(
      { connection: alias, code: fault.code, err: fault.cause, problem: fault.message },
      'catalog could not be fetched; the previous one stays in use',
    )
    await fail(organizationId, connectionId, fault).catch((lost: unknown) =>
      log.warn({ err: lost }, 'the failure could not be stored'),
    )
    return false
  }

  return async (subject, signal) => {
    const { organizationId, connectionId, alias, upstream, met } = subject
    let opened: Upstream | undefined
    let offer: CapabilitiesSnapshot
    try {
      const known = upstream()
      opened = known
      offer = await fetchCapabilities(known, alias, signal, () => met?.(known))
    } catch (thrown) {
      if (signal.aborted) return false
      opened?.doubt()
      return noteFailure(subject, thrown)
    }
    try {
      await store(organizationId, connectionId, offer)
    } catch (thrown) {
      if (signal.aborted) return false
      if (isUnfit(thrown)) return noteFailure(subject, thrown)
      throw thrown
    }
    log.info({ connection: alias, tools: offer.tools.length, revision: offer.revision }, 'catalog fetched')
    const [first] = offer.leftOut
    if (offer.repaired.length > 0)
      log.info(
        { connection: alias, repaired: offer.repaired.length, ...offer.repaired[0] },
        'definitions were repaired',
      )
    if (first !== undefined)
      log.warn(
        { connection: alias, leftOut: offer.leftOut.length, ...first },
        'some of what the server lists is left out',
      )
    return true
  }
}

/** SQLSTATE classes of what a database refuses for what it says: data exception, integrity, program limit (PostgreSQL, appendix A). */
const UNFIT = /^(22|23|54)/
const isUnfit = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' && UNFIT.test(thrown.code)
