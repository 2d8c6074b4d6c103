import { expect, test } from 'vitest'
import * as z from 'zod'
import { makeIds, MAX_IDS } from './ids.ts'

test('random ids are of version 4 and all different', () => {
  const ids = makeIds('v4', MAX_IDS, 0)
  expect(new Set(ids).size).toBe(MAX_IDS)
  for (const id of ids) expect(z.uuidv4().safeParse(id).success).toBe(true)
})

test('timed ids are of version 7, carry the time and stay in order', () => {
  const ids = makeIds('v7', MAX_IDS, Date.UTC(2026, 0, 1))
  for (const id of ids) expect(z.uuidv7().safeParse(id).success).toBe(true)
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(MAX_IDS)
  expect(Number.parseInt((ids[0] ?? '').replaceAll('-', '').slice(0, 12), 16)).toBe(Date.UTC(2026, 0, 1))
})
