/**
 * Measures each search of the audit log in a database with ten million records (or `--rows N`). Not part of CI: it takes minutes and
 * gigabytes. `node test/load/search-records.ts postgresql://…` needs an empty database; with `--filled` it measures what is there.
 */
import { parseArgs } from 'node:util'
import { createDb } from '../../packages/gateway/src/db/db.ts'
import { migrate } from '../../packages/gateway/src/db/migrate.ts'
import { countRecords, findRecords, type Filter } from '../../packages/gateway/src/records/query.ts'
import { BIG, fillRecords } from '../../packages/gateway/src/testing/many-records.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '10000000' }, filled: { type: 'boolean', default: false } },
})
const connection = { connectionString: positionals[0] }
if (!values.filled) {
  await migrate(connection)
  await fillRecords(connection, Number(values.rows))
}
const db = createDb({ connection })
const ORG = { organization: BIG }
const week = {
  start: new Date(Date.now() - 60 * 86_400_000).toISOString(),
  end: new Date(Date.now() - 53 * 86_400_000).toISOString(),
}
const SEARCHES: Readonly<Record<string, Filter>> = {
  'no filter': ORG,
  tool: { ...ORG, tool: 'tool_17' },
  'rare tool': { ...ORG, tool: 'rare__tool' },
  connection: { ...ORG, connection: 'connection_3' },
  'rare connection': { ...ORG, connection: 'rare' },
  actor: { ...ORG, actor: 'key_5' },
  'rare actor': { ...ORG, actor: 'key_rare' },
  correlation: { ...ORG, correlation: 'request_4000' },
  'outcome failed': { ...ORG, outcome: 'failed' },
  'outcome ok': { ...ORG, outcome: 'ok' },
  action: { ...ORG, action: 'connection.change' },
  week: { ...ORG, ...week },
  'week and tool': { ...ORG, ...week, tool: 'tool_17' },
  'week and failed': { ...ORG, ...week, outcome: 'failed' },
  'tool, none': { ...ORG, tool: 'nothing' },
  'connection, none': { ...ORG, connection: 'nothing' },
  'actor, none': { ...ORG, actor: 'nobody' },
  'correlation, none': { ...ORG, correlation: 'none' },
  'outcome, none': { ...ORG, outcome: 'unknown' },
  'tool and actor that never met': { ...ORG, tool: 'rare__tool', actor: 'key_rare' },
  'all organizations, actor': { organization: undefined, actor: 'key_rare' },
  'all organizations, correlation': { organization: undefined, correlation: 'request_4000' },
}

const LOOKS = 5
for (const [name, filter] of Object.entries(SEARCHES)) {
  const [found, counted]: [number[], number[]] = [[], []]
  let rows = 0
  for (let look = 0; look < LOOKS; look++) {
    const begun = performance.now()
    const page = await run((sql) => findRecords(sql, filter, { limit: 50, offset: 0 }))
    found.push(performance.now() - begun)
    rows = page.length
    const again = performance.now()
    await run((sql) => countRecords(sql, filter))
    counted.push(performance.now() - again)
  }
  const shown = (times: number[]) =>
    `${Math.max(...times).toFixed(0)} (${times.toSorted((a, b) => a - b)[2]?.toFixed(0)})`
  console.log(
    `${name.padEnd(32)} ${String(rows).padStart(3)} rows   page ${shown(found)} ms   count ${shown(counted)} ms`,
  )

  function run<T>(work: Parameters<typeof db.system<T>>[0]): Promise<T> {
    return filter.organization === undefined
      ? db.system(work)
      : db.organization(filter.organization, work as unknown as Parameters<typeof db.organization<T>>[1])
  }
}
await db.close()
