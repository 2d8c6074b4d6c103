import { createHmac, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSessionNames } from './session-names.ts'

const hashWith = (key: string) => (text: string) => createHmac('sha256', key).update(text).digest()

test('a name looks like any UUID of version 4, and another gateway with the same key reads how old it is', () => {
  let now = 1_800_000_000_000
  const [first, second] = [0, 1].map(() => createSessionNames(() => now, hashWith('shared')))
  const names = Array.from({ length: 200 }, () => first?.make() ?? '')
  expect(new Set(names).size).toBe(200)
  for (const name of names) expect(name).toMatch(/^[\da-f]{12}4[\da-f]{3}[89ab][\da-f]{15}$/)
  // The time does not show.
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBeGreaterThan(150)
  now += 1_500
  for (const name of names) expect(second?.ageOf(name)).toBe(1_500)
})

test('a name that somebody made up, or that was changed, is of no age that a session can have', () => {
  const names = createSessionNames(Date.now, hashWith('shared'))
  const year = 366 * 24 * 60 * 60_000
  const ages = Array.from({ length: 200 }, () => Math.abs(names.ageOf(randomUUID().replaceAll('-', ''))))
  expect(ages.filter((age) => age < year).length).toBeLessThan(3)
  expect(Math.abs(createSessionNames(Date.now, hashWith('other')).ageOf(names.make()))).toBeGreaterThan(60_000)
})
