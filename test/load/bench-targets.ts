/**
 * Determines the targets in front of the stub that can be measured in this run.
 *
 * Starts the requested ones, and reports each one that could not be measured in a sentence with the reason. A gateway that is not
 * written yet is a remark; one that is there and does not start is a failure, and the others are still measured. Never measures
 * anything itself.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { TOWNS, TRACED, type TargetName } from './bench-options.ts'
import { openSession, type CallTarget } from './generator/mcp-call.ts'
import type { Probe } from './counts/heap-profile.ts'
import { endpointOf, startPeer } from './processes/peer-process.ts'
import type { Target } from './bench-rounds.ts'
import { gatewayMain, startGateway } from './processes/gateway-process.ts'
import { refusedCall } from './processes/gateway-answers.ts'
import { makeGatewayFolder } from './processes/gateway-folder.ts'
import { startPublished } from './processes/published-process.ts'
import { installPeers } from './peers/installed.ts'
import { NOT_PINNED, PUBLISHED, type PublishedPeer } from './peers/peers.ts'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'

interface Place {
  readonly root: string
  /** MCP endpoint of the stub. */
  readonly upstream: string
  /** The process of the stub. */
  readonly server: NonNullable<Target['counted']>
  /** Makes a probe of a process by its name. */
  readonly probe: (name: string) => Probe
  /** The core of every target, and of what stands behind them. */
  readonly core: number | undefined
  readonly driver: number | undefined
  readonly profileTo: string | undefined
  /** The gateway has a connection with ten thousand tools, too. */
  readonly longList: boolean
}

/** Begins something that is sure to be ended. */
type Start = <T extends AsyncDisposable>(begin: () => T) => T
interface Started {
  readonly targets: Target[]
  readonly remarks: string[]
  readonly failed: boolean
  /** The endpoint of the connection with ten thousand tools, where there is a gateway. */
  readonly many?: CallTarget
}

export async function startTargets(
  asked: readonly TargetName[],
  place: Place,
  start: Start,
  say: (line: string) => void,
): Promise<Started> {
  const proxies: Target[] = []
  for (const name of ['raw', 'sdk'] as const) {
    if (asked.includes(name)) proxies.push(await startProxy(name, place, start))
  }
  const gateway = await startGatewayTargets(asked, place, start, say)
  const traced = await startTraced(asked, place, start, say)
  const towns = await startTowns(asked, place, start, say)
  const published = await startPublishedTargets(asked, place, start, say)
  const toStub = { url: place.upstream, tool: 'echo' }
  const direct: Target = { name: 'direct', call: toStub, pid: undefined, counted: place.server }
  const targets = [
    ...(asked.includes('direct') ? [direct] : []),
    ...proxies,
    ...gateway.targets,
    ...traced,
    ...towns,
    ...published.targets,
  ]
  const remarks = [...gateway.remarks, ...published.remarks]
  if (targets.length === 0 && !gateway.failed) throw new Error(remarks.join(' '))
  return { ...gateway, targets, remarks }
}

async function startProxy(name: 'raw' | 'sdk', place: Place, start: Start): Promise<Target> {
  const probe = place.probe(name)
  const script = new URL(`./${name}-proxy.ts`, import.meta.url)
  const began = performance.now()
  const peer = start(() => startPeer(script, [place.upstream], place.core, probe))
  const counted = name === 'raw' ? { counted: { pid: peer.pid, probe } } : {}
  const call = { url: await endpointOf(peer), tool: 'echo' }
  const refused = await refusedCall(call)
  if (refused !== undefined) throw new Error(`${name}: ${refused}`)
  return { name, call, pid: peer.pid, startMs: performance.now() - began, ...counted }
}

const LEGACY_STUB = new URL('./legacy-stub.ts', import.meta.url)
const STDIO_STUB = [process.execPath, fileURLToPath(LEGACY_STUB), 'stdio'] as const

