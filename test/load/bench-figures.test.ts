import { describe, expect, test } from 'vitest'
import type { TargetName } from './bench-options.ts'
import { ratiosOf, rowsOf, verdictsOf, verdictsOfMore } from './bench-figures.ts'
import { reportText } from './bench-report.ts'
import type { Sample } from './bench-rounds.ts'
import { median } from './median.ts'

const plan = { connections: [64] }
const sessionMemory = {
  idle: { sessions: 1000, heapBytes: 2_400_000, rssBytes: 1_800_000 },
  full: { sessions: 3000, sentBytes: 100_000, heapBytes: 75_700_000, rssBytes: 251_000_000 },
}

function sample(
  target: TargetName,
  round: number,
  calls: number,
  cpuMs: number,
  more: Partial<Sample['outcome']> = {},
) {
  const outcome = { calls, errors: 0, faults: [], seconds: 1, latency: [[100, calls]] as const, ...more }
  const direct = target === 'direct'
  const descendants = target === 'gateway' ? 50 : 0
  const of = direct ? { target: undefined, descendants: undefined } : { target: cpuMs, descendants }
  return { target, connections: 64, round, outcome, cpu: { ...of, stub: 100, generator: 200, others: 30 } }
}

/** The second round is disturbed for both by the same measure. */
const samples: Sample[] = [
  sample('raw', 1, 1000, 100),
  sample('gateway', 1, 600, 120),
  sample('raw', 2, 100, 20),
  sample('gateway', 2, 60, 24),
  sample('raw', 3, 1000, 100),
  sample('gateway', 3, 500, 110),
]

