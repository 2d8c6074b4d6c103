import type { SeenClient } from '@toolway/contract/admin'
import { describe, expect, test } from 'vitest'
import { checkOf, type ExpectedClient } from './check.ts'

const AT = Date.parse('2026-11-22T12:00:00.000Z')
const time = (minutes: number) => new Date(AT + minutes * 60_000).toISOString()
const row = (name: string, more: Partial<SeenClient>): SeenClient => ({
  client: { name, version: '1' },
  revision: '2025-11-25',
  key_id: null,
  key_name: null,
  user_id: 'usr_a',
  initialize_at: null,
  list_at: null,
  call_at: null,
  seen_at: more.call_at ?? more.list_at ?? more.initialize_at ?? time(-1000),
  ...more,
})
const wanted = (more: Partial<ExpectedClient> = {}): ExpectedClient => ({
  keyId: undefined,
  userId: 'usr_a',
  says: /^cursor/,
  before: { rows: [], at: AT },
  ...more,
})

describe('a live check', () => {
  test('waits while there is nothing new, and takes what was done a moment before for news', () => {
    const old = row('cursor', { initialize_at: time(-60), list_at: time(-3) })
    expect(checkOf([], wanted()).done).toEqual({})
    expect(checkOf([old], wanted({ before: { rows: [old], at: AT } })).done).toEqual({ list_at: time(-3) })
  })

  test('goes by the key that was made, whatever the client calls itself', () => {
    const rows = [row('cursor', { list_at: time(2) }), row('odd', { key_id: 'key_1', initialize_at: time(1) })]
    const { row: found, expected, done } = checkOf(rows, wanted({ keyId: 'key_1' }))
    expect([found?.client?.name, expected, done]).toEqual(['odd', true, { initialize_at: time(1) }])
  })

  test('prefers the name that is expected, and shows another one that is new', () => {
    const [other, own] = [row('claude-code', { call_at: time(5) }), row('cursor-vscode', { initialize_at: time(1) })]
    expect(checkOf([other, own], wanted()).row).toBe(own)
    expect(checkOf([other], wanted())).toMatchObject({ row: other, expected: false, done: { call_at: time(5) } })
    expect(checkOf([other], wanted({ before: { rows: [other], at: AT + 6 * 60_000 } })).row).toBeUndefined()
  })

  test('takes no other person’s client for one’s own', () => {
    expect(checkOf([row('cursor', { user_id: 'usr_b', call_at: time(1) })], wanted()).row).toBeUndefined()
  })

  test('of a client whose name nobody knows takes whatever is new, and nothing else', () => {
    const [old, young] = [row('cursor', { list_at: time(-1) }), row('any', { list_at: time(1) })]
    const before = { rows: [old], at: AT }
    expect(checkOf([old], wanted({ says: undefined, before })).row).toBeUndefined()
    expect(checkOf([old, young], wanted({ says: undefined, before }))).toMatchObject({ row: young, expected: true })
  })
})
