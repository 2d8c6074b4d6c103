/**
 * From one root key to the next while gateways go on, in steps that may be killed and run again:
 *
 * 1. a new key is in its source; 2. the database knows it and every gateway has loaded it, sealing with the old one still;
 * 3. the database says that it seals; 4. every value is sealed anew. Until 4 has ended another run goes on with 4.
 */
import type { Db, SystemSql } from '../db/db.ts'
import { countWithNoun } from '../lib/count-with-noun.ts'
import { countSealed } from './count-sealed.ts'
import type { FoundKey, KeySources } from './key-sources.ts'
import { addWrappedKey, readWrappedKeys, removeWrappedKey } from './key-service/wrapped-rows.ts'
import { resealAll, type Resealed } from './reseal.ts'
import {
  bindRing,
  bindRingIn,
  knownFingerprints,
  lockRing,
  readRemembered,
  writeRemembered,
  type BoundRing,
} from './ring.ts'
import { idOf } from './root.ts'
import { createVault } from './vault.ts'

export interface RotateParts {
  readonly db: Db
  readonly sources: KeySources
  /** Written in the transaction of the change. */
  record(sql: SystemSql, action: 'rotate' | 'retire', id: string, detail: object): Promise<void>
  /** Resolves when every gateway had time to load the new key; throws where one says that it has not got it. */
  settle(id: string): Promise<void>
  onStep?(step: 'key made' | 'key known' | 'key seals', id: string): void
  onProgress?(column: string, done: number): void
  /** Values of one transaction. */
  readonly batch?: number
}

export interface Rotated extends Resealed {
  readonly id: string
  readonly source: string
  /** An earlier rotation was brought to its end, and no new key made. */
  readonly resumed: boolean
}

export async function rotate(parts: RotateParts): Promise<Rotated> {
  if (await isUnfinished(parts)) {
    const rest = await reseal(parts)
    // The values left when none could be sealed again open with no key; they must not block the next rotation.
    if (rest.done > 0) return { ...rest, resumed: true }
  }
  await change(parts)
  return { ...(await reseal(parts)), resumed: false }
}

async function reseal({ db, sources, ...how }: RotateParts): Promise<Omit<Rotated, 'resumed'>> {
  const { keys, ring } = await bindRing(db, sources)
  const resealed = await resealAll({ ...how, db, vault: createVault(ring) })
  return { ...resealed, id: keys[0].id, source: keys[0].source }
}

/** Values of format 1 name no key; before a first rotation they are this one's. */
const isUnfinished = ({ db, sources }: RotateParts): Promise<boolean> =>
  db.system(async (sql) => {
    const { keys } = await bindRingIn(sql, sources)
    const counts = await countSealed(sql)
    return keys.length > 1 && counts.some(({ key }) => key !== keys[0].id && key !== 'foreign')
  })

async function change({ db, sources, record, settle, onStep }: RotateParts): Promise<void> {
  // Under the lock from the look to the note: of two that run at once the second finds the first one's key.
  const { from, next } = await db.system(async (sql) => {
    const bound = await bindRingIn(sql, sources)
    const [current, ...others] = bound.keys
    const next = (await nextOf(sql, sources, bound)) ?? (await sources.makeNext(current))
    if (next.wrapped !== undefined) await addWrappedKey(sql, next.wrapped)
    onStep?.('key made', next.id)
    await writeRemembered(
      sql,
      current.fingerprint,
      [next, ...others].map(({ fingerprint }) => fingerprint),
    )
    return { from: current, next }
  })
  onStep?.('key known', next.id)
  await settle(next.id)
  await db.system(async (sql) => {
    await lockRing(sql)
    const known = await readRemembered(sql)
    if (known?.fingerprint !== from.fingerprint) return
    await writeRemembered(sql, next.fingerprint, knownFingerprints(known))
    await record(sql, 'rotate', next.id, { from: from.id, source: next.source })
  })
  onStep?.('key seals', next.id)
}

/** A key that waits: made by a run that was killed, or put by its owner where it comes before the one that seals. */
async function nextOf(
  sql: SystemSql,
  sources: KeySources,
  { keys, unknown }: BoundRing,
): Promise<FoundKey | undefined> {
  const [current] = keys
  const order = (await sources.find(await readWrappedKeys(sql))).keys
  const before = order.slice(
    0,
    order.findIndex(({ id }) => id === current.id),
  )
  return before.find(({ id }) => unknown.some((key) => key.id === id) || keys.some((key) => key.id === id))
}

/** Why a key stays, for the person who wants it gone. */
export class KeyStays extends Error {}

/** Forget a key that nothing is sealed with; the places in the environment where its owner has still to remove it. */
export async function retire({ db, sources, record }: Pick<RotateParts, 'db' | 'sources' | 'record'>, id: string) {
  await db.system(async (sql) => {
    await lockRing(sql)
    const known = await readRemembered(sql)
    const all = known === undefined ? [] : knownFingerprints(known)
    if (known === undefined || !all.some((value) => idOf(value) === id)) {
      // Forgotten by a run that was killed before the key was dropped.
      if ((await sources.find(await readWrappedKeys(sql))).keys.some((key) => key.id === id))
        return removeWrappedKey(sql, id)
      throw new KeyStays(`This database has no vault key ${id}: \`toolway vault status\` lists its keys.`)
    }
    if (idOf(known.fingerprint) === id)
      throw new KeyStays(`The vault key ${id} is used for encryption: run \`toolway vault rotate\` first.`)
    const counts = (await countSealed(sql)).filter(({ key }) => key === id || key === 'unnamed')
    const count = counts.reduce((sum, sealedCount) => sum + sealedCount.count, 0)
    if (count > 0)
      throw new KeyStays(
        `${countWithNoun(count, 'value is', 'values are')} still encrypted with the vault key ${id} (${counts.map(({ column }) => column).join(', ')}): run \`toolway vault rotate\` to completion first.`,
      )
    await writeRemembered(
      sql,
      known.fingerprint,
      all.filter((value) => idOf(value) !== id),
    )
    await removeWrappedKey(sql, id)
    await record(sql, 'retire', id, {})
  })
  // Forgotten first: a key that is gone from its file and that the database still knows would refuse the next start.
  return sources.drop(id)
}
