/**
 * Measures what a gateway does with more calls than it can serve: `node test/load/overload.ts [--seconds 60] [--times 2]`.
 *
 * A real gateway in a process of its own with two organizations. First what it can do (a closed loop), then a neighbour that calls five
 * times a second while all is quiet, then the same neighbour while the other organization calls so many times as often as the gateway can.
 * Health and administration are asked all the while. It prints figures and compares them with the aims; on a machine that others use,
 * times say little and counts say much. Everything shares the cores that there are: the generator takes its part of them.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import type { Flood, FloodOutcome } from './generator/flood.ts'
import { percentile } from './generator/latency-histogram.ts'
import type { Load, Report } from './generator/load-generator.ts'
import { callParts, type CallTarget } from './generator/mcp-call.ts'
import { gatewayMain, startOn } from './processes/gateway-process.ts'
import { logEnd } from './processes/gateway-folder.ts'
import { endpointOf, startPeer, type Peer } from './processes/peer-process.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    times: { type: 'string', default: '2' },
    /** As many as a flood may open; calls for which there is none are not made. */
    connections: { type: 'string', default: '4000' },
    root: { type: 'string', default: new URL('../..', import.meta.url).pathname },
  },
})
const SECONDS = Number(options.seconds)
const TIMES = Number(options.times)
const QUIET_SECONDS = Math.min(20, SECONDS)
const CAPACITY_SECONDS = 10
const CONNECTIONS = 64
const MOST_CONNECTIONS = Number(options.connections)
const NEIGHBOUR_PER_SECOND = 5
const OPEN_MS = 180_000
/** Of `/proc` a second, on every Linux that Node runs on. */
const TICKS = 100

const say = (line: string) => process.stdout.write(`${line}\n`)
const round = (value: number) => Math.round(value * 10) / 10
const sleepUntil = async (look: () => Promise<boolean>) => {
  while (!(await look())) await sleep(50)
}

