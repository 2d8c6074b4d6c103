/**
 * What the audit log costs beside many records: one batch stored, and one search by an index. Times include PostgreSQL, which does
 * nearly all of the work.
 */
import { chmodSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OrganizationId } from '@toolway/contract'
import { openStore } from '../../../packages/gateway/src/base/open-store.ts'
import { findEmbeddedPostgres } from '../../../packages/gateway/src/db/embedded-postgres.ts'
import type { Db } from '../../../packages/gateway/src/db/db.ts'
import { findRecords } from '../../../packages/gateway/src/records/query.ts'
import { storeRecords } from '../../../packages/gateway/src/records/records.ts'
import { BIG, fillRecords } from '../../../packages/gateway/src/testing/many-records.ts'
import { testEntry } from '../../../packages/gateway/src/testing/record-entry.ts'
import { median } from '../median.ts'

export interface RecordsRow {
  readonly records: number
  /** Milliseconds for a batch of BATCH. */
  readonly insertMs: number
  /** Milliseconds for the newest 50 of a tool that is rare among them. */
  readonly searchMs: number
}

export const BATCH = 100
const TURNS = 25
const silent = { debug() {}, info() {}, warn() {}, error() {} }

export async function measureRecords(count: number, say: (line: string) => void): Promise<RecordsRow[]> {
  return [await measureWith(0, say), await measureWith(count, say)]
}

/** In a database of its own. */
async function measureWith(records: number, say: (line: string) => void): Promise<RecordsRow> {
  const directory = mkdtempSync(join(tmpdir(), 'toolway-growth-records-'))
  // Under root, PostgreSQL runs as another user, who must be able to pass through.
  chmodSync(directory, 0o755)
  const data = join(directory, 'data')
  try {
    const store = await openStore({ directory: data, databaseUrl: undefined, keys: {}, owner: true, log: silent })
    try {
      say(`a database with ${records} records`)
      const connection = await findEmbeddedPostgres({ directory: data })
      if (connection === undefined) throw new Error('the database that was just started is not there')
      if (records > 0) await fillRecords(connection, records)
      return { records, ...(await measure(store.db)) }
    } finally {
      await store.close()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function measure(db: Db): Promise<Omit<RecordsRow, 'records'>> {
  const [inserts, searches]: [number[], number[]] = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    const batch = Array.from({ length: BATCH }, () =>
      testEntry({ org_id: BIG as OrganizationId, timestamp: new Date().toISOString() }),
    )
    const began = performance.now()
    await db.system((sql) => storeRecords(sql, batch))
    inserts.push(performance.now() - began)
    const asked = performance.now()
    const filter = { organization: BIG, tool: 'rare__tool' }
    await db.organization(BIG, (sql) => findRecords(sql, filter, { limit: 50, offset: 0 }))
    searches.push(performance.now() - asked)
  }
  return { insertMs: median(inserts), searchMs: median(searches) }
}
