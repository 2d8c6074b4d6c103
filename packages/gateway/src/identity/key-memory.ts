/**
 * Keys by the digest of their text: from memory while that is fresh, else by a look at the database.
 *
 * While the database is away a key that was good goes on working for a bounded time. A change of that very key, or a change
 * that nobody could hear, ends that at once: the key is then looked up or refused. A key that memory does not know waits in a
 * short queue with a deadline, so that a flood of guesses is not a flood of queries; guesses of one address are bounded by the
 * limit of addresses, which is counted before anything is looked up.
 */
import { Fault, type KeyId } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../lib/single-flight.ts'
import { createTurns, TurnTooLate } from '../lib/work-queue.ts'
import type { KeyRow } from './keys/keys.ts'
import type { Principal } from './principal.ts'

/** How one key is looked up. */
export interface KeyLook {
  /** Asks the database, which has `within` milliseconds to answer. Rejects with a database fault when it cannot. */
  find(within: number): Promise<KeyRow | undefined>
  /** Asked for what `find` does not know. */
  findSlow(): Promise<KeyRow | undefined> | undefined
}

/** The limits for serving from memory while the database is away. */
export interface Outage {
  /** Milliseconds for which the database has not been of use; 0 while it is. */
  awayFor(): number
  /** Milliseconds for which memory serves without it. */
  readonly grace: number
  /** Whether a failure is the database's, and not a bug. */
  isAway(thrown: unknown): boolean
}

export interface KeyMemory {
  /** Throws `key.unknown`, `gateway.not-ready` or a database fault. A promise only when memory does not know. */
  get(name: string, by: KeyLook): Principal | Promise<Principal>
  /**
   * Of memory alone, for what may wait for nothing: a key that was good within the time that memory serves alone, whose change
   * nobody heard of. It is confirmed behind the answer. Undefined where `get` would have to wait. Throws `key.unknown`.
   */
  recall(name: string, by: KeyLook): Principal | undefined
  /** One key has changed or is gone, or, without an id, nobody knows which: then each is looked up before it serves again. */
  forget(id?: KeyId): void
}

interface RememberedKey {
  readonly principal: Principal
  /** Milliseconds since 1970, or never. */
  readonly expiresAt: number
  readonly confirmedAt: number
  /** Of which round of doubt the confirmation is. */
  readonly round: number
  /** When the database failed to confirm it: first, and last. */
  failing?: { readonly since: number; last: number } | undefined
}

/** Milliseconds. */
const FRESH_MS = 30_000
/** An unused key leaves memory; a job that runs once a day is still known to it when the database is away. */
const KNOWN = { max: 10_000, ttl: 25 * 60 * 60_000 }
const REFUSED = { max: 10_000, ttl: 2_000 }
const LINE = { atOnce: 4, waiting: 1_000 }
/** Milliseconds that an unknown key waits in a queue that does not move, and then for the database. */
const PATIENCE = { turn: 1_000, look: 1_500 }
/** Milliseconds between two background looks for a key that the database could not confirm. */
const AGAIN_MS = 5_000

