import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId, type ConnectionId, type OrganizationId } from './ids.ts'

test('an id says its kind and is a ULID in lower case', () => {
  for (const prefix of ['org', 'key', 'con', 'tls', 'rec', 'imp'] as const) {
    expect(newId(prefix)).toMatch(new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`))
  }
})

test('ids sort by the time they were made at', () => {
  const times = fc.nat({ max: 2 ** 48 - 1 })
  fc.assert(
    fc.property(times, times, (a, b) => {
      fc.pre(a !== b)
      expect(newId('rec', a) < newId('rec', b)).toBe(a < b)
    }),
  )
})

test('the time of an id is that of the ULID specification, from its first to its last millisecond', () => {
  const timeOf = (now: number) => newId('rec', now).slice('rec_'.length, 'rec_'.length + 10)
  expect(timeOf(0)).toBe('0000000000')
  expect(timeOf(1_469_918_176_385)).toBe('01aryz6s41')
  expect(timeOf(2 ** 48 - 1)).toBe('7zzzzzzzzz')
})

test('ten thousand ids of one millisecond are ten thousand ids, and use every digit at every place', () => {
  const ids = Array.from({ length: 10_000 }, () => newId('con', 0))
  expect(new Set(ids).size).toBe(ids.length)
  for (let place = 14; place < 30; place++) expect(new Set(ids.map((id) => id[place])).size).toBe(32)
})

test('an id of one kind does not compile where another is meant', () => {
  const take = (id: OrganizationId) => id
  const connection: ConnectionId = newId('con')
  // @ts-expect-error A connection's id is no organization's.
  take(connection)
  // @ts-expect-error Nor is a text that nobody minted.
  take('org_x')
  expect(take(newId('org'))).toMatch(/^org_/)
})
