/**
 * Removal of files that are over: rows whose time has come, uploads that nobody completed, and content whose row is gone. Content is removed
 * from the store first and forgotten after, so that a killed sweep loses nothing; every gateway may sweep at the same time.
 */
import type { Db } from '../../db/db.ts'
import type { Blobs } from './blobs/blobs.ts'
import { removeOldLinks } from './file-links.rows.ts'
import { forgetRemoval, orphansOf, removeOver, takeRemovals } from './removals.rows.ts'

export interface FileSweep {
  /** Expired files, abandoned uploads, old addresses, and the content of all that is gone. */
  sweep(): Promise<void>
  /** Content that no row names, of organizations that are here: what a database restored from a backup does not know. */
  sweepOrphans(): Promise<number>
}

const BATCH = 100
/** Failures of one batch after which the store is left alone until the next sweep. */
const MOST_FAILED = 3
/** Content is looked at as an orphan only when it is so many milliseconds old. */
const SETTLED_MS = 60 * 60_000

export function createFileSweep({ db, blobs }: { db: Pick<Db, 'system'>; blobs: Blobs }): FileSweep {
  return {
    async sweep() {
      await db.system(removeOver)
      await db.system(removeOldLinks)
      for (let removed = BATCH; removed === BATCH;) removed = await removeContent(db, blobs)
    },
    async sweepOrphans() {
      let removed = 0
      let batch: string[] = []
      const flush = async () => {
        const orphans = await db.system((sql) => orphansOf(sql, [...new Set(batch)]))
        for (const { id } of orphans) await blobs.remove(id, undefined)
        removed += orphans.length
        batch = []
      }
      const before = Date.now() - SETTLED_MS
      for await (const { key, changedAt } of blobs.keys()) {
        if (changedAt.getTime() < before) batch.push(key)
        if (batch.length >= BATCH) await flush()
      }
      if (batch.length > 0) await flush()
      return removed
    },
  }
}

async function removeContent(db: Pick<Db, 'system'>, blobs: Blobs): Promise<number> {
  const removals = await db.system((sql) => takeRemovals(sql, BATCH))
  const failed: unknown[] = []
  for (const { storage_key: key, parts } of removals) {
    try {
      await blobs.remove(key, parts ?? undefined)
      await db.system((sql) => forgetRemoval(sql, key))
    } catch (thrown) {
      // One content that cannot be removed does not keep the others; a store that is away keeps all of them.
      failed.push(thrown)
      if (failed.length === MOST_FAILED) break
    }
  }
  if (failed.length > 0) throw failed[0]
  return removals.length
}
