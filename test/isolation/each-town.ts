/** The same suite in a town on the embedded PostgreSQL and in one on the server that TEST_DATABASE_URL names. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openTown, type Town, type TownOptions } from './town.ts'

/** One gateway for each database: the suites leave in it what they found. `town` is for the tests, not for their titles. */
export function describeEachTown(name: string, options: TownOptions, suite: (town: () => Town) => void): void {
  const on = (where: string, more: TownOptions) =>
    describe(`${name} (${where} PostgreSQL)`, () => {
      let town: Town | undefined
      beforeAll(async () => void (town = await openTown({ ...options, ...more })))
      afterAll(() => town?.[Symbol.asyncDispose]())
      suite(() => {
        if (town === undefined) throw new Error('the town was not opened')
        return town
      })
    })
  on('embedded', {})
  const server = inject('outsidePostgres')
  if (server !== null) on('outside', { server })
  else if (process.env['CI'] === 'true')
    test(`${name} (outside PostgreSQL)`, () => expect.fail('CI has to set TEST_DATABASE_URL to a PostgreSQL server'))
}
