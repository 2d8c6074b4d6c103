/** Searches of many records go by an index that begins with the organization, and never read a whole partition. */
import pg from 'pg'
import { expect, test } from 'vitest'
import type { OrgSql } from '../db/db.ts'
import { withParts } from '../db/sql-part.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { BIG, fillRecords } from '../testing/many-records.ts'
import { countShadows } from './call-records.ts'

const SEARCHES = {
  tool: `target = 'rare__tool' and kind = 'call'`,
  connection: `connection = 'rare'`,
  actor: `principal = 'key_rare'`,
  correlation: `correlation_id = 'request_4000'`,
  outcome: `outcome = 'unknown'`,
  code: `code = 'rare.code'`,
  action: `method = 'connection.change'`,
  time: `at >= now() - interval '60 days' and at < now() - interval '59 days'`,
}

describeEachPostgres('searches among 200,000 records', (createDatabase) => {
  test('use an index for each filter, and read no partition as a whole', { tags: 'long' }, async () => {
    await using database = await createDatabase()
    await fillRecords(database.connection, 200_000)
    const client = new pg.Client(database.connection)
    await client.connect()
    for (const [name, filter] of Object.entries(SEARCHES)) {
      await client.query(
        `begin; set local role toolway_organization; select set_config('app.organization', '${BIG}', true)`,
      )
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain select id from records where organization_id = '${BIG}' and ${filter} order by seq desc limit 50`,
      )
      await client.query('rollback')
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(plan, name).toMatch(/Index (Only )?Scan|Bitmap Index Scan/)
      expect(plan, name).not.toMatch(/Seq Scan on records_before/)
    }
    const { text, values } = statementOf((sql) => countShadows(sql, new Date(Date.now() - 7 * 86_400_000), 10_001))
    await client.query(
      `begin; set local role toolway_organization; select set_config('app.organization', '${BIG}', true)`,
    )
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values)
    // Those of the last days, by when they were: in the order of their tools, all records of the organization are read.
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Cond: .*at >= /)
    await client.end()
  })
})

/** The statement that a question sends to the database. */
function statementOf(ask: (sql: OrgSql) => unknown): { text: string; values: unknown[] } {
  let sent = { text: '', values: [] as unknown[] }
  const sql =
    () =>
    (template: TemplateStringsArray, ...parameters: unknown[]) => {
      const { strings, values } = withParts({ strings: template, values: parameters })
      sent = { text: strings.reduce((text, next, at) => `${text}$${at}${next}`), values: [...values] }
      return Promise.resolve([])
    }
  void ask(sql as unknown as OrgSql)
  return sent
}
