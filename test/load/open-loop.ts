/**
 * Measures raw proxy and gateway at the same offered rate, in shares of what the gateway can do, with the server itself beside
 * them.
 *
 * At saturation each target has another rate, and a driver that is busy makes raw look cheap; at one rate all have the same work
 * and the same idle time. Calls come by a schedule that waits for no answer, and latency counts from when a call was due. Rounds
 * are interleaved.
 */
import type { Plan, TargetName } from './bench-options.ts'
import { isBusy, measure, type Sample, type Target } from './bench-rounds.ts'
import { type BatchRates, batchRates } from './counts/record-batches.ts'
import { bucketEndMs, type Buckets, createLatencyHistogram, percentile } from './generator/latency-histogram.ts'
import { type Spread, spreadOf } from './median.ts'
import type { Peer } from './processes/peer-process.ts'

/** Shares of the calls a second that saturate the gateway. */
export const LOADS = { light: 0.3, half: 0.5, heavy: 0.6 } as const
export const SHARES = [0.5, 0.9, 0.99, 0.999, 1] as const

export interface OpenRow {
  readonly target: TargetName
  readonly calls: number
  readonly errors: number
  readonly faults: readonly string[]
  /** Latencies that a share of all calls did not exceed, in the order of SHARES; the last is the longest. Milliseconds. */
  readonly latencyMs: readonly number[]
  /** The 99th percentile of the rounds. Milliseconds. */
  readonly p99Ms: Spread
  /** All calls by latency: pairs of the end of a bucket in milliseconds and the calls in it. */
  readonly histogram: readonly (readonly [endMs: number, calls: number])[]
  /** How late a call began although a connection was free, 99th percentile: the generator's part. Milliseconds. */
  readonly lateP99Ms: number
  /** CPU of the target's own process for each call, microseconds; undefined where there is no such process. */
  readonly cpuUs?: Spread
  /** The same with its PostgreSQL. */
  readonly cpuWithDatabaseUs?: Spread
  readonly stored?: BatchRates | undefined
}

export interface OpenLevel {
  /** Of what saturates the gateway. */
  readonly share: number
  readonly callsPerSecond: number
  readonly rows: readonly OpenRow[]
  /** CPU of the gateway and its PostgreSQL for each call against that of raw, of the rounds. */
  readonly cpuOfRaw?: Spread
  /** The same without PostgreSQL, which is all that was counted until 2026-11-28. */
  readonly cpuOfRawAlone?: Spread
  /** A percentile of the gateway less that of the server itself, of the rounds. Milliseconds. */
  readonly addedP50Ms?: Spread
  readonly addedP99Ms?: Spread
  readonly rounds: number
  /** Rounds in which others used the machine while a target was measured. */
  readonly busyRounds: number
}

export interface OpenLoop {
  readonly connections: number
  readonly levels: readonly OpenLevel[]
}

export type OpenSample = Pick<Sample, 'target' | 'round' | 'outcome' | 'cpu' | 'stored'>

interface Parts {
  readonly generator: Peer
  readonly stub: Peer
  /** Of `direct`, `raw` and `gateway`, those that are measured. */
  readonly targets: readonly Target[]
  /** Calls a second that the gateway can do. */
  readonly saturation: number
  readonly plan: Plan
  readonly say: (line: string) => void
}

export async function measureOpenLoop({ generator, stub, targets, saturation, plan, say }: Parts): Promise<OpenLoop> {
  const connections = Math.max(...plan.connections)
  const levels: OpenLevel[] = []
  for (const share of Object.values(LOADS)) {
    const perSecond = Math.max(1, Math.round(saturation * share))
    say(`open loop: ${perSecond} calls/s, ${Math.round(share * 100)} % of what saturates the gateway`)
    const samples: OpenSample[] = []
    for (let round = 1; round <= plan.open.rounds; round++)
      for (const target of targets) {
        const { seconds } = plan.open
        const load = { target: target.call, connections, seconds, mostCalls: plan.mostCalls, perSecond }
        samples.push({ target: target.name, round, ...(await measure(load, target, stub, generator)) })
      }
    levels.push(levelOf(share, perSecond, samples))
  }
  return { connections, levels }
}

