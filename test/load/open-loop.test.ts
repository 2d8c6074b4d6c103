import { describe, expect, test } from 'vitest'
import type { TargetName } from './bench-options.ts'
import { createLatencyHistogram } from './generator/latency-histogram.ts'
import { levelOf, type OpenSample } from './open-loop.ts'

/** @param latencies milliseconds */
function sample(
  target: TargetName,
  round: number,
  latencies: readonly number[],
  more: { cpuMs?: number; databaseMs?: number; others?: number } = {},
) {
  const latency = createLatencyHistogram()
  for (const ms of latencies) latency.record(ms)
  const outcome = {
    calls: latencies.length,
    errors: 0,
    faults: [],
    seconds: 1,
    latency: latency.buckets(),
    late: [[100, latencies.length]] as const,
  }
  const cpu = {
    target: more.cpuMs,
    descendants: undefined,
    database: more.databaseMs,
    stub: 1,
    generator: 1,
    others: more.others ?? 0,
  }
  return { target, round, outcome, cpu } satisfies OpenSample
}

/** The gateway was disturbed in the third round. */
const samples: OpenSample[] = [
  sample('direct', 1, [0.1, 0.1]),
  sample('raw', 1, [0.2, 0.2], { cpuMs: 0.1 }),
  sample('gateway', 1, [0.12, 1.1], { cpuMs: 0.3, databaseMs: 0.1 }),
  sample('direct', 2, [0.1, 0.12]),
  sample('raw', 2, [0.2, 0.2], { cpuMs: 0.2 }),
  sample('gateway', 2, [0.12, 2.12], { cpuMs: 0.4 }),
  sample('direct', 3, [0.1, 0.1]),
  sample('raw', 3, [0.2, 0.2], { cpuMs: 0.1 }),
  sample('gateway', 3, [0.12, 90], { cpuMs: 0.9, others: 300 }),
]

describe('an offered rate', () => {
  const level = levelOf(0.5, 2, samples)
  const row = (name: TargetName) => level.rows.find(({ target }) => target === name)

  test('compares the CPU of gateway and raw within each round, with its database and without', () => {
    expect(level.cpuOfRawAlone?.median).toBeCloseTo(3)
    expect(level.cpuOfRawAlone?.low).toBeCloseTo(2)
    expect(level.cpuOfRawAlone?.high).toBeCloseTo(9)
    expect(level.cpuOfRaw?.median).toBeCloseTo(4)
    expect(row('gateway')?.cpuWithDatabaseUs?.low).toBeCloseTo(200)
    expect(row('raw')?.cpuUs).toEqual({ median: 50, low: 50, high: 100 })
    expect(row('direct')?.cpuUs).toBeUndefined()
  })

  test('tells what the gateway adds as the median of the rounds, so one that was disturbed does not decide', () => {
    expect(level.addedP99Ms?.median).toBeCloseTo(2, 1)
    expect(level.addedP99Ms?.high).toBeGreaterThan(85)
    expect(level.addedP50Ms?.median).toBeCloseTo(0.02, 5)
  })

  test('tells the latency of all calls together', () => {
    expect(row('gateway')).toMatchObject({ calls: 6, errors: 0, lateP99Ms: 0.1 })
    expect(row('gateway')?.latencyMs[0]).toBeCloseTo(0.12, 5)
    expect(row('gateway')?.latencyMs.at(-1)).toBeGreaterThan(88)
    expect(row('gateway')?.histogram.map(([, calls]) => calls)).toEqual([3, 1, 1, 1])
  })

  test('counts the rounds that others disturbed', () => {
    expect([level.busyRounds, level.rounds]).toEqual([1, 3])
  })

  test('compares nothing where a target is missing', () => {
    const alone = levelOf(0.3, 2, [sample('gateway', 1, [1], { cpuMs: 1 })])
    expect(alone.rows).toHaveLength(1)
    expect([alone.cpuOfRaw, alone.addedP99Ms]).toEqual([undefined, undefined])
  })
})
