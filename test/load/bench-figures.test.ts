import { describe, expect, test } from 'vitest'
import type { TargetName } from './bench-options.ts'
import { ratiosOf, rowsOf, verdictsOf, verdictsOfMore } from './bench-figures.ts'
import { reportText } from './bench-report.ts'
import type { Sample } from './bench-rounds.ts'
import type { Counts } from './counts/counts.ts'
import { median } from './median.ts'
import type { OpenLevel } from './open-loop.ts'

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
  return {
    target,
    connections: 64,
    round,
    outcome,
    cpu: { ...of, database: undefined, stub: 100, generator: 200, others: 30 },
  }
}

const flat = (value: number) => ({ median: value, low: value, high: value })

/** @param over by how much each aim is missed, as a share */
const countsWith = (over: number): Counts => ({
  connections: 64,
  targets: [
    {
      target: 'raw',
      systemCalls: flat(4),
      systemCallsByName: [
        ['read', 2],
        ['write', 2],
      ],
      allocatedBytes: flat(20_000),
      promotedBytes: flat(450),
    },
    {
      target: 'gateway',
      systemCalls: { median: 5.1, low: 5, high: 5.2 },
      systemCallsByName: ['write', 'read', 'futex', 'a', 'b', 'c', 'd'].map((name, at) => [
        name,
        at < 2 ? 3 - at : 0.06,
      ]),
      journalWrites: flat(0.2 * (1 + over)),
      allocatedBytes: flat(20_000 + 12_000 * (1 + over)),
      promotedBytes: flat(500 * (1 + over)),
    },
  ],
  notMeasured: ['instructions: perf is not installed'],
  faults: ['raw, system calls: status 502'],
})

const levelWith = (share: number, cpuOfRaw: number, addedP99Ms: number): OpenLevel => ({
  share,
  callsPerSecond: 4000,
  rows: (['direct', 'gateway'] as const).map((target, at) => ({
    target,
    calls: 10,
    errors: 0,
    faults: at === 0 ? [] : ['status 503'],
    latencyMs: [0.1, 0.5, 1, 2, 5].map((ms) => ms + at * 2.5),
    p99Ms: flat(1),
    histogram: [[1, 10]],
    lateP99Ms: 0.5,
  })),
  cpuOfRaw: flat(cpuOfRaw),
  cpuOfRawAlone: flat(cpuOfRaw - 0.5),
  addedP50Ms: flat(0.2),
  addedP99Ms: { median: addedP99Ms, low: addedP99Ms - 1, high: addedP99Ms + 1 },
  rounds: 3,
  busyRounds: 0,
})

/** The second round is disturbed for both by the same measure. */
const samples: Sample[] = [
  sample('raw', 1, 1000, 100),
  sample('gateway', 1, 600, 120),
  sample('raw', 2, 100, 20),
  sample('gateway', 2, 60, 24),
  sample('raw', 3, 1000, 100),
  { ...sample('gateway', 3, 500, 110), stored: { batches: 40, records: 500 } },
]

