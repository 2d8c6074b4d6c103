/** Many rows of one table in one statement each thousand: the columns are the members of the first row, and all rows have the same. */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../packages/gateway/src/db/db.ts'

/** Plain values as JSON has them; a Buffer is a `bytea`. */
export type Row = Readonly<Record<string, unknown>>

const BATCH = 1000
const Nothing = z.object({})
const NAME = /^[a-z_]+$/

export async function insert(sql: OrgSql | SystemSql, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  for (const name of [table, ...columns]) if (!NAME.test(name)) throw new TypeError(`${name} is no name`)
  const texts = [
    `insert into ${table} (${columns.join()}) select ${columns.join()} from jsonb_populate_recordset(null::${table}, `,
    '::jsonb)',
  ]
  const template = Object.assign([...texts], { raw: texts }) as unknown as TemplateStringsArray
  for (let from = 0; from < rows.length; from += BATCH)
    await sql(Nothing)(template, JSON.stringify(rows.slice(from, from + BATCH).map(withBytes)))
}

const withBytes = (row: Row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      Buffer.isBuffer(value) ? String.raw`\x${value.toString('hex')}` : value,
    ]),
  )
