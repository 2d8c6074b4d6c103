/**
 * Computes the figures from the samples: one row per target, ratios between targets, and whether the aims are met.
 *
 * Throughput is the median of the rounds. A ratio is the median of the ratios within each round, so that a disturbed round spoils
 * one pair and not the comparison. CPU per call and percentiles of a row come from all rounds together. Pure: the same samples
 * give the same figures. Never hides an error in an average.
 */
import { ALL, type Plan, type TargetName } from './bench-options.ts'
import type { Beside } from './beside.ts'
import { isBusy, type RoundCpu, type Sample } from './bench-rounds.ts'
import type { Counts } from './counts/counts.ts'
import { type BatchRates, batchRates } from './counts/record-batches.ts'
import { createLatencyHistogram, percentile } from './generator/latency-histogram.ts'
import type { LongList } from './long-list.ts'
import { median, type Spread, spreadOf } from './median.ts'
import { LOADS, type OpenLoop } from './open-loop.ts'
import type { SessionMemory } from './session-memory.ts'

export interface Row {
  readonly target: TargetName
  readonly connections: number
  readonly calls: number
  readonly errors: number
  /** The first few sentences about errors. */
  readonly faults: readonly string[]
  /** Of the rounds. */
  readonly callsPerSecond: Spread
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU milliseconds per call; null where there is no such process. */
  readonly cpuMsPerCall: { readonly [Process in Exclude<keyof RoundCpu, 'others'>]: number | null }
  /** CPU time over wall time: 1 is a whole core. `others` is everybody who has no part in the bench. */
  readonly coreUse: { readonly driver: number | null; readonly target: number | null; readonly others: number | null }
  /** Batches of records stored; undefined for what stores none, or does not count them. */
  readonly stored?: BatchRates | undefined
  readonly rounds: number
  /** Rounds in which others used the machine. */
  readonly busyRounds: number
}

export interface Ratio {
  readonly of: TargetName
  readonly to: TargetName
  readonly connections: number
  readonly throughput: number
  /** The lowest and the highest of a round. */
  readonly throughputRange: readonly [number, number]
  /** CPU per call of the target's own process against the other's. */
  readonly cpu: number | null
  /** The same with all descendants of both. */
  readonly cpuWithDescendants: number | null
  /** Most of the rounds were disturbed by others. */
  readonly busy?: boolean
}

export interface Verdict {
  readonly met: boolean
  readonly sentence: string
  /** It rests on times of a machine that others used. */
  readonly busy?: boolean
}

/** Measurements beside the rounds, as far as they were made. */
export interface More {
  readonly counts?: Counts | undefined
  readonly openLoop?: OpenLoop | undefined
  readonly longList?: LongList | undefined
  readonly sessionMemory?: SessionMemory | undefined
  readonly beside?: readonly Beside[] | undefined
}

const AIMS = {
  mostCpu: 1.4,
  leastThroughput: 0.75,
  leastOfSdk: 5,
  mostOfRules: 1.1,
  addedP99Ms: 3,
  allocatedOverRaw: 12_000,
  promoted: 500,
  journalWrites: 0.2,
  listMs: 50,
  idleMb: 25,
  fullMb: 250,
}
const COMPARED = [
  ['gateway', 'raw'],
  ['joined', 'raw'],
  ['ruled', 'gateway'],
  ['sdk', 'raw'],
  ['gateway', 'sdk'],
  ['joined', 'sdk'],
  ['legacy-legacy', 'raw'],
  ['legacy-modern', 'raw'],
  ['modern-legacy', 'raw'],
  ['traced', 'gateway'],
  ['traced-tenth', 'gateway'],
  ['town', 'gateway'],
  ['town-whole', 'gateway'],
  ['legacy-stdio', 'mcp-proxy'],
  ['legacy-stdio', 'supergateway'],
  ['legacy-legacy', 'mcp-hub'],
] as const

export function rowsOf(samples: readonly Sample[], { connections }: Pick<Plan, 'connections'>): Row[] {
  return connections.flatMap((count) =>
    ALL.flatMap((name) => {
      const own = samplesOf(samples, name, count)
      return own.length === 0 ? [] : [rowOf(name, count, own)]
    }),
  )
}