describe('the figures', () => {
  test('of a row are the median speed and the CPU of all rounds per call', () => {
    const row = rowsOf(samples, plan).find(({ target }) => target === 'gateway')
    expect(row).toMatchObject({ calls: 1160, callsPerSecond: { median: 500, low: 60, high: 600 }, p50Ms: 0.1 })
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
        busy: false,
      },
    ])
  })

  test('mark what rests on a machine that others used in most rounds', () => {
    const disturbed = (rounds: readonly number[]) =>
      samples.map((one) => (rounds.includes(one.round) ? { ...one, cpu: { ...one.cpu, others: 201 } } : one))
    const busy = (all: readonly Sample[]) => verdictsOf(ratiosOf(all, plan)).map((verdict) => verdict.busy)
    expect([busy(disturbed([2])), busy(disturbed([1, 3]))]).toEqual([[false], [true]])
    expect(rowsOf(disturbed([1, 3]), plan).map(({ rounds, busyRounds }) => [rounds, busyRounds])).toEqual([
      [3, 2],
      [3, 2],
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
    const met = (throughput: number) => verdictsOf([{ ...ratio, cpu: 9, throughput }]).map((verdict) => verdict.met)
    expect([met(0.75), met(0.74), met(Number.NaN)]).toEqual([[true], [false], [false]])
  })

  test('judge neither a light load, nor the SDK, nor the other eras', () => {
    const ratio = { to: 'raw', throughput: 0, throughputRange: [0, 0], cpu: 9, cpuWithDescendants: 9 } as const
    const verdicts = verdictsOf([
      { ...ratio, of: 'gateway', connections: 1 },
      { ...ratio, of: 'joined', connections: 64 },
      { ...ratio, of: 'sdk', connections: 64 },
      { ...ratio, of: 'legacy-modern', connections: 64 },
    ])
    expect(verdicts.map(({ sentence }) => sentence.includes('joined'))).toEqual([true])
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

  test('judge CPU at an offered rate, and what is added at half of the load, where no call failed', () => {
    const met = (share: number, cpu: number, addedMs: number, more: Partial<OpenLevel> = {}) =>
      verdictsOfMore({ openLoop: { connections: 64, levels: [{ ...levelWith(share, cpu, addedMs), ...more }] } }).map(
        (verdict) => verdict.met,
      )
    expect([met(0.3, 1.4, 9), met(0.3, 1.41, 0)]).toEqual([[true], [false]])
    expect([met(0.5, 9, 2.99), met(0.5, 0, 3), met(0.5, 0, Number.NaN)]).toEqual([[true], [false], [false]])
    const { rows } = levelWith(0.5, 1, 1)
    expect(met(0.5, 1, 1, { rows: rows.map((row) => ({ ...row, errors: 1 })) })).toEqual([false])
    expect(verdictsOfMore({})).toEqual([])
  })

  test('of an offered rate are marked when others were busy in most of its rounds', () => {
    const busy = (busyRounds: number) =>
      verdictsOfMore({ openLoop: { connections: 64, levels: [{ ...levelWith(0.6, 1, 1), busyRounds }] } })[0]?.busy
    expect([busy(1), busy(2)]).toEqual([false, true])
  })

  test('of counts hold at the bound and not beyond it, and are not judged where they are missing', () => {
    const met = (over: number) => verdictsOfMore({ counts: countsWith(over) }).map((verdict) => verdict.met)
    expect([met(0), met(0.001)]).toEqual([
      [true, true, true],
      [false, false, false],
    ])
    const [, gateway] = countsWith(0).targets
    const alone = { connections: 64, notMeasured: [], faults: [], targets: gateway === undefined ? [] : [gateway] }
    expect(verdictsOfMore({ counts: alone }).map(({ sentence }) => sentence)).toEqual([
      'promoted per call at most 0.5 kB: 0.50 kB',
      'journal writes per call at most 0.2 at 64 connections: 0.20',
    ])
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
      counts: countsWith(0),
      openLoop: { connections: 64, levels: [levelWith(0.5, 1.9, 2.5)] },
      longList: { tools: 10_000, pages: 10, bytes: 2_200_000, walkMs: 36.2, firstPageMs: 3.6 },
      sessionMemory,
    },
    verdicts: verdictsOf(ratios),
    remarks: ['joined not measured: no reason'],
  })

  test('shows each target, each ratio and each aim in lines that line up', () => {
    const rows = text.split('\n').filter((line) => /^ {2}(raw|gateway|direct) {2}.* \d\/\d +\d$/.test(line))
    expect(rows).toHaveLength(3)
    expect(new Set(rows.map((line) => line.length)).size).toBe(1)
    expect(text).toMatch(/gateway ÷ raw +64 +0\.60 +0\.50–0\.60 +2\.00 +3\.20/)
    expect(text).toContain('missed  throughput of gateway at least 0.75 × raw: 0.60 ×')
    expect(text).toContain('  gateway: 40 batches of records a second, 12.5 records each')
  })

  test('shows counts in a column for each target, without lines that nobody has', () => {
    expect(text).toMatch(/^Counts per call +raw +gateway$/m)
    expect(text).toMatch(/^ {2}system calls +4\.00 +5\.10 \(5\.00–5\.20\)$/m)
    expect(text).toMatch(/^ {4}write +2\.00 +3\.00$/m)
    expect(text).toMatch(/^ {4}others +0\.00 +0\.06$/m)
    expect(text).toMatch(/^ {2}journal writes +– +0\.20$/m)
    expect(text).toMatch(/^ {2}allocated kB +20\.0 +32\.0$/m)
    expect(text).not.toContain('instructions, thousands')
    expect(text).toContain('  not measured: instructions: perf is not installed')
  })

  test('shows an offered rate with its latencies, its spread and what others did', () => {
    expect(text).toMatch(/^Open loop, 50 % +direct +gateway$/m)
    expect(text).toMatch(/^ {2}p99 ms +1\.00 +3\.50$/m)
    expect(text).toMatch(/^ {2}longest ms +5\.00 +7\.50$/m)
    expect(text).toContain('4000 calls/s offered over 64 connections; others were busy in 0 of 3 rounds')
    expect(text).toContain('CPU of the gateway ÷ raw 1.90 with PostgreSQL, 1.40 without')
    expect(text).toContain('gateway − direct: p50 0.20 ms, p99 2.50 (1.50–3.50) ms')
    expect(text).toContain('gateway, 4000 calls/s: status 503')
    expect(text).toContain('raw, system calls: status 502')
  })

  test('tells what was measured beside the rounds', () => {
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
