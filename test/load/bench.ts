/**
 * `npm run bench`: measures the cost of a tools/call through the gateway, against the physical limit and the SDK.
 *
 * Starts the stubs, a raw byte proxy, an SDK proxy, the real gateway and a load generator, each its own process on loopback;
 * counts what a call costs, measures all targets in interleaved rounds, then at the same offered rate, then the longest list;
 * prints the report and stores it in .reports/bench.json. With --peers it measures published programs beside them, and rounds
 * only. Absolute times on a shared machine are unreliable: read the counts, which noise does not move, and the ratios, which come
 * from the same rounds; rounds that others disturbed are marked. Exits 1 on any wrong answer of what is no published program, or
 * when a gateway that is there does not start. Ends every process it started, unless it is killed itself.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type More, ratiosOf, rowsOf, verdictsOf, verdictsOfMore } from './bench-figures.ts'
import { type Options, type Plan, readOptions, USAGE } from './bench-options.ts'
import { watchBeside } from './beside.ts'
import { measureCounts } from './counts/counts.ts'
import { probeAt } from './counts/heap-profile.ts'
import { measureGrowth, type Growth } from './growth/growth.ts'
import { measureLongList } from './long-list.ts'
import { measureOpenLoop, type OpenLoop } from './open-loop.ts'
import { isPublished } from './peers/peers.ts'
import { gatewayMain } from './processes/gateway-process.ts'
import { endpointOf, type Peer, startPeer } from './processes/peer-process.ts'
import { type Figures, reportText } from './bench-report.ts'
import { runRounds, type Sample, type Target } from './bench-rounds.ts'
import { startTargets } from './bench-targets.ts'
import { chooseCores, type CoreLayout } from './processes/core-layout.ts'
import { growthText } from './report/growth-text.ts'
import { scalingText } from './report/scaling-text.ts'
import { measureScaling, type Scaling } from './scaling/scaling.ts'
import { measureSessionMemory } from './session-memory.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const REPORTS = join(ROOT, '.reports')
const WHOLE_RUN_LIMIT_MS = 600_000
const GROWTH_LIMIT_MS = 3_600_000
/** Of one minute, before anything was started. */
const LOAD_BEFORE = loadavg()[0] ?? 0

const say = (line: string) => void process.stderr.write(`bench: ${line}\n`)

/** Starts everything, measures, and returns what a report needs; whoever owns `stops` ends what was started. */
async function bench(options: Options, cores: CoreLayout, stops: AsyncDisposableStack, signal: AbortSignal) {
  /** Started and registered in one step: nothing runs that `stops` does not know. */
  const start = <T extends AsyncDisposable>(begin: () => T): T => {
    signal.throwIfAborted()
    return stops.use(begin())
  }
  const probes = start(makeProbes)
  const stubProbe = probes.of('stub')
  const stub = start(() => startPeer(new URL('./stub-upstream.ts', import.meta.url), [], cores.driver, stubProbe))
  const upstream = await endpointOf(stub)
  const generator = start(() => startPeer(new URL('./generator/load-generator.ts', import.meta.url), [], cores.driver))
  const profileTo = options.profile ? join(REPORTS, 'gateway-profile') : undefined
  const place = {
    root: ROOT,
    upstream,
    server: { pid: stub.pid, probe: stubProbe },
    probe: probes.of,
    core: cores.target,
    driver: cores.driver,
    profileTo,
    longList: options.more,
  }
  const { targets, remarks, failed, many } = await startTargets(options.targets, place, start, say)
  const { plan } = options
  if (options.peers) {
    const besideAfter = watchBeside(targets)
    const samples = await runRounds({ generator, stub, targets, plan, say })
    return { samples, remarks, failed, more: { beside: besideAfter() } }
  }
  const counts = await measureCounts(generator, targets, plan, say)
  if (options.countsOnly) return { samples: [], remarks, failed, more: { counts } }
  const samples = targets.length === 0 ? [] : await runRounds({ generator, stub, targets, plan, say })
  const openLoop = await openLoopOf(generator, stub, targets, samples, plan)
  if (!options.more) return { samples, remarks, failed, more: { counts, openLoop } }
  if (many !== undefined) say('walking a list of ten thousand tools')
  const longList = many === undefined ? undefined : await measureLongList(many)
  const measured = options.targets.includes('gateway') && !failed
  if (measured) say('three thousand sessions with full buffers')
  const sessionMemory = measured ? await measureSessionMemory(cores.target, start) : undefined
  return { samples, remarks, failed, more: { counts, openLoop, longList, sessionMemory } }
}

