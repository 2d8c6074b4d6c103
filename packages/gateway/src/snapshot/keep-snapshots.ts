/**
 * Keeping the organizations in memory as the database has them: loaded at start, loaded again when a change is signalled.
 *
 * Signals come from the database itself, so that a change by another process counts as much as one of our own. A signal that
 * arrives while loading is not lost: it loads once more.
 */
import type { Snapshot } from './snapshot.ts'
import { joinRows, rowsOf, type ChangedRows, type WantedRows } from './wanted-rows.ts'

export interface KeepSnapshotsParts {
  /** These organizations by id, of which these rows may have changed, or all of them whole. */
  load(requested: ReadonlyMap<string, WantedRows> | undefined): Promise<readonly Snapshot[]>
  /** What was loaded stands now, and the organizations of these ids are gone. The others are as they were. */
  onLoad(loaded: readonly Snapshot[], gone: ReadonlySet<string>): void
  readonly log: { error(facts: object, message: string): void }
}

export interface KeepSnapshots {
  /** By id or slug, from memory; one that is not active is none. */
  find(name: { id?: string; slug?: string }): Snapshot | undefined
  /** One that is not active, too: for those who administer it. */
  findAny(name: { id?: string; slug?: string }): Snapshot | undefined
  all(): readonly Snapshot[]
  /** Load all of them now. */
  reload(): Promise<void>
  /** Load one now: whole, or the rows that changed. */
  refresh(id: string, changed?: ChangedRows): Promise<void>
  /** Load one, or all, soon: several signals of one change are one load. */
  signal(id?: string, changed?: ChangedRows): void
  /** The same, for who waits for it. */
  refreshSoon(id: string, changed?: ChangedRows): Promise<void>
  /** Resolves once everything that was signalled before is loaded. A load that fails is waited for until it succeeds. */
  settled(): Promise<void>
  close(): void
}

const GATHER = 20
const AGAIN = 1_000
/** Where a load takes long, changes are gathered for as long as the last one took, up to this: loading takes half the time at most. */
const MOST = 1_000

export function createKeepSnapshots({ load, onLoad, log }: KeepSnapshotsParts): KeepSnapshots {
  const snapshots = createHeldSnapshots()
  const pending = createPending()
  const loads = createLoads({ load, onLoad }, snapshots, pending)
  let planned: Planned | undefined
  let closed = false

  function plan(after: number): Promise<void> {
    if (closed) return Promise.resolve()
    planned ??= planAnew(Math.max(after, Math.min(loads.took, MOST)))
    return planned.loaded
  }

  function planAnew(after: number): Planned {
    const { promise: loaded, resolve, reject } = Promise.withResolvers<void>()
    // The promise may have no waiter.
    loaded.catch(() => {})
    const timer = setTimeout(() => {
      planned = undefined
      loads.run().then(resolve, (thrown: unknown) => {
        reject(thrown)
        log.error({ err: thrown }, 'a change could not be loaded; retrying')
        void plan(AGAIN)
      })
    }, after)
    return { timer, loaded, end: resolve }
  }

  return {
    find: (name) => activeOf(snapshots.findAny(name)),
    findAny: snapshots.findAny,
    all: snapshots.all,
    reload() {
      pending.addAll()
      return loads.run()
    },
    refresh(id, changed) {
      pending.add(id, wantedBy(changed))
      return loads.run()
    },
    signal(id, changed) {
      if (id === undefined) pending.addAll()
      else pending.add(id, wantedBy(changed))
      void plan(GATHER)
    },
    refreshSoon(id, changed) {
      pending.add(id, wantedBy(changed))
      return plan(GATHER)
    },
    async settled() {
      while (planned !== undefined) await planned.loaded.catch(() => {})
      await loads.idle()
    },
    close() {
      closed = true
      loads.close()
      clearTimeout(planned?.timer)
      planned?.end()
    },
  }
}

/** Loads what is wanted: one load after the other, so that an older answer can never replace a newer one. */
function createLoads(
  { load, onLoad }: Pick<KeepSnapshotsParts, 'load' | 'onLoad'>,
  snapshots: HeldSnapshots,
  pending: ReturnType<typeof createPending>,
) {
  let loading: Promise<void> = Promise.resolve()
  let took = 0
  let closed = false

  async function loadPending(): Promise<void> {
    const ids = pending.take()
    if (closed || ids?.size === 0) return
    const began = performance.now()
    try {
      const loaded = await load(ids)
      onLoad(loaded, snapshots.place(ids, loaded))
    } catch (thrown) {
      // The requested loads stay pending after a failure.
      if (ids === undefined) pending.addAll()
      for (const [id, rows] of ids ?? []) pending.add(id, rows)
      throw thrown
    } finally {
      took = performance.now() - began
    }
  }

  return {
    run(): Promise<void> {
      const result = loading.then(loadPending)
      loading = result.catch(() => {})
      return result
    },
    /** The milliseconds of the last one. */
    get took() {
      return took
    },
    idle: () => loading,
    close: () => void (closed = true),
  }
}

function createPending() {
  let pending = new Map<string, WantedRows>()
  let wantsAll = false
  return {
    add(id: string, rows: WantedRows): void {
      const before = pending.get(id)
      pending.set(id, before === undefined ? rows : joinRows(before, rows))
    },
    addAll: () => void (wantsAll = true),
    /** Takes out what is pending, or undefined for all. */
    take(): ReadonlyMap<string, WantedRows> | undefined {
      const taken = wantsAll ? undefined : pending
      pending = new Map()
      wantsAll = false
      return taken
    },
  }
}

interface HeldSnapshots extends Pick<KeepSnapshots, 'findAny' | 'all'> {
  /** Takes what was loaded of these organizations, or of all, and returns the ids of those that are gone. */
  place(ids: ReadonlyMap<string, unknown> | undefined, loaded: readonly Snapshot[]): ReadonlySet<string>
}

function createHeldSnapshots(): HeldSnapshots {
  const byId = new Map<string, Snapshot>()
  const bySlug = new Map<string, Snapshot>()

  /** Another may have the slug by now. */
  function remove(id: string): void {
    const slug = byId.get(id)?.organization.slug ?? ''
    byId.delete(id)
    if (bySlug.get(slug)?.organization.id === id) bySlug.delete(slug)
  }

  return {
    findAny: ({ id, slug }) => (id === undefined ? bySlug.get(slug ?? '') : byId.get(id)),
    all: () => [...byId.values()],
    place(ids, loaded) {
      const there = new Set(loaded.map(({ organization }) => organization.id as string))
      // One that was never here is not gone.
      const gone = new Set([...(ids ?? byId).keys()].filter((id) => byId.has(id) && !there.has(id)))
      for (const id of gone) remove(id)
      for (const snapshot of loaded) {
        remove(snapshot.organization.id)
        byId.set(snapshot.organization.id, snapshot)
        bySlug.set(snapshot.organization.slug, snapshot)
      }
      return gone
    },
  }
}

const activeOf = (found: Snapshot | undefined) => (found?.organization.active === true ? found : undefined)

const wantedBy = (changed: ChangedRows | undefined): WantedRows => (changed === undefined ? 'all' : rowsOf(changed))

/** A load that is to begin in a moment. */
interface Planned {
  readonly timer: NodeJS.Timeout
  readonly loaded: Promise<void>
  /** It will not begin. */
  end(): void
}
