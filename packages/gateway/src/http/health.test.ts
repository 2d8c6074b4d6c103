import { describe, expect, test } from 'vitest'
import { createReadiness, type Health } from './health.ts'

function fixture() {
  const health: Health = { started: true, draining: false }
  const database = { responds: true, away: 0, age: 300 }
  const store = {
    grace: 60_000,
    awayFor: () => database.away,
    known: () => ({ responds: database.responds, age: database.age }),
  }
  const told = { records: undefined as string | undefined }
  const parts = { health, store, limits: () => 'memory', state: 'database', records: () => told.records }
  return { health, database, told, readiness: createReadiness(parts) }
}

describe('readiness', () => {
  test('is given while the gateway runs and its database answers', () => {
    const { readiness } = fixture()
    expect(readiness()).toEqual({
      status: 'ready',
      problem: undefined,
      checks: { database: 'ok', records: 'ok', state: 'database', limits: 'memory' },
      ages: { database: 300 },
    })
  })

  test('is degraded while memory serves without the database, lost after that time, and comes back with it', () => {
    const { readiness, database } = fixture()
    Object.assign(database, { responds: false, away: 60_000 })
    expect(readiness()).toMatchObject({
      status: 'degraded',
      problem: 'serving from memory: the database does not respond',
      checks: { database: 'the database does not respond' },
    })
    database.away = 60_001
    expect(readiness()).toMatchObject({ status: 'not ready', problem: 'the database does not respond' })
    Object.assign(database, { responds: true, away: 0 })
    expect(readiness().status).toBe('ready')
  })

  test('is degraded while records cannot be stored', () => {
    const { readiness, told } = fixture()
    told.records = 'records cannot be stored and are waiting on disk: its disk is full'
    expect(readiness()).toMatchObject({
      status: 'degraded',
      problem: told.records,
      checks: { records: told.records },
    })
  })

  test('is not given before the start is done, nor while it shuts down, and says which', () => {
    const { readiness, health } = fixture()
    health.started = false
    expect(readiness()).toMatchObject({
      status: 'not ready',
      problem: 'it is starting',
      checks: { database: 'ok' },
    })
    health.started = true
    health.draining = true
    expect(readiness()).toMatchObject({ status: 'not ready', problem: 'it is shutting down' })
  })

  test('is degraded while nobody knows how the database is, and says for how long', () => {
    const { readiness, database } = fixture()
    database.age = 5_000
    expect(readiness().status).toBe('ready')
    database.age = 12_400
    expect(readiness()).toMatchObject({
      status: 'degraded',
      checks: { database: 'the state of the database is unknown for 12 s' },
      ages: { database: 12_400 },
    })
  })
})
