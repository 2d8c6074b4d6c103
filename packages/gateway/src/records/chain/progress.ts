/** How far a verification is, told at its start and at most twice a second. */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

export interface Progress {
  /** Records that were read by now. */
  readonly records: number
  /** Records that there were when it began; undefined where nobody knows, as for a file. */
  readonly of: number | undefined
  readonly seconds: number
}

/** Milliseconds. */
const EVERY = 500

/** Call it once for each record. */
export function createProgress(of: number | undefined, tell: (progress: Progress) => void): () => void {
  const start = performance.now()
  let [records, last] = [0, start]
  const reportProgress = (now: number) => tell({ records, of, seconds: Math.round((now - start) / 100) / 10 })
  reportProgress(start)
  return () => {
    records++
    const now = performance.now()
    if (now - last < EVERY) return
    last = now
    reportProgress(now)
  }
}

const Counted = z.object({ records: z.number() })

/** Records that the chains of these organizations say to have. */
export async function countChained(sql: OrgSql | SystemSql, organizations: readonly string[]): Promise<number> {
  const [counted] = await sql(Counted)`
    select coalesce(sum(seq - anchor_seq), 0)::float8 as records
      from record_chains where organization_id = any(${[...organizations]}::text[])`
  return counted?.records ?? 0
}