/** A folder for the sockets of all probes. */
function makeProbes() {
  const path = mkdtempSync(join(tmpdir(), 'toolway-probes-'))
  return {
    of: (name: string) => probeAt(join(path, name)),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}

/** Needs the gateway: the rate is a share of what it can do. */
async function openLoopOf(
  generator: Peer,
  stub: Peer,
  all: readonly Target[],
  samples: readonly Sample[],
  plan: Plan,
): Promise<OpenLoop | undefined> {
  const targets = all.filter(({ name }) => name === 'direct' || name === 'raw' || name === 'gateway')
  const most = Math.max(...plan.connections)
  const row = rowsOf(samples, plan).find(({ target, connections }) => target === 'gateway' && connections === most)
  const saturation = row?.callsPerSecond.median ?? 0
  return saturation === 0 ? undefined : measureOpenLoop({ generator, stub, targets, saturation, plan, say })
}

function figuresOf(
  samples: readonly Sample[],
  more: More,
  plan: Plan,
  cores: CoreLayout,
  remarks: readonly string[],
): Figures {
  const rows = rowsOf(samples, plan)
  const ratios = ratiosOf(samples, plan)
  const length = `${plan.rounds} rounds of ${plan.roundSeconds} s per target, interleaved`
  const bound = `at most ${plan.mostCalls} calls a round`
  return {
    at: new Date().toISOString(),
    circumstances: [
      [
        'machine',
        `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${process.platform} ${process.arch}`,
      ],
      ['load', `${LOAD_BEFORE.toFixed(2)} before the run, the average of a minute`],
      ['runtime', `Node ${process.version}`],
      ['layout', cores.sentence],
      ['rounds', `${length}, after ${plan.warmupSeconds} s of warm-up; ${bound}`],
    ],
    rows,
    ratios,
    more,
    verdicts: [...verdictsOf(ratios), ...verdictsOfMore(more)],
    remarks: [...remarks, ...doubts(rows)],
  }
}

/** Returns remarks on effects that make the figures less reliable. */
function doubts(rows: ReturnType<typeof rowsOf>): string[] {
  const raw = rows.find(({ target, connections }) => target === 'raw' && connections > 1)?.coreUse
  const heldBack = raw !== undefined && (raw.driver ?? 0) > 0.93 && (raw.target ?? 1) < 0.9
  const others = Math.max(...rows.map(({ coreUse }) => coreUse.others ?? 0))
  return [
    ...(heldBack ? ['raw was held back by the generator and the stub: throughput ratios to it look too good.'] : []),
    ...(others < 0.2
      ? []
      : [
          `others on this machine used up to ${Math.round(others * 100)} % of a core: calls/s, latencies and CPU are rough.`,
        ]),
  ]
}

/** True where a call of any round was not answered well; what a published program answers is no fault of this repository. */
const hasErrors = ({ rows, more: { counts, openLoop } }: Figures): boolean =>
  (counts?.faults.length ?? 0) > 0 ||
  [...rows, ...(openLoop?.levels ?? []).flatMap((level) => level.rows)].some(
    ({ target, errors }) => errors > 0 && !isPublished(target),
  )

function deliver(figures: Figures, json: boolean): void {
  const text = `${JSON.stringify(figures, null, 2)}\n`
  mkdirSync(REPORTS, { recursive: true })
  writeFileSync(join(REPORTS, 'bench.json'), text)
  process.stdout.write(json ? text : `${reportText(figures)}\nThe figures are in .reports/bench.json.\n`)
}

/** Rejects when the run is interrupted or takes longer than `limit`, and raises `controller`'s signal first. */
function interruption(controller: AbortController, limit: number): Promise<never> {
  return new Promise((_, reject) => {
    const interrupt = (why: string) => {
      controller.abort(new Error(why))
      reject(new Error(why))
    }
    setTimeout(() => interrupt(`the run took longer than ${limit / 1000} s`), limit).unref()
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(name, () => interrupt(`stopped by ${name}`))
  })
}

/** The whole run; resolves to the exit code. */
async function run(options: Options): Promise<number> {
  const cores = chooseCores()
  const controller = new AbortController()
  const stops = new AsyncDisposableStack()
  try {
    const done = bench(options, cores, stops, controller.signal)
    const { samples, remarks, failed, more } = await Promise.race([done, interruption(controller, WHOLE_RUN_LIMIT_MS)])
    const figures = figuresOf(samples, more, options.plan, cores, remarks)
    // A profile is written when the gateway ends, so everything ends before the report that names it.
    await stops.disposeAsync()
    deliver(figures, options.json)
    return failed || hasErrors(figures) ? 1 : 0
  } finally {
    await stops.disposeAsync()
  }
}

/** A measurement that is made alone. */
interface Alone<Result extends object> {
  readonly name: string
  readonly limitMs: number
  measure(place: Awaited<ReturnType<typeof placeOf>>): Promise<Result>
  text(result: Result): string
}

const growthOf = (records: number): Alone<Growth> => ({
  name: 'growth',
  limitMs: GROWTH_LIMIT_MS,
  measure: (place) => measureGrowth(place, records, say),
  text: growthText,
})

const scalingOf = (plan: Plan): Alone<Scaling> => ({
  name: 'processes',
  limitMs: WHOLE_RUN_LIMIT_MS,
  measure: (place) => {
    const generator = place.start(() =>
      startPeer(new URL('./generator/load-generator.ts', import.meta.url), [], undefined),
    )
    return measureScaling({ ...place, generator, plan, say })
  },
  text: scalingText,
})

async function placeOf(main: string, cores: CoreLayout, start: <T extends AsyncDisposable>(begin: () => T) => T) {
  const stub = start(() => startPeer(new URL('./stub-upstream.ts', import.meta.url), [], cores.driver))
  return { main, stub, upstream: await endpointOf(stub), core: cores.target, start }
}

/** Resolves to the exit code. Figures are stored beside those of the other run. */
async function runAlone<Result extends object>(alone: Alone<Result>, json: boolean): Promise<number> {
  const main = gatewayMain(ROOT)
  if (main === undefined) throw new Error('packages/gateway/src/main.ts is not there yet.')
  const controller = new AbortController()
  await using stops = new AsyncDisposableStack()
  const place = await placeOf(main, chooseCores(), (begin) => {
    controller.signal.throwIfAborted()
    return stops.use(begin())
  })
  const result = await Promise.race([alone.measure(place), interruption(controller, alone.limitMs)])
  const figures = { at: new Date().toISOString(), load: LOAD_BEFORE, node: process.version, ...result }
  const text = `${JSON.stringify(figures, null, 2)}\n`
  mkdirSync(REPORTS, { recursive: true })
  writeFileSync(join(REPORTS, `${alone.name}.json`), text)
  process.stdout.write(json ? text : `${alone.text(result)}\nThe figures are in .reports/${alone.name}.json.\n`)
  return 0
}

try {
  const options = readOptions(process.argv.slice(2))
  if (options.help) process.stdout.write(USAGE)
  else if (options.growth !== undefined)
    process.exitCode = await runAlone(growthOf(options.growth.records), options.json)
  else if (options.processes) process.exitCode = await runAlone(scalingOf(options.plan), options.json)
  else process.exitCode = await run(options)
} catch (thrown) {
  say(thrown instanceof Error ? thrown.message : String(thrown))
  process.exitCode = 1
}
