/**
 * Which ways to the stub can be measured in this run?
 *
 * Starts what was asked for and says in a sentence what could not be measured and why. A gateway that is not
 * written yet is a remark; one that is there and does not start is a failure, and the others are still measured.
 * Never measures anything itself.
 */
import { rmSync } from 'node:fs'
import type { TargetName } from './bench-options.ts'
import { endpointOf, startPeer } from './processes/peer-process.ts'
import type { Target } from './bench-rounds.ts'
import { freePort, gatewayMain, startGateway } from './processes/gateway-process.ts'

interface Place {
  readonly root: string
  /** MCP endpoint of the stub. */
  readonly upstream: string
  /** The core of every target. */
  readonly core: number | undefined
  readonly profileTo: string | undefined
}

/** Begins something that is sure to be ended. */
type Start = <T extends AsyncDisposable>(begin: () => T) => T
type Started = { targets: Target[]; remarks: string[]; failed: boolean }

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
  const direct: Target = { name: 'direct', call: { url: place.upstream, tool: 'echo' }, pid: undefined }
  const targets = [...(asked.includes('direct') ? [direct] : []), ...proxies, ...gateway.targets]
  if (targets.length === 0 && !gateway.failed) throw new Error(gateway.remarks.join(' '))
  return { ...gateway, targets }
}

async function startProxy(name: 'raw' | 'sdk', { upstream, core }: Place, start: Start): Promise<Target> {
  const peer = start(() => startPeer(new URL(`./${name}-proxy.ts`, import.meta.url), [upstream], core))
  return { name, call: { url: await endpointOf(peer), tool: 'echo' }, pid: peer.pid }
}

async function startGatewayTargets(
  asked: readonly TargetName[],
  { root, upstream, core, profileTo }: Place,
  start: Start,
  say: (line: string) => void,
): Promise<Started> {
  const wanted = (['gateway', 'joined'] as const).filter((name) => asked.includes(name))
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
  const port = await freePort()
  const gateway = start(() => startGateway({ main, upstream, port, core, profileTo }))
  try {
    await gateway.ready()
  } catch (thrown) {
    await gateway[Symbol.asyncDispose]()
    return skipped(`the gateway did not start. ${thrown instanceof Error ? thrown.message : String(thrown)}`, true)
  }
  const { pid, folder, single, joined } = gateway
  const calls = { gateway: single, joined }
  const targets = wanted.map((name) => ({ name, call: calls[name], pid, folder }))
  const remarks =
    profileTo === undefined ? [] : ['the gateway ran under --cpu-prof, which slows it; see .reports/gateway-profile/.']
  return { targets, remarks, failed: false }
}
