/**
 * The options of this run, and its time limits.
 *
 * Reads the command line strictly. The plan bounds a run in time and in count: the default takes some five minutes with all
 * targets, `--quick` near one; more on a machine that others use. Never starts anything.
 */
import { parseArgs } from 'node:util'

/** The gateway's four combinations of eras are named client first; `gateway` is modern to modern, `ruled` the same under 50 rules. */
export const TARGETS = [
  'direct',
  'raw',
  'sdk',
  'gateway',
  'joined',
  'ruled',
  'legacy-legacy',
  'legacy-modern',
  'modern-legacy',
] as const
/** The gateway with every call traced and exported, and with every tenth; measured only where they are named. */
export const TRACED = ['traced', 'traced-tenth'] as const
/** The gateway with a company in its database (`npm run town`), at a fiftieth and whole; measured only where they are named. */
export const TOWNS = ['town', 'town-whole'] as const
/** The gateway in front of a stdio server, and published programs; measured only by `--peers` or where they are named. */
export const BESIDE = ['legacy-stdio', 'mcp-proxy', 'supergateway', 'mcp-hub'] as const
export type TargetName = (typeof TARGETS | typeof TRACED | typeof TOWNS | typeof BESIDE)[number]

export const ALL: readonly TargetName[] = [...TARGETS, ...TRACED, ...TOWNS, ...BESIDE]

export interface Plan {
  readonly rounds: number
  readonly roundSeconds: number
  readonly warmupSeconds: number
  /** Per round and target. */
  readonly mostCalls: number
  readonly connections: readonly number[]
  /** Of each load of the open loop, for each target. */
  readonly open: { readonly rounds: number; readonly seconds: number }
  /** Calls in a round of counts: as many as can be, at a fixed rate, and under strace. */
  readonly counts: {
    readonly rounds: number
    readonly warmupCalls: number
    readonly calls: number
    readonly offeredCalls: number
    readonly tracedCalls: number
  }
}

export interface Options {
  readonly targets: readonly TargetName[]
  readonly plan: Plan
  /** Nothing but the counts. */
  readonly countsOnly: boolean
  /** Nothing but the rounds, with the published programs beside the gateway; their memory and start, too. */
  readonly peers: boolean
  /** The longest list and the memory of sessions are measured, too. */
  readonly more: boolean
  readonly json: boolean
  readonly profile: boolean
  /** Nothing but what the size of an installation costs; with so many records. */
  readonly growth: { readonly records: number } | undefined
  /** Nothing but several processes of the gateway against one. */
  readonly processes: boolean
  readonly help: boolean
}

export const USAGE = `npm run bench -- [options]

  --quick          about a minute in place of some five: fewer rounds, only direct, raw and gateway where no target is
                   named, neither the long list nor the memory of sessions
  --target <name>  only this target, may be repeated: ${ALL.join(', ')};
                   those after ${TARGETS.at(-1)} are measured only where they are named, or by --peers
  --counts         only what other work on the machine cannot change: system calls, bytes of the heap, instructions
  --growth         only what size costs: tools, connections, organizations, streams, sessions, records; some ten minutes
  --records <n>    records of --growth, 1000000 unless told; ten million take minutes and gigabytes
  --processes      only several processes of the gateway (TOOLWAY_PROCESSES), each with as much CPU as the one alone: a share
                   of a core, by groups of the kernel that root may make
  --peers          published gateways and proxies beside this one, installed from the npm registry at the first run into
                   .cache/bench-peers: rounds, memory and start only
  --profile        run the gateway under --cpu-prof and say where the file is
  --json           print nothing but JSON on stdout
  --help           print this
`

const SHORT: readonly TargetName[] = ['direct', 'raw', 'gateway']
const COMPARED: readonly TargetName[] = ['direct', 'raw', 'sdk', 'gateway', 'legacy-legacy', ...BESIDE]
const BOUNDS = { mostCalls: 100_000, connections: [1, 64] }
const FULL: Plan = {
  rounds: 6,
  roundSeconds: 0.75,
  warmupSeconds: 1.5,
  open: { rounds: 5, seconds: 1.5 },
  counts: { rounds: 3, warmupCalls: 8_000, calls: 15_000, offeredCalls: 3_400, tracedCalls: 2_000 },
  ...BOUNDS,
}
const QUICK: Plan = {
  rounds: 3,
  roundSeconds: 0.35,
  warmupSeconds: 0.6,
  open: { rounds: 3, seconds: 0.6 },
  counts: { rounds: 3, warmupCalls: 3_000, calls: 4_000, offeredCalls: 1_700, tracedCalls: 1_000 },
  ...BOUNDS,
}

/** @param args the command line after the script; throws a sentence on what it does not know */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      counts: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      processes: { type: 'boolean', default: false },
      records: { type: 'string', default: '1000000' },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      target: { type: 'string', multiple: true, default: [] },
    },
  })
  const asked = new Set(values.target.flatMap((list) => list.split(',')).map(targetNamed))
  const { quick, json, profile, help, counts: countsOnly, peers, processes } = values
  if (countsOnly && peers) throw new Error('--counts and --peers exclude each other')
  const short = quick ? SHORT : TARGETS
  const usual = peers ? COMPARED : short
  const targets = asked.size === 0 ? usual : ALL.filter((name) => asked.has(name))
  const growth = values.growth ? { records: countOf(values.records) } : undefined
  const more = !quick && !peers
  return { targets, plan: quick ? QUICK : FULL, countsOnly, peers, more, json, profile, growth, processes, help }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`--records ${text}: a number from 1 to 999999999 is wanted`)
  return Number(text)
}

function targetNamed(name: string): TargetName {
  const found = ALL.find((target) => target === name)
  if (found === undefined) throw new Error(`there is no target '${name}'; there are ${ALL.join(', ')}`)
  return found
}
