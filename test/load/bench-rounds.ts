/**
 * Runs the measurements in their order, and records the cost of each round.
 *
 * Rounds are interleaved: every target once, then every target again, so that a machine that gets slower or busier does so for
 * all of them. CPU is read from outside, after the connections are open and again when the last answer is in. Returns samples
 * without evaluating them.
 */
import type { Plan, TargetName } from './bench-options.ts'
import type { Probe } from './counts/heap-profile.ts'
import { batchesBetween, readRecordBatches, type RecordBatches } from './counts/record-batches.ts'
import type { Peer } from './processes/peer-process.ts'
import type { Load, Order, Outcome, Report } from './generator/load-generator.ts'
import type { CallTarget } from './generator/mcp-call.ts'
import { readFamilyCpu, readMachineCpu } from './processes/process-cpu.ts'
import { readThreadCpu, threadCpuBetween } from './processes/thread-cpu.ts'

/** Something to measure. `pid` is the process of the hop: `direct` has none. */
export interface Target {
  readonly name: TargetName
  readonly call: CallTarget
  readonly pid: number | undefined
  /** The server behind it, where it is not the stub of the others; `child` is one that the hop itself started. */
  readonly upstream?: number | 'child'
  /** A folder whose processes belong to the hop, wherever they are in the process tree. */
  readonly folder?: string
  /** From the start of its process to the first answered call. Milliseconds. */
  readonly startMs?: number
  /** The process whose counts tell what a call costs; `direct` has the server here. Undefined where none are taken. */
  readonly counted?: {
    readonly pid: number
    readonly probe: Probe
    /** The folder of its journal, where it has one. */
    readonly journal?: string
  }
  /** It serves metrics that count batches of records. */
  readonly stores?: true
}

/** CPU milliseconds spent in one round; undefined where there is no such process, or no /proc. */
export interface RoundCpu {
  readonly target: number | undefined
  readonly descendants: number | undefined
  /** The part of the descendants that is PostgreSQL. */
  readonly database: number | undefined
  readonly stub: number | undefined
  readonly generator: number | undefined
  /** Everybody else on the machine: what disturbed the round. */
  readonly others: number | undefined
}

export interface Sample {
  readonly target: TargetName
  readonly connections: number
  readonly round: number
  readonly outcome: Outcome
  readonly cpu: RoundCpu
  /** Batches of records that were stored meanwhile, where the target counts them. */
  readonly stored?: RecordBatches | undefined
}

/** Others that use more of a core than this disturb a round. What a hypervisor took is theirs, too. */
const BUSY_FROM = 0.2

/** True where something else used the machine during the round: its times are rough. */
export const isBusy = ({ cpu, outcome }: Pick<Sample, 'cpu' | 'outcome'>): boolean =>
  (cpu.others ?? 0) > BUSY_FROM * 1000 * outcome.seconds

interface Parts {
  readonly generator: Peer
  readonly stub: Peer
  readonly targets: readonly Target[]
  readonly plan: Plan
  readonly say: (line: string) => void
}

export async function runRounds({ generator, stub, targets, plan, say }: Parts): Promise<Sample[]> {
  const { mostCalls } = plan
  say(`warming up ${targets.map(({ name }) => name).join(', ')}`)
  for (const { call } of targets) {
    const connections = Math.max(...plan.connections)
    const outcome = await generate(generator, { target: call, connections, seconds: plan.warmupSeconds, mostCalls })
    await outcome(() => undefined)
  }
  const samples: Sample[] = []
  for (const connections of plan.connections) {
    for (let round = 1; round <= plan.rounds; round++) {
      say(`connections ${connections}, round ${round} of ${plan.rounds}`)
      for (const target of targets) {
        const load = { target: target.call, connections, seconds: plan.roundSeconds, mostCalls }
        samples.push({ target: target.name, connections, round, ...(await measure(load, target, stub, generator)) })
      }
    }
  }
  return samples
}

/** One load, with what it cost the processes that have a part in it. */
export async function measure(load: Load, target: Target, stub: Peer, generator: Peer) {
  const read = () => ({
    target: target.pid === undefined ? undefined : readFamilyCpu(target.pid, target.folder),
    stub: target.upstream === 'child' ? undefined : readFamilyCpu(target.upstream ?? stub.pid),
    generator: readFamilyCpu(generator.pid),
    machine: readMachineCpu(),
    threads: target.pid === undefined ? undefined : readThreadCpu(target.pid),
  })
  const readStored = async () => (target.stores === true ? readRecordBatches(target.call) : undefined)
  const finish = await generate(generator, load)
  // Outside of what is measured: serving metrics costs the target, too.
  const storedBefore = await readStored()
  const { outcome, before } = await finish(read)
  const after = read()
  const stored = batchesBetween(storedBefore, await readStored())
  const ours = {
    target: threadCpuBetween(before.threads, after.threads) ?? spent(before.target?.own, after.target?.own),
    descendants: spent(before.target?.descendants, after.target?.descendants),
    stub: spent(before.stub?.own ?? before.target?.stub, after.stub?.own ?? after.target?.stub),
    generator: spent(before.generator?.own, after.generator?.own),
  }
  const all = spent(before.machine, after.machine)
  const own = Object.values(ours).reduce<number>((total, ms) => total + (ms ?? 0), 0)
  const cpu: RoundCpu = {
    ...ours,
    database: spent(before.target?.database, after.target?.database),
    others: all === undefined ? undefined : Math.max(0, all - own),
  }
  return { outcome, cpu, stored }
}

/** Opens the connections; the function it returns looks once at what `before` reads and then lets the calls go. */
export async function generate(generator: Peer, load: Load) {
  generator.tell({ open: load } satisfies Order)
  await generator.next()
  return async <T>(before: () => T): Promise<{ outcome: Outcome; before: T }> => {
    const seen = before()
    generator.tell({ go: true } satisfies Order)
    const report = (await generator.next(load.seconds * 1000 + 30_000)) as Report
    if (!('outcome' in report)) throw new Error('the generator spoke out of turn')
    return { outcome: report.outcome, before: seen }
  }
}

const spent = (before: number | undefined, after: number | undefined) =>
  before === undefined || after === undefined ? undefined : after - before