function rowOf(target: TargetName, connections: number, samples: readonly Sample[]): Row {
  const latency = createLatencyHistogram()
  for (const { outcome } of samples) latency.add(outcome.latency)
  const buckets = latency.buckets()
  const count = (what: 'calls' | 'errors' | 'seconds') => sum(samples.map(({ outcome }) => outcome[what])) ?? 0
  const cpu = (process: keyof RoundCpu) => sum(samples.map((sample) => sample.cpu[process]))
  const perCall = (process: keyof RoundCpu) => quotient(cpu(process), count('calls'))
  const use = (...processes: (keyof RoundCpu)[]) => quotient(sum(processes.map(cpu)), 1000 * count('seconds'))
  return {
    target,
    connections,
    calls: count('calls'),
    errors: count('errors'),
    faults: samples.flatMap(({ outcome }) => outcome.faults).slice(0, 3),
    callsPerSecond: spreadOf(samples.map(speedOf)),
    p50Ms: percentile(buckets, 0.5),
    p99Ms: percentile(buckets, 0.99),
    cpuMsPerCall: {
      target: perCall('target'),
      descendants: perCall('descendants'),
      database: perCall('database'),
      stub: perCall('stub'),
      generator: perCall('generator'),
    },
    coreUse: { driver: use('stub', 'generator'), target: use('target', 'descendants'), others: use('others') },
    stored: batchRates(samples.map(({ stored, outcome }) => ({ stored, seconds: outcome.seconds }))),
    rounds: samples.length,
    busyRounds: samples.filter(isBusy).length,
  }
}

export function ratiosOf(samples: readonly Sample[], { connections }: Pick<Plan, 'connections'>): Ratio[] {
  return connections.flatMap((count) =>
    COMPARED.flatMap(([of, to]) => {
      const others = new Map(samplesOf(samples, to, count).map((sample) => [sample.round, sample]))
      const pairs = samplesOf(samples, of, count).flatMap((sample) => {
        const other = others.get(sample.round)
        return other === undefined ? [] : [[sample, other] as const]
      })
      return pairs.length === 0 ? [] : [ratioOf(pairs, { of, to, connections: count })]
    }),
  )
}

function ratioOf(
  pairs: readonly (readonly [Sample, Sample])[],
  names: Pick<Ratio, 'of' | 'to' | 'connections'>,
): Ratio {
  const speeds = pairs.map(([sample, other]) => speedOf(sample) / speedOf(other))
  const cpu = (...processes: (keyof RoundCpu)[]) => {
    const perCall = (sample: Sample) =>
      quotient(sum(processes.map((name) => sample.cpu[name])), sample.outcome.calls) ?? undefined
    const known = pairs.map(([sample, other]) => quotient(perCall(sample), perCall(other)))
    return known.includes(null) ? null : median(known.filter((value) => value !== null))
  }
  return {
    ...names,
    throughput: median(speeds),
    throughputRange: [Math.min(...speeds), Math.max(...speeds)],
    cpu: cpu('target'),
    cpuWithDescendants: cpu('target', 'descendants'),
    busy: pairs.filter((pair) => pair.some(isBusy)).length * 2 > pairs.length,
  }
}

const JUDGED: readonly TargetName[] = ['gateway', 'joined']

/** The aims hold under load: at the highest number of connections, for each endpoint of the gateway. */
export function verdictsOf(ratios: readonly Ratio[]): Verdict[] {
  const most = Math.max(...ratios.map(({ connections }) => connections))
  const judged = ratios.filter(({ of, connections }) => JUDGED.includes(of) && connections === most)
  const ruled = ratios.find(({ of, cpu, connections }) => of === 'ruled' && cpu !== null && connections === most)
  return [
    ...judged.map((ratio) => ofSpeed(ratio, ratio.to === 'raw' ? AIMS.leastThroughput : AIMS.leastOfSdk)),
    ...(ruled === undefined ? [] : [ofRules(ruled)]),
  ]
}

const ofRules = ({ cpu, busy }: Ratio): Verdict => ({
  met: (cpu ?? Number.NaN) <= AIMS.mostOfRules,
  sentence: `CPU per call under 50 rules at most ${AIMS.mostOfRules.toFixed(1)} × of none: ${(cpu ?? Number.NaN).toFixed(2)} ×`,
  busy: busy === true,
})

const ofSpeed = ({ of, to, throughput, busy }: Ratio, least: number): Verdict => ({
  met: throughput >= least,
  sentence: `throughput of ${of} at least ${least} × ${to}: ${throughput.toFixed(2)} ×`,
  busy: busy === true,
})