export function createKeyMemory(outage: Outage, onUse?: (id: KeyId) => void): KeyMemory {
  const remembered = createRememberedKeys()
  const { known, refused, isFresh } = remembered
  /** After a change all keys may be in doubt at once: many requests of one key are one query. */
  const looking = createSingleFlight<string, RememberedKey>()
  const ask = createAsking(outage)

  /** Whether memory may serve still. A database that is there and refuses to be asked for keys is bounded by its first refusal. */
  function lasts({ failing }: RememberedKey): boolean {
    const away = outage.awayFor()
    return (away > 0 ? away : Date.now() - (failing?.since ?? Date.now())) <= outage.grace
  }

  async function lookUp(name: string, by: KeyLook): Promise<RememberedKey> {
    const { changes, round } = remembered
    const row = await ask(by, known.has(name))
    // An answer from before a change is used for this request and not remembered.
    const current = changes === remembered.changes
    if (row === undefined) {
      known.delete(name)
      if (current) refused.set(name, true)
      throw new Fault('key.unknown')
    }
    const found = { ...knownOf(row), confirmedAt: Date.now(), round }
    if (current) known.set(name, found)
    onUse?.(row.id)
    return found
  }

  /** Where the database does not answer, memory does, unless the key was changed meanwhile. */
  async function confirm(name: string, rememberedKey: RememberedKey, by: KeyLook): Promise<Principal> {
    const { round } = remembered
    try {
      return admit(await looking(`${remembered.changes} ${name}`, () => lookUp(name, by)))
    } catch (thrown) {
      const now = Date.now()
      const isAway = outage.isAway(thrown) || (thrown instanceof Fault && thrown.code === 'gateway.not-ready')
      if (!isAway || known.get(name) !== rememberedKey) throw thrown
      // Every key came in doubt meanwhile: the database may be back.
      if (round !== remembered.round) return confirm(name, rememberedKey, by)
      rememberedKey.failing = { since: rememberedKey.failing?.since ?? now, last: now }
      if (!lasts(rememberedKey)) throw thrown
      return admit(rememberedKey)
    }
  }

  return {
    get(name, by) {
      const rememberedKey = known.get(name)
      if (rememberedKey === undefined) {
        if (refused.has(name)) throw new Fault('key.unknown')
        return looking(`${remembered.changes} ${name}`, () => lookUp(name, by)).then(admit)
      }
      if (isFresh(rememberedKey)) return admit(rememberedKey)
      if (rememberedKey.failing === undefined || !lasts(rememberedKey)) return confirm(name, rememberedKey, by)
      // Callers do not wait again for a database that did not answer a moment ago.
      if (Date.now() - rememberedKey.failing.last > AGAIN_MS) {
        rememberedKey.failing.last = Date.now()
        confirm(name, rememberedKey, by).catch(() => {})
      }
      return admit(rememberedKey)
    },
    recall(name, by) {
      const rememberedKey = known.get(name)
      if (rememberedKey === undefined) return undefined
      if (!isFresh(rememberedKey)) {
        const isSure =
          rememberedKey.round === remembered.round && Date.now() - rememberedKey.confirmedAt <= outage.grace
        const isAlone = outage.awayFor() > 0 && lasts(rememberedKey)
        if (!isSure && !isAlone) return undefined
        if (Date.now() - (rememberedKey.failing?.last ?? 0) > AGAIN_MS) confirm(name, rememberedKey, by).catch(() => {})
      }
      return admit(rememberedKey)
    },
    forget: remembered.forget,
  }
}

/** The keys that memory knows, and the names that belong to none. A change puts them in doubt. */
function createRememberedKeys() {
  const known = new LRUCache<string, RememberedKey>(KNOWN)
  const refused = new LRUCache<string, true>(REFUSED)
  /** Goes up when every key is in doubt, and with each change. */
  let round = 0
  let changes = 0
  return {
    known,
    refused,
    get round() {
      return round
    },
    get changes() {
      return changes
    },
    isFresh: (rememberedKey: RememberedKey) =>
      rememberedKey.round === round && Date.now() - rememberedKey.confirmedAt < FRESH_MS,
    forget(id?: KeyId) {
      changes++
      refused.clear()
      if (id === undefined) {
        round++
        for (const rememberedKey of known.values()) rememberedKey.failing = undefined
        return
      }
      const ended = [...known.entries()].filter(([, { principal }]) => principal.keyId === id)
      for (const [name] of ended) known.delete(name)
    },
  }
}

/** Asks the database in turn. Rejects with `gateway.not-ready` where too many keys wait. */
function createAsking(outage: Pick<Outage, 'awayFor'>) {
  const turns = createTurns(LINE)
  /** Where the database does not answer, that is why a turn did not come. */
  const late = () =>
    outage.awayFor() > 0 ? new Fault('database.unavailable', { problem: 'it does not respond' }) : tooMany()
  return async (by: KeyLook, preferred: boolean): Promise<KeyRow | undefined> => {
    const turn = turns.take(() => by.find(PATIENCE.look), { patience: PATIENCE.turn, preferred })
    if (turn === undefined) throw tooMany()
    const row = await turn.catch((thrown: unknown) => {
      throw thrown instanceof TurnTooLate ? late() : thrown
    })
    return row ?? by.findSlow()
  }
}

const tooMany = () => new Fault('gateway.not-ready', { problem: 'too many unknown keys are being looked up' })

const knownOf = (row: KeyRow) => ({ principal: principalOf(row), expiresAt: row.expires_at?.getTime() ?? Infinity })

/** At each use: that a key runs out changes no row, so nobody would say so. */
function admit({ principal, expiresAt }: Pick<RememberedKey, 'principal' | 'expiresAt'>): Principal {
  if (expiresAt !== Infinity && expiresAt <= Date.now()) throw new Fault('key.unknown')
  return principal
}

/** A caller with a key. */
export const principalOf = (row: KeyRow): Principal => ({
  id: row.id,
  kind: 'key',
  userId: row.user_id ?? undefined,
  organizationId: row.organization_id ?? undefined,
  keyId: row.id,
  role: row.role,
  limit: row.effect_limit,
  toolset: row.toolset ?? undefined,
  resource: undefined,
  endpoint: undefined,
  client: undefined,
  signInId: undefined,
  ...(row.user_id === null ? { keyName: row.name } : {}),
  ...(row.trusted ? { trusted: row.trusted_by === null ? ('waits' as const) : (true as const) } : {}),
})
