import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairShare } from './fair-share.ts'

const fill = (share: FairShare, organization: string): number => {
  for (let count = 0; ; count++) if (share.take(organization) === undefined) return count
}

test('an organization alone gets four fifths, and each that comes later gets its part of what is left', () => {
  const share = new FairShare(5_000)
  expect(['a', 'b', 'c', 'd'].map((organization) => fill(share, organization))).toEqual([4_000, 800, 160, 32])
  expect(share.take('new')).toBeDefined()
})

test('places that were given back are counted once, and are free for anybody', () => {
  const share = new FairShare(1)
  const leave = share.take('a')
  expect([leave === undefined, share.take('b')]).toEqual([false, undefined])
  leave?.()
  leave?.()
  expect([share.size, share.take('b') === undefined]).toEqual([0, false])
})

test('there are never more than there are places, whoever comes and goes', () => {
  const step = fc.record({ organization: fc.constantFrom('a', 'b', 'c'), comes: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step), (most, steps) => {
      const share = new FairShare(most)
      const held: (() => void)[] = []
      for (const { organization, comes } of steps) {
        if (!comes) held.pop()?.()
        else held.push(...[share.take(organization)].filter((one) => one !== undefined))
        expect(share.size).toBe(held.length)
        expect(share.size).toBeLessThanOrEqual(most)
      }
    }),
  )
})