/** CPU is judged at one offered rate: at saturation a driver that is busy makes raw look cheap. PostgreSQL's is a part of it. */
function ofOpenLoop({ levels }: OpenLoop): Verdict[] {
  return levels.flatMap((level) => {
    const { share, cpuOfRaw, cpuOfRawAlone, addedP99Ms, rows } = level
    const good = rows.every(({ errors }) => errors === 0)
    const busy = level.busyRounds * 2 > level.rounds
    const verdict = (sentence: string, met: boolean): Verdict => ({ met: met && good, sentence, busy })
    const load = `${Math.round(share * 100)} % of the load`
    const cpuAim = `CPU per call with PostgreSQL at most ${AIMS.mostCpu.toFixed(1)} × raw at ${load}`
    const alone = cpuOfRawAlone === undefined ? '' : ` (${cpuOfRawAlone.median.toFixed(2)} × without)`
    const addedAim = `p99 added at half load under ${AIMS.addedP99Ms} ms`
    return [
      ...(cpuOfRaw === undefined || share === LOADS.half
        ? []
        : [verdict(`${cpuAim}: ${cpuOfRaw.median.toFixed(2)} ×${alone}`, cpuOfRaw.median <= AIMS.mostCpu)]),
      ...(addedP99Ms === undefined || share !== LOADS.half
        ? []
        : [verdict(`${addedAim}: ${addedP99Ms.median.toFixed(2)} ms`, addedP99Ms.median < AIMS.addedP99Ms)]),
    ]
  })
}

function ofCounts({ targets, connections }: Counts): Verdict[] {
  const [raw, gateway] = ['raw', 'gateway'].map((name) => targets.find(({ target }) => target === name))
  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1)
  const verdict = (aim: string, value: number | undefined, most: number, told: (value: number) => string): Verdict[] =>
    value === undefined ? [] : [{ met: value <= most, sentence: `${aim}: ${told(value)}` }]
  const [own, ofRaw] = [gateway?.allocatedBytes, raw?.allocatedBytes]
  return [
    ...verdict(
      `allocated per call at most ${AIMS.allocatedOverRaw / 1000} kB over raw`,
      own === undefined || ofRaw === undefined ? undefined : own.median - ofRaw.median,
      AIMS.allocatedOverRaw,
      (bytes) => `${kilobytes(bytes)} kB`,
    ),
    ...verdict(
      `promoted per call at most ${AIMS.promoted / 1000} kB`,
      gateway?.promotedBytes?.median,
      AIMS.promoted,
      (bytes) => `${(bytes / 1000).toFixed(2)} kB`,
    ),
    ...verdict(
      `journal writes per call at most ${AIMS.journalWrites} at ${connections} connections`,
      gateway?.journalWrites?.median,
      AIMS.journalWrites,
      (writes) => writes.toFixed(2),
    ),
  ]
}

export function verdictsOfMore({ counts, openLoop, longList, sessionMemory }: More): Verdict[] {
  const verdicts: Verdict[] = []
  if (counts !== undefined) verdicts.push(...ofCounts(counts))
  if (openLoop !== undefined) verdicts.push(...ofOpenLoop(openLoop))
  if (longList !== undefined) {
    const aim = `tools/list of ${longList.tools} tools under ${AIMS.listMs} ms`
    verdicts.push({ met: longList.walkMs < AIMS.listMs, sentence: `${aim}: ${longList.walkMs.toFixed(1)} ms` })
  }
  return sessionMemory === undefined ? verdicts : [...verdicts, ...ofSessions(sessionMemory)]
}

/** By the memory of the process, which is never less than what is held in it. */
function ofSessions({ idle, full }: SessionMemory): Verdict[] {
  const verdict = (what: string, bytes: number, most: number): Verdict => ({
    met: bytes < most * 1e6,
    sentence: `${what} in less than ${most} MB: ${(bytes / 1e6).toFixed(1)} MB`,
  })
  return [
    verdict(`${idle.sessions} idle sessions`, Math.max(idle.rssBytes, idle.heapBytes), AIMS.idleMb),
    verdict(
      `${full.sessions} sessions with full buffers and sessions upstream`,
      Math.max(full.rssBytes, full.heapBytes),
      AIMS.fullMb,
    ),
  ]
}

const samplesOf = (samples: readonly Sample[], name: TargetName, count: number) =>
  samples.filter(({ target, connections }) => target === name && connections === count)

const speedOf = ({ outcome }: Sample) => outcome.calls / outcome.seconds

/** Undefined only when nothing is there to add. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  const present = values.filter((value) => value !== undefined)
  return present.length === 0 ? undefined : present.reduce((total, value) => total + value, 0)
}

/** Null where either side is missing or the divisor is nought, and so in the JSON. */
function quotient(value: number | undefined, by: number | undefined): number | null {
  return value === undefined || by === undefined || by === 0 ? null : value / by
}
