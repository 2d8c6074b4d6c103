import { expect, test } from 'vitest'
import { byNeed, healthOf } from './health.ts'

const connection = (title: string, status: string, more: object = {}) =>
  ({ title, status, needs: null, enabled: true, stale_reason: null, ...more }) as never

test('what needs somebody comes first, what is off last', () => {
  const sorted = byNeed([
    connection('Off', 'error', { enabled: false }),
    connection('Bee', 'connected'),
    connection('Old', 'connected', { stale_reason: 'it did not respond' }),
    connection('Ant', 'connected'),
    connection('Gone', 'error'),
    connection('Locked', 'needs_auth', { needs: 'account' }),
  ])
  expect(sorted.map(({ title }) => title)).toEqual(['Gone', 'Locked', 'Old', 'Ant', 'Bee', 'Off'])
})

test('a state that nobody here knows is no good one', () => {
  expect(healthOf(connection('New', 'constructor')).tone).toBe('bad')
})
