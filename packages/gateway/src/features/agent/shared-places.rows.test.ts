/** Places of agent runs that gateways on one database share. */
import type { OrganizationId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeEverywhere } from '../../testing/database.ts'
import { createSharedPlaces } from './shared-places.rows.ts'

const [acme, other, third] = ['org_acme', 'org_other', 'org_third'] as [OrganizationId, OrganizationId, OrganizationId]
const limits = { organization: 2, installation: 3 }
const Nothing = z.object({})
const log = { warn() {} }

describeEverywhere('agent runs of two gateways', (createDatabase) => {
  test('are bounded together, for an organization and in all, also where they begin at once', async () => {
    await using database = await createDatabase()
    const [first, second] = [
      createSharedPlaces({ db: database.db, limits, log }),
      createSharedPlaces({ db: database.db, limits, log }),
    ]
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? first : second).take(at < 8 ? acme : other)),
    )
    const had = taken.filter((place) => place !== undefined)
    expect(had).toHaveLength(3)
    // The database chooses the order.
    for (const places of [taken.slice(0, 8), taken.slice(8)])
      expect([1, 2]).toContain(places.filter((place) => place !== undefined).length)
    had[0]?.[Symbol.dispose]()
    await expect.poll(() => second.take(third), { timeout: 20_000 }).toBeDefined()
    expect(await first.take(third)).toBeUndefined()
  })

  test('of one that was killed count no more after a minute', async () => {
    await using database = await createDatabase()
    const { db } = database
    const places = createSharedPlaces({ db, limits, log })
    await places.take(acme)
    await places.take(acme)
    const silent = (seconds: number) =>
      db.system((sql) => sql(Nothing)`update agent_runs set seen_at = now() - make_interval(secs => ${seconds}::int)`)
    await silent(50)
    expect(await places.take(acme)).toBeUndefined()
    await silent(61)
    expect(await places.take(acme)).toBeDefined()
  })
})
