import { expect, test } from 'vitest'
import { CONNECTION_STATES } from '../../data/connection-state.ts'
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

test.each(CONNECTION_STATES)('only what is connected is shown as good: %s', (state) => {
  const needs = { needs_app: 'app', needs_account: 'account', refused: 'credential' }[state as string] ?? null
  const status = needs === null ? state : 'needs_auth'
  const one = connection('One', status, { needs, enabled: state !== 'disabled' })
  expect(healthOf(one).tone === 'good').toBe(state === 'connected')
})
