/** What is noted of a connection when it is met: its catalog, its state, its revision, and what its sandbox keeps from it. */
import type { ConnectionId, Fault, OrganizationId } from '@toolway/contract'
import { markStale } from '../../catalog/catalogs.ts'
import { noteHints } from '../../connections/connections.ts'
import type { Db } from '../../db/db.ts'
import { createBatch } from '../../lib/batch.ts'
import type { CapabilitiesSnapshot } from '../../upstreams/capabilities/fetch-capabilities.ts'
import { reasonOf } from '../../upstreams/program-report.ts'
import { noteState } from './note-state.ts'
import { storeCapabilities, type Listed } from './store-capabilities.ts'

/** Stores the results of contacts with a connection. */
export interface Contacts {
  /** Remembers the revision that an upstream speaks, until the next contact is stored with it. */
  remember(connectionId: string, revision: string): void
  store(organizationId: OrganizationId, connectionId: ConnectionId, offer: CapabilitiesSnapshot): Promise<void>
  fail(organizationId: OrganizationId, connectionId: ConnectionId, fault: Fault): Promise<void>
  /** Stores the state of a connection seen between two fetches of its catalog. */
  note(connectionId: string, fault: Fault | undefined): Promise<unknown>
  /**
   * Stores that calls fail, whatever the server answers to the gateway itself: until a call succeeds (undefined), or none was made for a
   * quarter of an hour, the connection is not stored as a connected one when its lists are fetched.
   */
  trouble(connectionId: string, fault: Fault | undefined): Promise<unknown>
  /**
   * Remembers what the sandbox of a connection's programs keeps from them, and stores it while the connection is connected; undefined
   * forgets it.
   */
  hint(connectionId: string, sentences: readonly string[] | undefined): Promise<unknown>
}

/** In one transaction. */
const STORED_TOGETHER = 16
/** Milliseconds, from the last failure that was told: whoever mends a server that nobody calls sees that it is connected. */
const TROUBLED = 15 * 60_000
/** Failures of calls at a server that answers. */
const LASTING: ReadonlySet<string> = new Set(['upstream.malformed', 'upstream.needs-auth'])

/** Stores facts about a connection in the database: its catalog, the reason of a failure, its revision. */
export function createContacts({ db }: { readonly db: Pick<Db, 'system'> }): Contacts {
  const revisions = new Map<string, string>()
  const eraOf = (connectionId: string) => {
    const revision = revisions.get(connectionId)
    return revision === undefined ? undefined : { revision, at: Date.now() }
  }
  const failed = ({ code }: Fault) => (code === 'upstream.needs-auth' ? ('needs_auth' as const) : ('error' as const))

  const hints = new Map<string, string>()
  const troubles = new Map<string, { readonly fault: Fault; readonly until: number }>()
  const troubleOf = (connectionId: string): Fault | undefined => {
    const trouble = troubles.get(connectionId)
    if (trouble === undefined || Date.now() < trouble.until) return trouble?.fault
    troubles.delete(connectionId)
    return undefined
  }
  const seenAs = (connectionId: string, fault: Fault | undefined) =>
    fault === undefined
      ? ({ status: 'connected', reason: hints.get(connectionId) } as const)
      : { status: failed(fault), reason: reasonOf(fault) }
  const note = (connectionId: string, fault: Fault | undefined) =>
    db.system((sql) => noteState(sql, connectionId, { ...seenAs(connectionId, fault), era: undefined }))
  const withState = (item: Listed): Listed => ({
    ...item,
    seen: seenAs(item.connectionId, troubleOf(item.connectionId)),
  })
  async function store(all: readonly Listed[]): Promise<void> {
    const seen = all.map(withState)
    await db.system((sql) => storeCapabilities(sql, seen))
    // Calls that failed while the lists were stored are newer than what was seen of the server before.
    for (const { connectionId, seen: stored } of seen) {
      const fault = stored?.status === 'connected' ? troubleOf(connectionId) : undefined
      if (fault !== undefined) await note(connectionId, fault)
    }
  }
  const stored = createBatch<Listed, void>({
    most: STORED_TOGETHER,
    run: async (all) => (await store(all), []),
  })

  return {
    remember: (connectionId: string, revision: string) => void revisions.set(connectionId, revision),
    async store(organizationId: OrganizationId, connectionId: ConnectionId, offer: CapabilitiesSnapshot) {
      const one = { organizationId, connectionId, offer, era: eraOf(connectionId) }
      // An offer that cannot be stored must not prevent the storing of others.
      await stored(one).catch(() => store([one]))
    },
    fail: (organizationId: OrganizationId, connectionId: ConnectionId, fault: Fault) =>
      db.system(async (sql) => {
        await markStale(sql, organizationId, connectionId, fault.message)
        await noteState(sql, connectionId, { status: failed(fault), reason: reasonOf(fault), era: undefined })
      }),
    note(connectionId, fault) {
      // An outage is over, and the failures that calls met in it say nothing any more. A server that is there can still refuse calls.
      if (fault === undefined && !LASTING.has(troubleOf(connectionId)?.code ?? '')) troubles.delete(connectionId)
      return note(connectionId, fault ?? troubleOf(connectionId))
    },
    trouble(connectionId, fault) {
      if (fault === undefined) troubles.delete(connectionId)
      else troubles.set(connectionId, { fault, until: Date.now() + TROUBLED })
      return note(connectionId, fault)
    },
    async hint(connectionId, sentences) {
      hints.delete(connectionId)
      if (sentences === undefined) return void troubles.delete(connectionId)
      const text = sentences.length === 0 ? undefined : sentences.join('\n').replaceAll('\0', '\uFFFD')
      if (text !== undefined) hints.set(connectionId, text)
      await db.system((sql) => noteHints(sql, connectionId, text))
    },
  }
}
