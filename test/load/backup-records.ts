/**
 * Measures a backup of a million records (or `--rows N`), its verification and its restore: time, and peak memory of each process.
 * Not part of CI: it takes minutes and gigabytes. `node test/load/backup-records.ts postgresql://…/full postgresql://…/empty` needs two
 * empty databases; with `--filled` the first one has its records already. The chains are real ones, so that all of them are verified.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OrganizationId } from '@toolway/contract'
import { createDb, type SystemSql } from '../../packages/gateway/src/db/db.ts'
import { migrate } from '../../packages/gateway/src/db/migrate.ts'
import { chainLines } from '../../packages/gateway/src/records/chain/chain-lines.ts'
import { verify } from '../../packages/gateway/src/records/chain/verify.ts'
import { storeRecords } from '../../packages/gateway/src/records/records.ts'
import { testEntry } from '../../packages/gateway/src/testing/record-entry.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '1000000' }, filled: { type: 'boolean', default: false } },
})
const [full = '', empty = ''] = positionals
const MAIN = join(import.meta.dirname, '../../packages/gateway/src/main.ts')
const PASSPHRASE = 'correct horse battery staple'
const BATCH = 2_000

async function fill(connectionString: string, count: number): Promise<void> {
  await migrate({ connectionString })
  const db = createDb({ connection: { connectionString } })
  for (let at = 0; at < count; at += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, count - at) }, (_, more) => {
      const number = at + more
      return testEntry({
        timestamp: new Date().toISOString(),
        org_id: `org_${number % 5}` as OrganizationId,
        tool_name: `web__tool_${number % 300}`,
        request_id: `request_${number}`,
        ip_address: '192.0.2.1',
        detail: { arguments: { text: `line ${number}\n\tä€😀 \\` }, status: 200 },
      })
    })
    await db.system((sql) => storeRecords(sql, entries))
  }
  await db.close()
}

/** Runs a command to its end, and prints how long it took and how much memory it had at most (Linux). */
async function measure(words: readonly string[], databaseUrl: string, directory: string): Promise<void> {
  const begun = performance.now()
  const child = spawn(process.execPath, [MAIN, ...words, '--passphrase-env', 'BACKUP_PASSPHRASE'], {
    env: { ...process.env, DATABASE_URL: databaseUrl, TOOLWAY_DATA: directory, BACKUP_PASSPHRASE: PASSPHRASE },
    stdio: 'inherit',
  })
  let peak = 0
  const look = setInterval(() => {
    readFile(`/proc/${child.pid}/status`, 'utf8').then(
      (text) => (peak = Number(/VmHWM:\s+(\d+)/.exec(text)?.[1] ?? peak)),
      () => {},
    )
  }, 50)
  const [code] = (await once(child, 'close')) as [number | null]
  clearInterval(look)
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
  console.log(`${words[0]} ${words[1]}: exit ${code}, ${seconds} s, at most ${Math.round(peak / 1024)} MiB`)
  if (code !== 0) process.exitCode = 1
}

const folder = await mkdtemp(join(tmpdir(), 'toolway-backup-records-'))
try {
  if (!values.filled) await fill(full, Number(values.rows))
  const file = join(folder, 'records.toolway')
  await measure(['backup', 'make', file], full, join(folder, 'from'))
  console.log(`${((await stat(file)).size / 1024 / 1024).toFixed(0)} MiB`)
  await measure(['backup', 'verify', file], full, join(folder, 'from'))
  await measure(['restore', file], empty, join(folder, 'to'))
  const db = createDb({ connection: { connectionString: empty } })
  const look = <T>(work: (sql: SystemSql) => Promise<T>) => db.system(work)
  for (const organization of ['org_0', 'org_1', 'org_2', 'org_3', 'org_4']) {
    const trust = { fingerprints: [], checkpoints: [] }
    const [verdict] = await verify(chainLines({ look, organization, now: new Date() }), trust)
    console.log(
      `restored: ${organization} ${verdict?.good === true ? 'valid' : 'INVALID'}, ${verdict?.records} records`,
    )
  }
  await db.close()
} finally {
  await rm(folder, { recursive: true, force: true })
}