/** A program that cannot be had or does not start is a remark with the reason: the others are measured all the same. */
async function startPublishedTargets(
  asked: readonly TargetName[],
  { root, core, driver }: Place,
  start: Start,
  say: (line: string) => void,
): Promise<Pick<Started, 'targets' | 'remarks'>> {
  const wanted = PUBLISHED.filter(({ name }) => asked.includes(name))
  if (wanted.length === 0) return { targets: [], remarks: [] }
  const notPinned = NOT_PINNED.map(([name, why]) => `${name} not measured: ${why}.`)
  const installed = await installPeers(root)
  if (typeof installed === 'string') {
    const names = wanted.map(({ name }) => name).join(', ')
    return { targets: [], remarks: [`${names} not measured: they could not be installed. ${installed}`, ...notPinned] }
  }
  const legacy = start(() => startPeer(LEGACY_STUB, [], driver))
  const remote = await endpointOf(legacy)
  const startOne = async (peer: PublishedPeer): Promise<Target> => {
    say(`starting ${peer.name}`)
    const at = { port: await freePort(), stdio: STDIO_STUB, remote }
    const { pid, folder, answered } = start(() => startPublished(peer, installed.folderOf(peer.package), at, core))
    return {
      name: peer.name,
      pid,
      folder,
      upstream: peer.server === 'stdio' ? 'child' : legacy.pid,
      ...(await answered()),
    }
  }
  const targets: Target[] = []
  const remarks: string[] = []
  for (const peer of wanted) {
    try {
      targets.push(await startOne(peer))
    } catch (thrown) {
      remarks.push(`${peer.name} not measured: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  return { targets, remarks: [...remarks, ...notPinned] }
}

const OF_GATEWAY = [
  ...(['gateway', 'joined', 'ruled', 'legacy-legacy', 'legacy-modern', 'modern-legacy'] as const),
  'legacy-stdio',
] as const
type GatewayTarget = (typeof OF_GATEWAY)[number]

async function startGatewayTargets(
  asked: readonly TargetName[],
  { root, upstream, core, driver, profileTo, probe: probeOf, longList }: Place,
  start: Start,
  say: (line: string) => void,
): Promise<Started> {
  const wanted = OF_GATEWAY.filter((name) => asked.includes(name))
  if (wanted.length === 0) return { targets: [], remarks: [], failed: false }
  const main = gatewayMain(root)
  const skipped = (why: string, failed: boolean) => ({
    targets: [],
    remarks: [`${wanted.join(' and ')} not measured: ${why}`],
    failed,
  })
  if (main === undefined) return skipped('packages/gateway/src/main.ts is not there yet.', false)
  say('starting the gateway with its own database')
  if (profileTo !== undefined) rmSync(profileTo, { recursive: true, force: true })
  const stub = (script: string) => start(() => startPeer(new URL(script, import.meta.url), [], driver))
  const legacy = stub('./legacy-stub.ts')
  const [command, ...args] = STDIO_STUB
  const child = { command, args, allow_paths: [fileURLToPath(new URL('.', import.meta.url))], revision: '2025-11-25' }
  const upstreams = {
    stub: { url: upstream, revision: '2026-07-28' },
    ruled: { url: upstream, revision: '2026-07-28' },
    old: { url: await endpointOf(legacy), revision: '2025-11-25' },
    ...(longList ? { many: { url: await endpointOf(stub('./many-tools-stub.ts')), revision: '2026-07-28' } } : {}),
    ...(wanted.includes('legacy-stdio') ? { child } : {}),
  }
  const port = await freePort()
  const probe = probeOf('gateway')
  const gateway = start(() => startGateway({ main, upstreams, port, core, profileTo, probe }))
  try {
    const startMs = await gateway.ready()
    const targets: Target[] = []
    for (const name of wanted) targets.push({ ...(await targetNamed(name, gateway, legacy.pid, probe)), startMs })
    const remarks =
      profileTo === undefined
        ? []
        : ['the gateway ran under --cpu-prof, which slows it; see .reports/gateway-profile/.']
    return { targets, remarks, failed: false, ...(longList ? { many: gateway.connection('many') } : {}) }
  } catch (thrown) {
    await gateway[Symbol.asyncDispose]()
    return skipped(`the gateway did not start. ${thrown instanceof Error ? thrown.message : String(thrown)}`, true)
  }
}

const TELEMETRY: Readonly<Record<(typeof TRACED)[number], Record<string, string>>> = {
  traced: {},
  'traced-tenth': { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' },
}

/** Gateways of their own that export traces, metrics and log lines to a sink beside the stub. */
async function startTraced(
  asked: readonly TargetName[],
  { root, upstream, core, driver, profileTo }: Place,
  start: Start,
  say: (line: string) => void,
): Promise<Target[]> {
  const [main, wanted] = [gatewayMain(root), TRACED.filter((name) => asked.includes(name))]
  if (main === undefined || wanted.length === 0) return []
  const sink = start(() => startPeer(new URL('./otlp-sink.ts', import.meta.url), [], driver))
  const endpoint = new URL(await endpointOf(sink)).origin
  const targets: Target[] = []
  for (const name of wanted) {
    say(`starting the gateway ${name}`)
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...TELEMETRY[name] }
    const port = await freePort()
    const upstreams = { stub: { url: upstream, revision: '2026-07-28' } }
    const gateway = start(() => startGateway({ main, upstreams, port, core, profileTo, settings }))
    await gateway.ready()
    targets.push({ name, call: gateway.single, pid: gateway.pid, folder: gateway.folder, stores: true })
  }
  return targets
}

const TOWN = fileURLToPath(new URL('../town/town.ts', import.meta.url))

/** Gateways of their own beside a company's rows; its servers answer, so that the gateway has what it does beside calls. */
async function startTowns(
  asked: readonly TargetName[],
  { root, upstream, core, driver, profileTo, probe: probeOf }: Place,
  start: Start,
  say: (line: string) => void,
): Promise<Target[]> {
  const [main, wanted] = [gatewayMain(root), TOWNS.filter((name) => asked.includes(name))]
  if (main === undefined || wanted.length === 0) return []
  const street = new URL(
    await endpointOf(start(() => startPeer(new URL('./town-street.ts', import.meta.url), [], driver))),
  )
  const targets: Target[] = []
  for (const name of wanted) {
    say(`filling a database for ${name}`)
    const upstreams = { stub: { url: upstream, revision: '2026-07-28' } }
    const folder = makeGatewayFolder(upstreams)
    try {
      await fillTown(folder.data, street.port, name === 'town')
    } catch (thrown) {
      folder.remove()
      throw thrown
    }
    const port = await freePort()
    const probe = probeOf(name)
    const gateway = start(() => startGateway({ main, upstreams, port, core, profileTo, probe }, folder))
    const startMs = await gateway.ready()
    const { pid, journal, single } = gateway
    const counted = { pid, probe, journal }
    targets.push({ name, call: single, pid, folder: gateway.folder, stores: true, startMs, counted })
  }
  return targets
}

/** In a process of its own, so that none of its memory is the bench's. */
async function fillTown(data: string, port: string, isSmall: boolean): Promise<void> {
  const words = ['--data', data, '--port', port, '--password', 'of-the-bench-only', ...(isSmall ? ['--small'] : [])]
  const child = spawn(process.execPath, [TOWN, ...words], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`the town could not be filled (${code ?? 'it was ended'})`)
}

/** The connection of the gateway for each kind of server. */
const ALIAS_OF: Readonly<Record<string, string>> = { legacy: 'old', stdio: 'child' }

async function targetNamed(
  name: GatewayTarget,
  gateway: ReturnType<typeof startGateway>,
  legacy: number,
  probe: Probe,
): Promise<Target> {
  const { pid, folder, connection, joined, journal } = gateway
  const own = { name, pid, folder, stores: true as const }
  if (name === 'gateway') return { ...own, call: gateway.single, counted: { pid, probe, journal } }
  if (name === 'joined') return { ...own, call: joined }
  if (name === 'ruled') {
    const call = connection('ruled')
    await gateway.answers(call)
    return { ...own, call }
  }
  const [client, server = ''] = name.split('-')
  const endpoint = connection(ALIAS_OF[server] ?? 'stub')
  const session = client === 'legacy' ? { session: await openSession(endpoint) } : {}
  const call = { ...endpoint, ...session }
  await gateway.answers(call)
  if (server === 'stdio') return { ...own, call, upstream: 'child' }
  return { ...own, call, ...(server === 'legacy' ? { upstream: legacy } : {}) }
}
