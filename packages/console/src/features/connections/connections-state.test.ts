import { expect, test } from 'vitest'
import { connectionStateOf, CONNECTION_STATES } from '../../data/connection-state.ts'
import { placeOf, problemOf, SIGNS } from './connections-state.ts'

test('a connection is in one of seven states, and a word that nobody knows is no good one', () => {
  expect(
    ['connected', 'error', 'new', 'disabled', 'strange'].map((status) => connectionStateOf({ status, needs: null })),
  ).toEqual(['connected', 'error', 'new', 'disabled', 'error'])
  expect(
    (['app', 'account', 'credential'] as const).map((needs) => connectionStateOf({ status: 'needs_auth', needs })),
  ).toEqual(['needs_app', 'needs_account', 'refused'])
  expect(connectionStateOf({ status: 'connected', needs: null, enabled: false })).toBe('disabled')
})

test('it is at an address, or what is started', () => {
  expect(placeOf({ url: 'https://a.example/mcp', command: null, args: null })).toBe('https://a.example/mcp')
  expect(placeOf({ url: null, command: 'npx', args: ['-y', 'x'] })).toBe('npx -y x')
})

test('what went wrong is said while it matters', () => {
  const said = (status: string) => problemOf({ status, status_reason: 'refused', stale_reason: 'old' })
  expect(['connected', 'error', 'needs_auth', 'disabled'].map(said)).toEqual(['old', 'refused', 'refused', undefined])
  expect(problemOf({ status: 'connected', status_reason: null, stale_reason: null })).toBeUndefined()
})

test('only what is connected has the good sign', () => {
  expect(CONNECTION_STATES.filter((state) => SIGNS[state].icon === 'circle-check')).toEqual(['connected'])
})
