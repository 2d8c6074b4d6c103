/**
 * Measures what a call costs in counts, which other work on the machine does not change: system calls, bytes of the heap that are
 * allocated and promoted, instructions.
 *
 * The same number of calls for each target in turn, in rounds. Each kind of count has rounds of its own: strace slows its process
 * down. Bytes are counted at a fixed rate, and promoted ones also over all connections at once: there, the calls that are under
 * way when a collection comes are kept by it, however little they hold. `direct` tells of the server itself. Never judges.
 */
import type { Plan, TargetName } from '../bench-options.ts'
import { generate, type Target } from '../bench-rounds.ts'
import type { Outcome } from '../generator/load-generator.ts'
import { type Spread, spreadOf } from '../median.ts'
import type { Peer } from '../processes/peer-process.ts'
import { readIo } from '../processes/process-io.ts'
import { startHeapProfile } from './heap-profile.ts'
import { countInstructions, whyNoInstructions } from './instructions.ts'
import { traceSystemCalls, whyNoTrace } from './system-calls.ts'

/** All for each call. */
export interface TargetCounts {
  readonly target: TargetName
  readonly systemCalls?: Spread
  /** By their names, the most frequent first: the median of the rounds. */
  readonly systemCallsByName?: readonly (readonly [name: string, each: number])[]
  /** Undefined where the target has no journal. */
  readonly journalWrites?: Spread
  /** What /proc counts as reading and writing. */
  readonly readsAndWrites?: Spread
  readonly allocatedBytes?: Spread
  readonly promotedBytes?: Spread
  /** With a call under way on each connection all the time. */
  readonly promotedAtOnceBytes?: Spread
  readonly instructions?: Spread
}

export interface Counts {
  readonly connections: number
  readonly targets: readonly TargetCounts[]
  /** Counts that were not taken, with the reason. */
  readonly notMeasured: readonly string[]
  /** The first calls that were not answered well. */
  readonly faults: readonly string[]
}

type Counted = Target & { readonly counted: NonNullable<Target['counted']> }
type Part = Omit<TargetCounts, 'target'>

/** The parts by which one kind of count is taken. */
interface Kind {
  readonly what: string
  readonly calls: (plan: Plan) => number
  /** Calls a second; as many as can be when undefined. */
  readonly perSecond?: number
  readonly why: () => string | undefined
  /** Begins to count in the process of the target; the function it returns ends that, and says what was counted by name. */
  readonly begin: (target: Counted) => Promise<() => Promise<Record<string, number>>>
  readonly told: (rounds: readonly Record<string, number>[]) => Part
}

/** Low enough for any machine, so that few calls are under way when a collection comes. */
export const BYTES_RATE = 850
/** Names of system calls are kept apart from the other counts of their round. */
const CALL = 'call '

const KINDS: readonly Kind[] = [
  {
    what: `bytes of the heap at ${BYTES_RATE} calls/s`,
    calls: ({ counts }) => counts.offeredCalls,
    perSecond: BYTES_RATE,
    why: () => undefined,
    begin: countBytes,
    told: (rounds) => ({
      ...named(rounds, 'allocated', 'allocatedBytes'),
      ...named(rounds, 'promoted', 'promotedBytes'),
    }),
  },
  {
    what: 'bytes of the heap with all connections at once',
    calls: ({ counts }) => counts.calls,
    why: () => undefined,
    begin: countBytes,
    told: (rounds) => ({
      ...named(rounds, 'promoted', 'promotedAtOnceBytes'),
      ...named(rounds, 'moved', 'readsAndWrites'),
    }),
  },
  {
    what: 'system calls',
    calls: ({ counts }) => counts.tracedCalls,
    why: whyNoTrace,
    async begin({ counted: { pid, journal } }) {
      const finish = await traceSystemCalls(pid, journal)
      return async () => {
        const { total, byName, intoFolder } = await finish()
        const names = Object.entries(byName).map(([name, count]) => [CALL + name, count] as const)
        return { total, ...(journal === undefined ? {} : { journal: intoFolder }), ...Object.fromEntries(names) }
      }
    },
    told: (rounds) => ({
      ...named(rounds, 'total', 'systemCalls'),
      ...named(rounds, 'journal', 'journalWrites'),
      systemCallsByName: byNameOf(rounds),
    }),
  },
  {
    what: 'instructions',
    calls: ({ counts }) => counts.calls,
    why: whyNoInstructions,
    async begin({ counted: { pid } }) {
      const finish = await countInstructions(pid)
      return async () => {
        const instructions = await finish()
        return instructions === undefined ? {} : { instructions }
      }
    },
    told: (rounds) => named(rounds, 'instructions', 'instructions'),
  },
]

