import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../testing/database.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

describeEachPostgres('the list of sealed columns', (createDatabase) => {
  test('names every bytea column of the schema whose name begins with sealed, and no other', async () => {
    await using database = await createDatabase()
    const columns = await database.db.system(
      (sql) => sql(z.object({ name: z.string() }))`
      select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name like 'sealed%' and data_type = 'bytea'`,
    )
    const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`)
    expect(listed.toSorted()).toEqual(columns.map(({ name }) => name).toSorted())
  })

  test('names what identifies a row by itself', async () => {
    await using database = await createDatabase()
    const keys = await database.db.system(
      (sql) => sql(z.object({ name: z.string() }))`
      select c.table_name || '.' || string_agg(c.column_name, ',' order by c.ordinal_position) as name
        from information_schema.table_constraints t
        join information_schema.key_column_usage c using (constraint_schema, constraint_name)
       where t.constraint_type = 'PRIMARY KEY' and t.table_schema = 'public' group by c.table_name`,
    )
    const known = new Set(keys.map(({ name }) => name))
    for (const { table, id } of SEALED_COLUMNS) {
      const [, hash, reader, at] = /^encode\((\w+), 'hex'\)$|^\((\w+) \|\| ' ' \|\| (\w+)\)$/.exec(id) ?? []
      // Readers are random: with the place of the event they name a row without its organization.
      const key = hash ?? (reader === undefined ? id : `organization_id,${reader},${at}`)
      expect(known, table).toContain(`${table}.${key}`)
    }
  })

  test('S2-ENC-01: binds each value to other words, so that none opens in the place of another', () => {
    const rows = SEALED_COLUMNS.map(({ sealContext }) => sealContext('same'))
    expect(new Set(rows).size).toBe(rows.length)
    for (const { sealContext, table } of SEALED_COLUMNS)
      expect(sealContext('one'), table).not.toBe(sealContext('another'))
  })
})
