import type { FamilyId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { createEndedSignIns } from './ended-sign-ins.ts'

const id = (name: string) => name as FamilyId

test('a sign-in that ended is known until its last access token has expired, and forgotten then', async () => {
  let time = 1_000_000
  const since: Date[] = []
  const ended = createEndedSignIns({
    now: () => time,
    lifetime: 1_800,
    list(from) {
      since.push(from)
      return Promise.resolve([{ id: id('before') }])
    },
  })
  await ended.load()
  ended.add(id('now'))
  expect([ended.has(id('before')), ended.has(id('now')), ended.has(id('other'))]).toEqual([true, true, false])
  expect(since).toEqual([new Date(1_000_000 - 1_860_000)])
  time += 1_800_000
  ended.add(id('later'))
  expect(ended.has(id('now'))).toBe(true)
  time += 61_000
  ended.add(id('last'))
  expect([ended.has(id('before')), ended.has(id('now')), ended.has(id('later'))]).toEqual([false, false, true])
})
