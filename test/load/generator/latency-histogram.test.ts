import { describe, expect, test } from 'vitest'
import { bucketEndMs, createLatencyHistogram, percentile } from './latency-histogram.ts'

const histogramOf = (latencies: readonly number[]) => {
  const histogram = createLatencyHistogram()
  for (const ms of latencies) histogram.record(ms)
  return histogram
}

describe('a latency histogram', () => {
  test('tells short latencies to the microsecond', () => {
    const buckets = histogramOf([0.001, 0.002, 0.127, 0.127]).buckets()
    expect(percentile(buckets, 0.5)).toBe(0.002)
    expect(percentile(buckets, 0.99)).toBe(0.127)
  })

  test('tells any latency within 1.6 %, also where a bucket begins and ends', () => {
    for (const us of [128, 129, 255, 256, 1000, 4095, 4096, 65_535, 1_000_003, 2 ** 31 - 1]) {
      const told = percentile(histogramOf([us / 1000]).buckets(), 0.5) * 1000
      expect(Math.abs(told - us) / us).toBeLessThan(0.016)
    }
  })

  test('takes the nearest rank: the 99th of 100 calls, not the slowest', () => {
    const latencies = Array.from({ length: 100 }, (_, i) => (i === 99 ? 100 : 0.01))
    expect(percentile(histogramOf(latencies).buckets(), 0.99)).toBe(0.01)
    expect(percentile(histogramOf(latencies).buckets(), 1)).toBeGreaterThan(98)
  })

  test('adds the rounds up as if they had been one', () => {
    const [a, b] = [
      [0.1, 5, 7],
      [0.1, 90],
    ]
    const added = createLatencyHistogram()
    for (const round of [a, b]) added.add(histogramOf(round ?? []).buckets())
    expect(added.buckets()).toEqual(histogramOf([...(a ?? []), ...(b ?? [])]).buckets())
  })

  test('tells where each bucket ends: no call in it was longer, and the next bucket begins there', () => {
    for (const us of [1, 127, 128, 129, 255, 256, 257, 4095, 4096, 65_535]) {
      const [[bucket] = [Number.NaN]] = histogramOf([us / 1000]).buckets()
      const endUs = Math.round(bucketEndMs(bucket) * 1000)
      expect(endUs).toBeGreaterThanOrEqual(us)
      expect(histogramOf([endUs / 1000]).buckets()[0]?.[0]).toBe(bucket)
      expect(histogramOf([(endUs + 1) / 1000]).buckets()[0]?.[0]).toBe(bucket + 1)
    }
  })

  test('has no percentile without calls', () => {
    expect(percentile([], 0.5)).toBeNaN()
  })
})