export function levelOf(share: number, callsPerSecond: number, samples: readonly OpenSample[]): OpenLevel {
  const of = (name: TargetName) => samples.filter(({ target }) => target === name)
  const names = [...new Set(samples.map(({ target }) => target))]
  const rows = names.map((name) => rowOf(name, of(name)))
  const [direct, gateway] = ['direct', 'gateway'].map((name) => rows.find(({ target }) => target === name))
  const busy = new Set(samples.filter(isBusy).map(({ round }) => round))
  return {
    share,
    callsPerSecond,
    rows,
    ...cpuOfRaw(of('raw'), of('gateway')),
    ...(direct === undefined || gateway === undefined ? {} : added(of('direct'), of('gateway'))),
    rounds: new Set(samples.map(({ round }) => round)).size,
    busyRounds: busy.size,
  }
}

function rowOf(target: TargetName, samples: readonly OpenSample[]): OpenRow {
  const buckets = merged(samples.map(({ outcome }) => outcome.latency))
  const cpu = samples.flatMap((sample) => cpuUsOf(sample) ?? [])
  const withDatabase = samples.flatMap((sample) => cpuUsOf(sample, 'with database') ?? [])
  return {
    target,
    calls: sumOf(samples.map(({ outcome }) => outcome.calls)),
    errors: sumOf(samples.map(({ outcome }) => outcome.errors)),
    faults: samples.flatMap(({ outcome }) => outcome.faults).slice(0, 3),
    latencyMs: SHARES.map((share) => percentile(buckets, share)),
    p99Ms: spreadOf(samples.map(({ outcome }) => percentile(outcome.latency, 0.99))),
    histogram: buckets.map(([bucket, calls]) => [bucketEndMs(bucket), calls]),
    lateP99Ms: percentile(merged(samples.map(({ outcome }) => outcome.late ?? [])), 0.99),
    ...(cpu.length === 0 ? {} : { cpuUs: spreadOf(cpu), cpuWithDatabaseUs: spreadOf(withDatabase) }),
    stored: batchRates(samples.map(({ stored, outcome }) => ({ stored, seconds: outcome.seconds }))),
  }
}

function cpuOfRaw(
  raw: readonly OpenSample[],
  gateway: readonly OpenSample[],
): Pick<OpenLevel, 'cpuOfRaw' | 'cpuOfRawAlone'> {
  const ratios = (what: 'with database' | 'alone') =>
    pairs(raw, gateway).flatMap(([one, other]) => {
      const [ofRaw, ofGateway] = [cpuUsOf(one, what), cpuUsOf(other, what)]
      return ofRaw === undefined || ofGateway === undefined ? [] : [ofGateway / ofRaw]
    })
  const [all, alone] = [ratios('with database'), ratios('alone')]
  return all.length === 0 ? {} : { cpuOfRaw: spreadOf(all), cpuOfRawAlone: spreadOf(alone) }
}

function added(
  direct: readonly OpenSample[],
  gateway: readonly OpenSample[],
): Pick<OpenLevel, 'addedP99Ms' | 'addedP50Ms'> {
  const of = (share: number) => {
    const latency = ({ outcome }: OpenSample) => percentile(outcome.latency, share)
    return spreadOf(pairs(direct, gateway).map(([one, other]) => latency(other) - latency(one)))
  }
  return { addedP50Ms: of(0.5), addedP99Ms: of(0.99) }
}

/** Of the same round. */
function pairs(ones: readonly OpenSample[], others: readonly OpenSample[]): (readonly [OpenSample, OpenSample])[] {
  return ones.flatMap((one) => {
    const other = others.find(({ round }) => round === one.round)
    return other === undefined ? [] : [[one, other] as const]
  })
}

function merged(all: readonly Buckets[]): Buckets {
  const histogram = createLatencyHistogram()
  for (const buckets of all) histogram.add(buckets)
  return histogram.buckets()
}

function cpuUsOf({ cpu, outcome }: OpenSample, what: 'with database' | 'alone' = 'alone'): number | undefined {
  if (cpu.target === undefined || outcome.calls === 0) return undefined
  return (1000 * (cpu.target + (what === 'alone' ? 0 : (cpu.database ?? 0)))) / outcome.calls
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
