/** Counts the values sealed with each root key, by column. Counted by the database, which sees no value. */
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'
import { KEY_ID_LENGTH_BYTES } from './root.ts'
import { SEALED_COLUMNS, withNames, type SealedColumn } from './sealed-columns.ts'

export interface SealedCount {
  readonly column: string
  /** A key's id; `unnamed` for values of format 1; `foreign` for another program's; `plain` for what nobody sealed. */
  readonly key: string
  readonly count: number
}

const Row = z.object({ key: z.string(), count: z.int() })

const countColumn = (sql: SystemSql, column: SealedColumn) => {
  const selectSealed = (texts: TemplateStringsArray, ...values: readonly unknown[]) =>
    sql(Row)(withNames(texts, column), ...values)
  return selectSealed`
    select case when substring(@column from 1 for 1) = '\\x02'
                then encode(substring(@column from 2 for ${KEY_ID_LENGTH_BYTES}), 'hex')
                when substring(@column from 1 for 1) = '\\x01' then 'unnamed'
                when substring(@column from 1 for 4) = 'enc:'::bytea then 'foreign'
                else 'plain' end as key,
           count(*)::int as count
      from @table where @column is not null group by 1 order by 1`
}

export async function countSealed(sql: SystemSql): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const column of SEALED_COLUMNS)
    for (const { key, count } of await countColumn(sql, column))
      counts.push({ column: `${column.table}.${column.column}`, key, count })
  return counts
}
