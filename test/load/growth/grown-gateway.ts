/**
 * A real gateway on a database that was filled before it started, and what something costs it: CPU by the kernel's count, bytes by
 * the probe in its heap. Both are its own process's; PostgreSQL is not in them.
 */
import { askHeld, probeAt, startHeapProfile } from '../counts/heap-profile.ts'
import type { Held } from '../counts/held.ts'
import type { CallTarget } from '../generator/mcp-call.ts'
import { makeGatewayFolder } from '../processes/gateway-folder.ts'
import { startOn } from '../processes/gateway-process.ts'
import { readFamilyCpu } from '../processes/process-cpu.ts'
import { startPeer } from '../processes/peer-process.ts'
import { readThreadCpu, threadCpuBetween } from '../processes/thread-cpu.ts'
import { freePort } from '../../../packages/gateway/src/testing/free-port.ts'
import { join } from 'node:path'
import { connectionAt, organizationAt, type Town } from './seed.ts'

const SEED_LIMIT_MS = 300_000

/** What one of many cost the gateway's process. */
export interface Cost {
  /** CPU, microseconds. Undefined where the kernel keeps no such count. */
  readonly cpuUs: number | undefined
  /** Bytes of the heap. */
  readonly allocated: number
  /** Milliseconds, as rough as the machine is busy. */
  readonly ms: number
}

export type Size = Pick<Town, 'organizations' | 'connections' | 'tools'>

export interface GrownPlace {
  readonly main: string
  readonly upstream: string
  readonly core: number | undefined
  readonly start: <T extends AsyncDisposable>(begin: () => T) => T
}

export type GrownGateway = Awaited<ReturnType<typeof startGrown>>

/** Fills a database, starts a gateway on it and waits until it is ready. */
export async function startGrown({ main, upstream, core, start }: GrownPlace, size: Size, keyCount = 1) {
  const folder = makeGatewayFolder(undefined)
  const town: Town = { directory: folder.data, databaseUrl: undefined, upstream, ...size, keys: keyCount }
  const seeding = start(() => startPeer(new URL('./seed.ts', import.meta.url), [JSON.stringify(town)], undefined))
  const { keys } = (await seeding.next(SEED_LIMIT_MS)) as { keys: readonly string[] }
  await seeding[Symbol.asyncDispose]()
  const probe = probeAt(join(folder.path, 'probe'))
  const port = await freePort()
  const began = performance.now()
  const settings = { TOOLWAY_SESSIONS_PER_PRINCIPAL: '10000' }
  const gateway = start(() => startOn({ main, port, core, profileTo: undefined, probe, settings }, folder))
  await gateway.healthy()
  const readyMs = performance.now() - began
  const readyCpu = readFamilyCpu(gateway.pid, folder.path)
  const last = organizationAt(size.organizations - 1)
  const api = `${gateway.base}/api/v1/${last}`
  return {
    readyMs,
    readyCpu,
    directory: folder.data,
    pid: gateway.pid,
    /** Of the last organization. */
    organization: last,
    /** One connection's own endpoint. */
    single: (key = 0): CallTarget => ({
      url: `${api}/connectors/${connectionAt(size.connections - 1)}/mcp`,
      tool: 'echo',
      key: keys[key] ?? '',
    }),
    /** The endpoint that joins all connections of the organization. */
    joined: (key = 0): CallTarget => ({
      url: `${gateway.base}/mcp`,
      tool: `${connectionAt(size.connections - 1)}__echo`,
      key: keys[key] ?? '',
    }),
    held: (): Promise<Held> => askHeld(probe),
    /** What each of `count` cost, that `work` does. */
    async cost(count: number, work: () => Promise<unknown>): Promise<Cost> {
      const stop = await startHeapProfile(probe)
      const [cpu, from] = [readThreadCpu(gateway.pid), performance.now()]
      await work()
      const [ms, spent] = [performance.now() - from, threadCpuBetween(cpu, readThreadCpu(gateway.pid))]
      const { allocated } = await stop()
      return {
        cpuUs: spent === undefined ? undefined : (spent * 1000) / count,
        allocated: allocated / count,
        ms: ms / count,
      }
    },
    end: () => gateway[Symbol.asyncDispose](),
  }
}