async function countBytes({ counted: { pid, probe } }: Counted) {
  const finish = await startHeapProfile(probe)
  const before = readIo(pid)
  return async () => {
    const after = readIo(pid)
    const { allocated, promoted } = await finish()
    if (before === undefined || after === undefined) return { allocated, promoted }
    return { allocated, promoted, moved: after.reads + after.writes - before.reads - before.writes }
  }
}

export async function measureCounts(
  generator: Peer,
  targets: readonly Target[],
  plan: Plan,
  say: (line: string) => void,
): Promise<Counts | undefined> {
  const those = targets.filter((target): target is Counted => target.counted !== undefined)
  if (those.length === 0) return undefined
  const connections = Math.max(...plan.connections)
  const parts = new Map<TargetName, Part>(those.map(({ name }) => [name, {}]))
  const notMeasured: string[] = []
  const faults: string[] = []
  const load = (target: Target, calls: number, perSecond?: number) => ({
    target: target.call,
    connections,
    seconds: LONGEST_S,
    mostCalls: calls,
    ...(perSecond === undefined ? {} : { perSecond }),
  })
  for (const target of those) {
    say(`counts: warming up ${target.name}`)
    await (
      await generate(generator, load(target, plan.counts.warmupCalls))
    )(() => undefined)
  }
  for (const { what, calls, perSecond, why, begin, told } of KINDS) {
    const reason = why()
    if (reason !== undefined) {
      notMeasured.push(`${what}: ${reason}`)
      continue
    }
    say(`counts: ${what}`)
    const rounds = new Map<TargetName, Record<string, number>[]>(those.map(({ name }) => [name, []]))
    try {
      for (let round = 0; round < plan.counts.rounds; round++)
        for (const target of those) {
          const go = await generate(generator, load(target, calls(plan), perSecond))
          const finish = await begin(target)
          // Whatever became of the calls, nothing stays attached to the process.
          const [made] = await Promise.allSettled([go(() => undefined)])
          const counted = await finish()
          if (made.status === 'rejected') throw made.reason
          const { outcome } = made.value
          faults.push(...outcome.faults.map((fault) => `${target.name}, ${what}: ${fault}`))
          rounds.get(target.name)?.push(perCall(counted, outcome, target.name))
        }
    } catch (thrown) {
      notMeasured.push(`${what}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
      continue
    }
    for (const [name, own] of rounds) parts.set(name, { ...parts.get(name), ...told(own) })
  }
  return { connections, targets: [...parts].map(([target, part]) => ({ target, ...part })), notMeasured, faults }
}

const LONGEST_S = 30

function perCall(counted: Record<string, number>, { calls, errors }: Outcome, name: TargetName) {
  if (errors > 0 || calls === 0) throw new Error(`calls of ${name} failed`)
  return Object.fromEntries(Object.entries(counted).map(([what, count]) => [what, count / calls]))
}

function named<Name extends string>(
  rounds: readonly Record<string, number>[],
  what: string,
  as: Name,
): { [Key in Name]?: Spread } {
  const values = rounds.flatMap((round) => round[what] ?? [])
  return (values.length === 0 ? {} : { [as]: spreadOf(values) }) as { [Key in Name]?: Spread }
}

/** A name that a round does not have was called in none of it. */
export function byNameOf(rounds: readonly Record<string, number>[]): (readonly [string, number])[] {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)).filter((name) => name.startsWith(CALL)))
  return [...names]
    .map((name) => [name.slice(CALL.length), spreadOf(rounds.map((round) => round[name] ?? 0)).median] as const)
    .toSorted(([, a], [, b]) => b - a)
}
