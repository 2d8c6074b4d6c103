import type { Json } from '@toolway/protocol'
import { expect, test } from 'vitest'
import { redactMembers, REDACTED } from './members.ts'
import { within } from '../../../../../test/setup/form.ts'

test('lists in lists are gone through at a price that grows as they do, however many stars a path has', () => {
  let value: Json = { secret: 'x' }
  for (let level = 0; level < 45; level++) value = [value]
  const begun = performance.now()
  const made = redactMembers({ rows: value }, [['rows', '*', '*', '*', '*', '*', '*', 'secret']])
  expect(performance.now() - begun).toBeLessThan(within(500))
  expect(JSON.stringify(made)).toBe(JSON.stringify({ rows: value }).replace('"x"', JSON.stringify(REDACTED)))
})
