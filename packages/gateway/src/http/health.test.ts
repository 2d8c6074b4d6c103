import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createReadiness, type Health } from './health.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function fixture() {
  const health: Health = { started: true, draining: false }
  const database = { there: true, asked: 0, away: 0 }
  const store = {
    grace: 60_000,
    awayFor: () => database.away,
    look() {
      database.asked++
      return database.there
        ? Promise.resolve()
        : Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7 password=hunter2'))
    },
  }
  const told = { records: undefined as string | undefined }
  const parts = { health, store, limits: () => 'memory', state: 'database', records: () => told.records }
  return { health, database, told, readiness: createReadiness(parts) }
}

describe('readiness', () => {
  test('is given while the gateway runs and its database answers', async () => {
    const { readiness } = fixture()
    expect(await readiness()).toEqual({
      status: 'ready',
      problem: undefined,
      checks: { database: 'ok', records: 'ok', state: 'database', limits: 'memory' },
    })
  })

  test('is degraded while memory serves without the database, lost after that time, and comes back with it', async () => {
    const { readiness, database } = fixture()
    Object.assign(database, { there: false, away: 60_000 })
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      problem: 'serving from memory: the database does not respond',
      checks: { database: 'the database does not respond' },
    })
    database.away = 60_001
    expect(await readiness()).toMatchObject({ status: 'not ready', problem: 'the database does not respond' })
    Object.assign(database, { there: true, away: 0 })
    vi.advanceTimersByTime(1_001)
    expect((await readiness()).status).toBe('ready')
  })

  test('is degraded while records cannot be stored', async () => {
    const { readiness, told } = fixture()
    told.records = 'records cannot be stored and are waiting on disk: its disk is full'
    expect(await readiness()).toMatchObject({
      status: 'degraded',
      problem: told.records,
      checks: { records: told.records },
    })
  })

  test('is not given before the start is done, nor while it shuts down, and says which', async () => {
    const { readiness, health } = fixture()
    health.started = false
    expect(await readiness()).toMatchObject({
      status: 'not ready',
      problem: 'it is starting',
      checks: { database: 'ok' },
    })
    health.started = true
    health.draining = true
    expect(await readiness()).toMatchObject({ status: 'not ready', problem: 'it is shutting down' })
  })

  test('asks the database once a second at most, however many ask', async () => {
    const { readiness, database } = fixture()
    await Promise.all(Array.from({ length: 50 }, readiness))
    expect(database.asked).toBe(1)
    vi.advanceTimersByTime(1_000)
    await readiness()
    expect(database.asked).toBe(1)
    vi.advanceTimersByTime(1)
    await readiness()
    expect(database.asked).toBe(2)
  })
})
