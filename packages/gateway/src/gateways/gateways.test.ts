/** The list of gateways on a database: a running one, a killed one and a stopped one. */
import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createKeepGateway } from '../features/runtime/keep-gateway.job.ts'
import { describeEverywhere } from '../testing/database.ts'
import { HEARTBEAT_SECONDS, listGateways, removeGateway, storeGateway, type RunningGateway } from './gateways.ts'

const Nothing = z.object({})
const gateway = (id: string): RunningGateway => ({
  id,
  host: `host-${id}`,
  process: 1,
  version: '1.2.3',
  roles: ['web', 'mcp'],
  startedAt: new Date(0),
})

describeEverywhere('the list of gateways', (createDatabase) => {
  test('has each that runs, one that was killed for a day, and none that stopped', async () => {
    await using database = await createDatabase()
    const { db } = database
    const list = () => db.system(listGateways)
    for (const id of ['a', 'b', 'c']) await db.system((sql) => storeGateway(sql, gateway(id)))
    await db.system((sql) => removeGateway(sql, 'c'))
    expect(await list()).toMatchObject([
      { id: 'a', host: 'host-a', version: '1.2.3', roles: ['web', 'mcp'], started_at: new Date(0), responding: true },
      { id: 'b', responding: true },
    ])
    const missed = (id: string, seconds: number) =>
      db.system(
        (sql) => sql(Nothing)`
          update gateways set seen_at = now() - make_interval(secs => ${seconds}::int) where id = ${id}`,
      )
    await missed('a', 4 * HEARTBEAT_SECONDS)
    expect(await list()).toMatchObject([
      { id: 'b', responding: true },
      { id: 'a', responding: false },
    ])
    // Its next heartbeat, and that of another gateway a day later.
    await db.system((sql) => storeGateway(sql, gateway('a')))
    expect(await list()).toMatchObject([{ id: 'a', responding: true }, { id: 'b' }])
    await missed('a', 90_000)
    await db.system((sql) => storeGateway(sql, gateway('b')))
    expect((await list()).map(({ id }) => id)).toEqual(['b'])
  })
})

test('a gateway renews its row, goes on when the database is away, and removes the row when it stops', async () => {
  vi.useFakeTimers()
  try {
    const done: string[] = []
    let away = false
    const keeping = createKeepGateway({
      store: async () => {
        if (away) throw new Error('away')
        done.push('stored')
      },
      remove: async () => void done.push('removed'),
      log: { warn: () => void done.push('warned') },
      every: 1_000,
    })
    await vi.advanceTimersByTimeAsync(1_000)
    away = true
    await vi.advanceTimersByTimeAsync(1_000)
    away = false
    await vi.advanceTimersByTimeAsync(1_000)
    await keeping.close()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(done).toEqual(['stored', 'stored', 'warned', 'stored', 'removed'])
  } finally {
    vi.useRealTimers()
  }
})
