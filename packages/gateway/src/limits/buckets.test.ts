import { describe, expect, test } from 'vitest'
import { createBuckets } from './buckets.ts'

const clock = (most = 100) => {
  const time = { now: 5_000 }
  return { time, buckets: createBuckets({ now: () => time.now, most }) }
}

describe('a bucket', () => {
  test('S3-RATE-01: holds a hundred, refills by a sixtieth of them each second, and holds no more than a hundred', () => {
    const { time, buckets } = clock()
    const take = () => buckets.take('acme', 100, 1)
    for (let n = 0; n < 100; n++) expect(take()).toBe(0)
    expect(take()).toBeCloseTo(600, 3)
    time.now += 599
    expect(take()).toBeGreaterThan(0)
    time.now += 1
    expect(take()).toBe(0)
    expect(take()).toBeGreaterThan(0)
    time.now += 1_000
    expect([take(), take()]).toEqual([0, expect.any(Number)])
    time.now += 3_600_000
    expect(Array.from({ length: 101 }, take).filter((wait) => wait === 0)).toHaveLength(100)
  })

  test('says no less than the real wait, and the next one after it is let through', () => {
    const { time, buckets } = clock()
    for (const perMinute of [1, 7, 60, 100, 99_991]) {
      const name = String(perMinute)
      while (buckets.take(name, perMinute, 1) === 0);
      const wait = buckets.take(name, perMinute, 1)
      time.now += wait
      expect(buckets.take(name, perMinute, 1)).toBe(0)
    }
  })

  test('takes all of several or none', () => {
    const { buckets } = clock()
    expect(buckets.take('acme', 10, 7)).toBe(0)
    expect(buckets.take('acme', 10, 4)).toBeCloseTo(6_000)
    expect(buckets.take('acme', 10, 3)).toBe(0)
    expect(buckets.take('whole', 10, 50)).toBe(0)
    expect(buckets.take('whole', 10, 1)).toBeGreaterThan(0)
  })

  test('follows a limit that is changed, up and down', () => {
    const { buckets } = clock()
    expect(buckets.take('acme', 100, 1)).toBe(0)
    expect(buckets.take('acme', 2, 2)).toBe(0)
    expect(buckets.take('acme', 2, 1)).toBeGreaterThan(0)
    expect(buckets.take('acme', 1_000, 1)).toBeLessThanOrEqual(60)
  })

  test('takes back what was not used', () => {
    const { buckets } = clock()
    expect(buckets.take('acme', 1, 1)).toBe(0)
    buckets.give('acme', 1)
    expect(buckets.take('acme', 1, 1)).toBe(0)
    expect(buckets.take('acme', 1, 1)).toBeGreaterThan(0)
  })

  test('is nobody else’s', () => {
    const { buckets } = clock()
    expect(buckets.take('acme', 1, 1)).toBe(0)
    expect(buckets.take('other', 1, 1)).toBe(0)
  })

  test('S3-RATE-04: is remembered while it is used, however many others there are, and their number is bounded', () => {
    const { buckets } = clock(100)
    expect(buckets.take('busy', 1, 1)).toBe(0)
    for (let n = 0; n < 10_000; n++) {
      buckets.take(`address ${n}`, 1, 1)
      if (n % 20 === 0) expect(buckets.take('busy', 1, 1)).toBeGreaterThan(0)
      expect(buckets.size).toBeLessThanOrEqual(100)
    }
  })
})
