import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createReadiness, type Health } from './health.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function fixture() {
  const health: Health = { started: true, draining: false }
  const database = { there: true, asked: 0 }
  const store = () => {
    database.asked++
    return database.there
      ? Promise.resolve()
      : Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7 password=hunter2'))
  }
  return { health, database, readiness: createReadiness({ health, store, limits: () => 'memory' }) }
}

describe('readiness', () => {
  test('is given while the gateway runs and its database answers', async () => {
    const { readiness } = fixture()
    expect(await readiness()).toEqual({
      ready: true,
      problem: undefined,
      checks: { database: 'ok', state: 'single', limits: 'memory' },
    })
  })

  test('is lost with the database and comes back with it', async () => {
    const { readiness, database } = fixture()
    database.there = false
    expect(await readiness()).toEqual({
      ready: false,
      problem: 'the database does not answer',
      checks: { database: 'the database does not answer', state: 'single', limits: 'memory' },
    })
    database.there = true
    vi.advanceTimersByTime(1_001)
    expect((await readiness()).ready).toBe(true)
  })

  test('is not given before the start is done, nor while it shuts down, and says which', async () => {
    const { readiness, health } = fixture()
    health.started = false
    expect(await readiness()).toMatchObject({ ready: false, problem: 'it is starting', checks: { database: 'ok' } })
    health.started = true
    health.draining = true
    expect(await readiness()).toMatchObject({ ready: false, problem: 'it is shutting down' })
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