/** A folder whose declaration has two organizations, each with a connection to the same server and a key. */
function makeFolder(upstream: string, keys: { readonly flood: string; readonly light: string }) {
  const path = mkdtempSync(join(tmpdir(), 'toolway-overload-'))
  chmodSync(path, 0o755)
  const organization = (key: string) => ({
    connections: { stub: { url: upstream, revision: '2026-07-28' } },
    keys: { load: { value: key } },
  })
  const config = join(path, 'toolway.yaml')
  // JSON is YAML too.
  writeFileSync(
    config,
    JSON.stringify({ organizations: { flood: organization(keys.flood), light: organization(keys.light) } }),
  )
  const log = join(path, 'gateway.log')
  return {
    ...{ path, config, log, data: join(path, 'data') },
    logEnd: (secret: string) => logEnd(log, (text) => text.replaceAll(secret, 'uru_…')),
    logLines: () => readFileSync(log, 'utf8').split('\n').length,
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** Calls a second that the gateway can do: a closed loop, after a warm-up. */
async function capacityOf(target: CallTarget): Promise<{ perSecond: number; p99: number }> {
  await using generator = startPeer(new URL('./generator/load-generator.ts', import.meta.url), [], undefined)
  let perSecond = 0
  let p99 = 0
  for (const seconds of [3, CAPACITY_SECONDS]) {
    const load: Load = { target, connections: CONNECTIONS, seconds, mostCalls: 1_000_000 }
    generator.tell({ open: load })
    await generator.next(OPEN_MS)
    generator.tell({ go: true })
    const report = (await generator.next(OPEN_MS)) as Report
    if (!('outcome' in report)) throw new Error('The generator reported nothing.')
    const { outcome } = report
    if (outcome.errors > 0) throw new Error(`Calls failed: ${outcome.faults.join('; ')}`)
    perSecond = outcome.calls / outcome.seconds
    p99 = percentile(outcome.latency, 0.99)
  }
  return { perSecond, p99 }
}

async function floodWith(peer: Peer, flood: Flood): Promise<FloodOutcome> {
  peer.tell(flood)
  return (await peer.next((flood.seconds + 150) * 1_000)) as FloodOutcome
}

/** Asks again and again until it is stopped; how long each answer took, and how many were none. */
function probe(url: string, headers: Record<string, string> = {}) {
  const took: number[] = []
  let failed = 0
  let goesOn = true
  const running = (async () => {
    while (goesOn) {
      const begun = performance.now()
      const good = await fetch(url, { headers, signal: AbortSignal.timeout(10_000) }).then(
        async (response) => (await response.text(), response.ok),
        () => false,
      )
      if (good) took.push(performance.now() - begun)
      else failed++
      await sleep(250)
    }
  })()
  return async () => {
    goesOn = false
    await running
    took.sort((one, other) => one - other)
    return { asked: took.length + failed, failed, p50: took[Math.floor(took.length / 2)] ?? 0, max: took.at(-1) ?? 0 }
  }
}

function watchMemory(pid: number) {
  const seen: number[] = []
  const look = () => {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    seen.push(Math.round(Number(kib ?? 0) / 1024))
  }
  const timer = setInterval(look, 1_000)
  return () => {
    clearInterval(timer)
    look()
    return seen
  }
}

/** Seconds of the processor that the process has had, its threads together. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

async function post(target: CallTarget, id: number): Promise<Response> {
  const { headers, body } = callParts(target, id)
  return fetch(target.url, { method: 'POST', headers, body, signal: AbortSignal.timeout(90_000) })
}

/** Milliseconds from now until a call of the organization that flooded is answered well within a second. */
async function recovery(target: CallTarget): Promise<number> {
  const begun = performance.now()
  let id = 900_000_000
  await sleepUntil(async () => {
    const asked = performance.now()
    const response = await post(target, ++id)
    await response.text()
    return response.status === 200 && performance.now() - asked < 1_000
  })
  return performance.now() - begun
}

/** The first answer that says that the gateway is busy, as a client sees it. */
async function sampleOfBusy(target: CallTarget): Promise<string> {
  for (let n = 0; n < 400; n++) {
    const response = await post(target, 800_000_000 + n)
    const text = await response.text()
    if (response.status === 503) return `Retry-After: ${response.headers.get('retry-after')}, ${text.slice(0, 160)}`
  }
  return 'none was seen'
}

async function main(): Promise<void> {
  const gatewayFile = gatewayMain(options.root)
  if (gatewayFile === undefined) throw new Error(`There is no gateway in ${options.root}.`)
  await using stub = startPeer(new URL('./stub-upstream.ts', import.meta.url), [], undefined)
  const [flood, light] = [0, 1].map(() => `uru_${randomBytes(32).toString('hex')}`) as [string, string]
  const folder = makeFolder(await endpointOf(stub), { flood, light })
  const off = { TOOLWAY_LIMIT_ADDRESS: 'off', TOOLWAY_LIMIT_ORGANIZATION: 'off' }
  const settings = { ...off, TOOLWAY_LIMIT_ADMINISTRATION: 'off' }
  const start = { main: gatewayFile, port: await freePort(), core: undefined, profileTo: undefined, settings }
  await using gateway = startOn(start, folder)
  await gateway.healthy()
  const at = (organization: string, key: string): CallTarget => ({
    ...{ url: `${gateway.base}/api/v1/${organization}/connectors/stub/mcp`, tool: 'echo', key },
  })
  const [mine, neighbour] = [at('flood', flood), at('light', light)]
  await sleepUntil(async () => (await post(mine, 1)).ok && (await post(neighbour, 1)).ok)

  const capacity = await capacityOf(mine)
  say(
    `capacity: ${Math.round(capacity.perSecond)} calls/s with ${CONNECTIONS} connections, p99 ${round(capacity.p99)} ms`,
  )
  await using floodPeer = startPeer(new URL('./generator/flood.ts', import.meta.url), [], undefined)
  await using lightPeer = startPeer(new URL('./generator/flood.ts', import.meta.url), [], undefined)
  const calls = (target: CallTarget, perSecond: number, seconds: number): Flood => ({
    ...{ target, perSecond, seconds, mostConnections: MOST_CONNECTIONS },
  })
  const quiet = await floodWith(lightPeer, calls(neighbour, NEIGHBOUR_PER_SECOND, QUIET_SECONDS))
  const quietP99 = percentile(quiet.latency, 0.99)
  say(`a neighbour while all is quiet: ${quiet.good} of ${quiet.made} calls, p99 ${round(quietP99)} ms`)

  const perSecond = Math.round(capacity.perSecond * TIMES)
  say(`flood: ${perSecond} calls/s for ${SECONDS} s`)
  const logBefore = folder.logLines()
  const [memory, stopHealth] = [watchMemory(gateway.pid), probe(`${gateway.base}/health/live`)]
  const stopAdmin = probe(`${gateway.base}/api/v1/auth/me`, { authorization: `Bearer ${light}` })
  const neighbouring = floodWith(lightPeer, calls(neighbour, NEIGHBOUR_PER_SECOND, SECONDS))
  const sampling = sleep((SECONDS * 1_000) / 2).then(() => sampleOfBusy(mine))
  const flooding = floodWith(floodPeer, calls(mine, perSecond, SECONDS))
  const hadBefore = processorSeconds(gateway.pid)
  await sleep(SECONDS * 1_000)
  const had = (processorSeconds(gateway.pid) - hadBefore) / SECONDS
  const recovered = await recovery(mine)
  const [outcome, beside, sample] = await Promise.all([flooding, neighbouring, sampling])
  const [health, admin] = await Promise.all([stopHealth(), stopAdmin()])
  const rss = memory()

  const p99 = percentile(outcome.latency, 0.99)
  const goodput = outcome.good / SECONDS / capacity.perSecond
  const besideP99 = percentile(beside.latency, 0.99)
  say(
    `made ${outcome.made}, good ${outcome.good}, busy ${outcome.busy}, others ${JSON.stringify(outcome.others)}, not made ${outcome.notMade}, connections ${outcome.mostConnections}`,
  )
  say(`goodput ${Math.round(goodput * 100)} % of the capacity (aim 90 %)`)
  say(
    `accepted: p50 ${round(percentile(outcome.latency, 0.5))} ms, p99 ${round(p99)} ms (aim < 2000), longest ${round(percentile(outcome.latency, 1))} ms`,
  )
  say(
    `told busy: p50 ${round(percentile(outcome.busyLatency, 0.5))} ms, p99 ${round(percentile(outcome.busyLatency, 0.99))} ms; ${sample}`,
  )
  say(
    `neighbour: ${beside.good} of ${beside.made} good, busy ${beside.busy}, others ${JSON.stringify(beside.others)}, p50 ${round(percentile(beside.latency, 0.5))} ms, p99 ${round(besideP99)} ms = ${round(besideP99 / quietP99)} x quiet (aim < 2)`,
  )
  say(
    `health: ${health.failed} of ${health.asked} failed, p50 ${round(health.p50)} ms, longest ${round(health.max)} ms`,
  )
  say(`admin: ${admin.failed} of ${admin.asked} failed, p50 ${round(admin.p50)} ms, longest ${round(admin.max)} ms`)
  say(`memory: ${rss[0]} MiB before, ${Math.max(...rss)} MiB at most, ${rss.at(-1)} MiB at the end`)
  say(`the gateway had ${round(had * 100)} % of a core: the generator and the database take theirs`)
  say(`recovered ${Math.round(recovered)} ms after the flood (aim < 1000)`)
  say(`log lines during the flood: ${folder.logLines() - logBefore} for ${outcome.good + beside.good} calls answered`)
}

await main()
