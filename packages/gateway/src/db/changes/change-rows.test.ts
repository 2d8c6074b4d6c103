/** Tests that waiting changes are moved in the order in which they came. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEachPostgres } from '../../testing/database.ts'
import { waitingChanges } from './change-rows.ts'

describeEachPostgres('waiting changes', (createDatabase) => {
  test('are moved in the order of their numbers, where one number has more digits than another', async () => {
    await using database = await createDatabase()
    const found = await database.db.system(async (sql) => {
      await sql(z.object({}))`
        insert into changes (seq, payload) overriding system value select n, n::text from unnest(array[8, 9, 10, 11]) as n`
      return waitingChanges(sql, 3)
    })
    expect(found.map(({ payload }) => payload)).toEqual(['8', '9', '10'])
  })
})
