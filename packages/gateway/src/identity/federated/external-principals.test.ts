/** Tests the comparison of keys of the environment. Principals vouched for by others are tested at the endpoints. */
import * as crypto from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Principal } from '../principal.ts'
import { createExternalPrincipals } from './external-principals.ts'

vi.mock('node:crypto', async (original) => {
  const real = await original<typeof crypto>()
  return { ...real, timingSafeEqual: vi.fn(real.timingSafeEqual) }
})
const compared = vi.mocked(crypto.timingSafeEqual)
beforeEach(() => void compared.mockClear())

const KEYS = ['a text of sixteen', 'another one, that is longer than the first']
const externalPrincipals = createExternalPrincipals({
  environment: KEYS.map((key) => ({ key, principal: () => ({ id: key }) as Principal })),
  sources: [],
  place: () => expect.fail('nobody vouches here'),
})

test.each([
  ['the first key', KEYS[0] ?? '', KEYS[0]],
  ['the last key', KEYS[1] ?? '', KEYS[1]],
  ['a key that differs in its first byte', 'A text of sixteen', undefined],
  ['a key that differs in its last byte', 'a text of sixteeN', undefined],
  ['a key of another length', 'a', undefined],
  ['nothing', '', undefined],
])('S1-ORG-03: %s is compared in constant time, as a digest and with every key', (_, given, found) => {
  expect((externalPrincipals.find(given) as Principal | undefined)?.id).toBe(found)
  expect(compared).toHaveBeenCalledTimes(KEYS.length)
  for (const [one, other] of compared.mock.calls) expect([one.byteLength, other.byteLength]).toEqual([32, 32])
})
