/**
 * Calls a second with one process of the gateway and with several (TOOLWAY_PROCESSES), where each has as much CPU as the one alone: a
 * share of a core for each process, for the gateway with all that it starts. Generator and stub use the rest of the machine.
 */
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import type { Plan } from '../bench-options.ts'
import { isBusy, measure, type Target } from '../bench-rounds.ts'
import { spreadOf, type Spread } from '../median.ts'
import { startGateway } from '../processes/gateway-process.ts'
import type { Peer } from '../processes/peer-process.ts'
import { makeCpuGroup } from './cpu-group.ts'

/** Of a core, for each process: so little that the generator is never what is waited for. */
const SHARE = 0.2
const COUNTS = [1, 2, 4] as const
const CONNECTIONS = 64
/** Of a round. The kernel hands out shares in slices, which a short round would count unevenly. */
const SECONDS = 2
/** Rounds that are not counted: with so little CPU it takes longer until code is compiled. */
const WARM_UP = 3

export interface ScalingRow {
  readonly processes: number
  readonly callsPerSecond: Spread
  /** Against one process, of the same rounds. */
  readonly ofOne: Spread
  /** CPU of the gateway with its database for each call. Microseconds. */
  readonly cpuUs: Spread | undefined
  readonly errors: number
}

export interface Scaling {
  readonly rows: readonly ScalingRow[]
  readonly rounds: number
  readonly busyRounds: number
}

interface Parts {
  readonly main: string
  readonly upstream: string
  readonly generator: Peer
  readonly stub: Peer
  readonly plan: Pick<Plan, 'rounds' | 'mostCalls'>
  readonly start: <T extends AsyncDisposable>(begin: () => T) => T
  readonly say: (line: string) => void
}

/** Throws a sentence where it cannot be measured here. */
export async function measureScaling(parts: Parts): Promise<Scaling> {
  using groups = new DisposableStack()
  const targets: { readonly processes: number; readonly target: Target }[] = []
  for (const processes of COUNTS) {
    const group = makeCpuGroup(`toolway-bench-${process.pid}-${processes}`, SHARE * processes)
    if (group === undefined)
      throw new Error('this user may not make groups with a share of the CPU (cgroups): start it as root')
    groups.use(group)
    parts.say(`starting a gateway of ${processes} ${processes === 1 ? 'process' : 'processes'}`)
    targets.push({ processes, target: await startTarget(parts, processes, group.within) })
  }
  const rounds = await runRounds(parts, targets)
  const ones = rounds.filter(({ processes }) => processes === 1).map(({ rate }) => rate)
  const rows = COUNTS.map((processes) => {
    const own = rounds.filter((one) => one.processes === processes)
    const cpu = own.flatMap(({ cpuUs }) => (cpuUs === undefined ? [] : [cpuUs]))
    return {
      processes,
      callsPerSecond: spreadOf(own.map(({ rate }) => rate)),
      ofOne: spreadOf(own.map(({ rate }, round) => rate / (ones[round] ?? Number.NaN))),
      cpuUs: cpu.length === 0 ? undefined : spreadOf(cpu),
      errors: own.reduce((sum, { errors }) => sum + errors, 0),
    }
  })
  return { rows, rounds: rounds.length, busyRounds: rounds.filter(({ busy }) => busy).length }
}

async function startTarget(
  { main, upstream, start }: Parts,
  processes: number,
  within: (command: string, words: readonly string[]) => [string, string[]],
): Promise<Target> {
  const port = await freePort()
  const gateway = start(() =>
    startGateway({
      ...{ main, port, core: undefined, profileTo: undefined, within },
      upstreams: { stub: { url: upstream, revision: '2026-07-28' } },
      settings: { TOOLWAY_PROCESSES: String(processes) },
    }),
  )
  await gateway.ready()
  return { name: 'gateway', call: gateway.single, pid: gateway.pid, folder: gateway.folder }
}

async function runRounds(
  { generator, stub, plan, say }: Parts,
  targets: readonly { readonly processes: number; readonly target: Target }[],
) {
  const samples = []
  for (let round = 1 - WARM_UP; round <= plan.rounds; round++) {
    say(`processes, round ${round} of ${plan.rounds}`)
    for (const { processes, target } of targets) {
      const load = {
        target: target.call,
        connections: CONNECTIONS,
        seconds: SECONDS,
        mostCalls: plan.mostCalls,
      }
      const { outcome, cpu } = await measure(load, target, stub, generator)
      const { calls, errors, seconds } = outcome
      const spent = cpu.target === undefined ? undefined : cpu.target + (cpu.descendants ?? 0)
      const cpuUs = spent === undefined || calls === 0 ? undefined : (spent * 1000) / calls
      if (round > 0) samples.push({ processes, rate: calls / seconds, errors, cpuUs, busy: isBusy({ cpu, outcome }) })
    }
  }
  return samples
}
