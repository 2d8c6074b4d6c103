import { expect, test } from 'vitest'
import { placeOf, problemOf, stateOf } from './connections-state.ts'

test('a connection is in one of five states, and a word that nobody knows is no good one', () => {
  expect(
    ['connected', 'needs_auth', 'error', 'new', 'disabled', 'strange'].map((status) => stateOf({ status })),
  ).toEqual(['connected', 'needs_auth', 'error', 'new', 'disabled', 'error'])
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
