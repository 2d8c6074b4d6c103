/**
 * The real gateway as a process: key check and records on, its own embedded PostgreSQL.
 *
 * The key is random and lives as long as the run. When the gateway does not come up, the error holds the
 * end of its log. Never leaves a process or a file behind.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Probe } from '../counts/heap-profile.ts'
import { onCore } from './core-layout.ts'
import { refusedCall, refusedHealth } from './gateway-answers.ts'
import type { CallTarget } from '../generator/mcp-call.ts'
import { makeGatewayFolder, type GatewayFolder, type Upstream } from './gateway-folder.ts'
import { endProcess } from './process-end.ts'

const READY_LIMIT_MS = 45_000
/** Between two looks at whether it is ready. */
const STEP_MS = 50

export interface GatewayStart extends BareStart {
  /** The upstreams behind the gateway; `stub` is always present. */
  readonly upstreams: Readonly<Record<string, Upstream>> & { readonly stub: Upstream }
}

/** A start on a folder that somebody else made. */
export interface BareStart {
  /** The gateway's main file. */
  readonly main: string
  readonly port: number
  readonly core: number | undefined
  /** Folder for CPU profiles; none is made when undefined. */
  readonly profileTo: string | undefined
  /** Answers from inside what the heap of the gateway spends. */
  readonly probe?: Probe
  /** Starts it in a group of processes, in place of a core. */
  readonly within?: (command: string, words: readonly string[]) => [string, string[]]
  /** Further settings, by their names in the environment. */
  readonly settings?: Readonly<Record<string, string>>
}

/** The gateway's main file, if there is one. */
export function gatewayMain(root: string): string | undefined {
  const main = join(root, 'packages/gateway/src/main.ts')
  return existsSync(main) ? main : undefined
}

/** Starts it; `ready()` resolves once both endpoints served a good call, and rejects with the log when they do not. @param folder with what is in its database already */
export function startGateway(start: GatewayStart, folder = makeGatewayFolder(start.upstreams)) {
  const bare = startOn(start, folder)
  const { base, key, until } = bare
  const connection = (alias: string) => ({ url: `${base}/api/v1/default/connectors/${alias}/mcp`, tool: 'echo', key })
  const single = connection('stub')
  const joined = { url: `${base}/mcp`, tool: 'stub__echo', key }
  return {
    ...bare,
    /** One connection's own endpoint. */
    connection,
    single,
    /** The endpoint that joins all connections. */
    joined,
    /** Resolves to the milliseconds from its start to the first answered call; making its database is a part of them. */
    async ready(): Promise<number> {
      await bare.healthy()
      await until(() => refusedCall(single))
      const startMs = performance.now() - bare.began
      await until(() => refusedCall(joined))
      return startMs
    },
    /** Resolves once a call to it is answered well. */
    answers: (target: CallTarget) => until(() => refusedCall(target)),
  }
}

/** Starts it on this folder, which goes with it. */
export function startOn(start: BareStart, folder: GatewayFolder) {
  const began = performance.now()
  const key = `uru_${randomBytes(32).toString('hex')}`
  const child = spawnGateway(start, folder, key)
  let ended: string | undefined
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => resolve(void (ended = error.message)))
    child.once('exit', (code, signal) => resolve(void (ended = `it ended (${signal ?? code})`)))
  })
  const base = `http://127.0.0.1:${start.port}`
  const limit = began + READY_LIMIT_MS
  /** Waits until `look` has nothing to say any more. */
  async function until(look: () => Promise<string | undefined>): Promise<void> {
    for (let why = await look(); why !== undefined; why = await look()) {
      if (ended === undefined && performance.now() < limit) await sleep(STEP_MS)
      else throw new Error(`${ended ?? why}; the end of its log:\n${folder.logEnd(key)}`)
    }
  }

  return {
    pid: child.pid ?? 0,
    folder: folder.path,
    /** Where its journal is: what is on record before it is in the database. */
    journal: join(folder.data, 'outbox'),
    base,
    key,
    began,
    until,
    /** Resolves when it says that it is ready. */
    healthy: () => until(() => refusedHealth(base)),
    async [Symbol.asyncDispose](): Promise<void> {
      await endProcess(child, exited, folder.path)
      folder.remove()
    },
  }
}

function spawnGateway(start: BareStart, folder: GatewayFolder, key: string) {
  const profile = start.profileTo === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${start.profileTo}`]
  const words = [...(start.probe?.words ?? []), ...profile, start.main, 'start']
  const [command, args] =
    start.within === undefined ? onCore(start.core, process.execPath, words) : start.within(process.execPath, words)
  const env = {
    ...inherited(['PATH', 'HOME', 'LANG', 'TMPDIR']),
    TOOLWAY_HOST: '127.0.0.1',
    TOOLWAY_PORT: String(start.port),
    TOOLWAY_DATA: folder.data,
    ...(folder.config === undefined ? {} : { TOOLWAY_CONFIG: folder.config }),
    TOOLWAY_BOOTSTRAP_KEY: key,
    TOOLWAY_DEMO: 'off',
    TOOLWAY_APPROVALS: 'off',
    // Limits are on and never reached: what counting costs is measured, too.
    TOOLWAY_LIMIT_ADDRESS: '1000000',
    TOOLWAY_LIMIT_ORGANIZATION: '1000000',
    LOG_LEVEL: 'info',
    ...start.probe?.env,
    ...start.settings,
  }
  const log = openSync(folder.log, 'a')
  // Its own process group: a Ctrl-C in the terminal then reaches the bench alone, which stops it in order.
  const child = spawn(command, args, { env, stdio: ['ignore', log, log], detached: true })
  closeSync(log)
  return child
}

/** Settings of whoever runs the bench must not reach the gateway: the run would not be comparable. */
export function inherited(names: readonly string[]): Record<string, string> {
  const kept = names.map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(kept.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