describe('the figures', () => {
  test('of a row are the median speed and the CPU of all rounds per call', () => {
    const row = rowsOf(samples, plan).find(({ target }) => target === 'gateway')
    expect(row).toMatchObject({ calls: 1160, callsPerSecond: 500, p50Ms: 0.1 })
    expect(row?.cpuMsPerCall.target).toBeCloseTo(254 / 1160)
    expect(row?.cpuMsPerCall.descendants).toBeCloseTo(150 / 1160)
    expect(row?.coreUse.driver).toBeCloseTo(0.3)
  })

  test('of a ratio are taken within each round, so a slow machine cancels', () => {
    expect(ratiosOf(samples, plan)).toEqual([
      {
        of: 'gateway',
        to: 'raw',
        connections: 64,
        throughput: 0.6,
        throughputRange: [0.5, 0.6],
        cpu: 2,
        cpuWithDescendants: expect.closeTo(3.2),
      },
    ])
  })

  test('have no CPU where there is no process or no call', () => {
    const [direct] = rowsOf([sample('direct', 1, 10, 0)], plan)
    expect(direct?.cpuMsPerCall).toMatchObject({ target: null, descendants: null, stub: 10 })
    const [dead] = rowsOf([sample('raw', 1, 0, 5, { errors: 50, faults: ['status 500'] })], plan)
    expect(dead).toMatchObject({ calls: 0, errors: 50, faults: ['status 500'], cpuMsPerCall: { target: null } })
  })

  test('meet the aims at the bound and miss them beyond it', () => {
    const ratio = {
      of: 'gateway',
      to: 'raw',
      connections: 64,
      throughputRange: [0, 1],
      cpuWithDescendants: null,
    } as const
    const met = (cpu: number, throughput: number) =>
      verdictsOf([{ ...ratio, cpu, throughput }]).map((verdict) => verdict.met)
    expect(met(1.4, 0.75)).toEqual([true, true])
    expect(met(1.41, 0.74)).toEqual([false, false])
    expect(met(Number.NaN, Number.NaN)).toEqual([false, false])
  })

  test('judge neither a light load, nor the SDK, nor the other eras', () => {
    const ratio = { to: 'raw', throughput: 0, throughputRange: [0, 0], cpu: 9, cpuWithDescendants: 9 } as const
    const verdicts = verdictsOf([
      { ...ratio, of: 'gateway', connections: 1 },
      { ...ratio, of: 'joined', connections: 64 },
      { ...ratio, of: 'sdk', connections: 64 },
      { ...ratio, of: 'legacy-modern', connections: 64 },
    ])
    expect(verdicts.map(({ sentence }) => sentence.includes('joined'))).toEqual([true, true])
  })

  test('of rules compare the gateway with itself', () => {
    const ratio = { of: 'ruled', to: 'gateway', connections: 64, throughput: 1, throughputRange: [1, 1] } as const
    const met = (cpu: number) => verdictsOf([{ ...ratio, cpu, cpuWithDescendants: cpu }]).map((verdict) => verdict.met)
    expect([met(1.1), met(1.11), met(Number.NaN)]).toEqual([[true], [false], [false]])
  })

  test('of the gateway against the SDK have an aim of their own', () => {
    const ratio = { of: 'gateway', to: 'sdk', connections: 64, throughputRange: [5, 5], cpu: 0.2 } as const
    const [met, missed] = [5, 4.99].map((throughput) =>
      verdictsOf([{ ...ratio, throughput, cpuWithDescendants: null }]).map((verdict) => verdict.met),
    )
    expect([met, missed]).toEqual([[true], [false]])
  })

  test('at half load are no good when a call failed', () => {
    const halfLoad = {
      connections: 64,
      callsPerSecond: 1,
      directP99Ms: 1,
      gatewayP99Ms: 2,
      addedP50Ms: 1,
      addedP99Ms: 1,
    }
    expect(verdictsOfMore({ halfLoad: { ...halfLoad, errors: 0 } })[0]?.met).toBe(true)
    expect(verdictsOfMore({ halfLoad: { ...halfLoad, errors: 1 } })[0]?.met).toBe(false)
    expect(verdictsOfMore({})).toEqual([])
  })

  test('have a median of none, of odd and of even', () => {
    expect([median([]), median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([Number.NaN, 2, 2.5])
  })
})

describe('the report', () => {
  const ratios = ratiosOf(samples, plan)
  const text = reportText({
    at: '2026-01-01T00:00:00Z',
    circumstances: [['machine', '2 cores']],
    rows: rowsOf([...samples, sample('direct', 1, 0, 0, { errors: 1, faults: ['status 500: no'] })], plan),
    ratios,
    more: {
      halfLoad: {
        connections: 64,
        callsPerSecond: 4000,
        directP99Ms: 1,
        gatewayP99Ms: 3.5,
        addedP50Ms: 0.2,
        addedP99Ms: 2.5,
        errors: 0,
      },
      longList: { tools: 10_000, pages: 10, bytes: 2_200_000, walkMs: 36.2, firstPageMs: 3.6 },
      sessionMemory,
    },
    verdicts: verdictsOf(ratios),
    remarks: ['joined not measured: no reason'],
  })

  test('shows each target, each ratio and each aim in lines that line up', () => {
    const rows = text.split('\n').filter((line) => /^ {2}(raw|gateway|direct) {2}/.test(line))
    expect(rows).toHaveLength(3)
    expect(new Set(rows.map((line) => line.length)).size).toBe(1)
    expect(text).toMatch(/gateway ÷ raw +64 +0\.60 +0\.50–0\.60 +2\.00 +3\.20/)
    expect(text).toContain('missed  CPU per call of gateway at most 1.4 × raw: 2.00 ×')
  })

  test('tells what was measured beside the rounds', () => {
    expect(text).toContain(
      'half load   4000 calls/s over 64 connections: p99 1.00 ms direct, 3.50 ms through the gateway',
    )
    expect(text).toContain('long list   10000 tools, 2.2 MB in 10 pages: 36.2 ms, the first page 3.6 ms')
    expect(text).toContain('idle 1000: 2.4 MB of heap and buffers, 1.8 MB of the process')
    expect(text).toContain('full 3000: 75.7 MB of heap and buffers, 251.0 MB of the process; 0.1 MB sent to each')
  })

  test('judges sessions by what is larger, the process or what is held in it', () => {
    expect(verdictsOfMore({ sessionMemory })).toEqual([
      { met: true, sentence: '1000 idle sessions in less than 25 MB: 2.4 MB' },
      { met: false, sentence: '3000 sessions with full buffers and sessions upstream in less than 250 MB: 251.0 MB' },
    ])
  })

  test('tells what went wrong and what is missing', () => {
    expect(text).toContain('direct, 64: status 500: no')
    expect(text).toContain('joined not measured: no reason')
  })
})
