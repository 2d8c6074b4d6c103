/**
 * A whole gateway in its own process, as the suites see it: plain names, no key, loopback; with one connection, or with none
 * where each scenario brings its own.
 *
 * Everything it writes goes to a temporary directory and to one log file. The process is stopped the way an
 * operator stops it, and killed only when it does not go.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { openSync, closeSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { stringify } from 'yaml'
import { ROOT } from './suites.ts'
import type { Revision } from './suites.ts'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'

const CONNECTION = 'everything'
const START_LIMIT_MS = 120_000
const STOP_LIMIT_MS = 20_000
const POLL_MS = 200

/** A running gateway; `url` is the MCP endpoint of its one connection. */
export interface GatewayUnderTest extends AsyncDisposable {
  url: string
  /** `http://localhost:PORT` */
  address: string
  /** As it names itself. */
  issuer: string
  /** Its data directory, for the command line. */
  directory: string
  close(): Promise<void>
}

export interface GatewayOptions {
  /** Its one connection: where it leads, and the revision that it is set to; without one the gateway finds out itself. */
  upstream?: { url: string; revision?: Revision }
  /** Whether it asks for keys and tokens. */
  auth?: 'on' | 'off'
  /** Where the gateway's own output goes; the file is overwritten. */
  log: string
}

/** Starts a gateway and waits until its endpoint lists tools. Rejects when it ends or stays silent; the log says why. */
export async function startGatewayUnderTest({
  upstream,
  auth = 'off',
  log,
}: GatewayOptions): Promise<GatewayUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-conformance-'))
  const config = join(folder, 'toolway.yaml')
  await writeFile(config, stringify({ connections: upstream === undefined ? {} : { [CONNECTION]: upstream } }))
  const port = await freePort()
  const directory = join(folder, 'data')
  const child = spawnGateway(log, {
    TOOLWAY_PORT: String(port),
    TOOLWAY_HOST: '127.0.0.1',
    TOOLWAY_DATA: directory,
    TOOLWAY_AUTH: auth,
    TOOLWAY_DEMO: 'off',
    TOOLWAY_APPROVALS: 'off',
    // A suite asks more in a second than a person in a minute.
    TOOLWAY_LIMIT_ADDRESS: 'off',
    TOOLWAY_LIMIT_ORGANIZATION: 'off',
    TOOLWAY_CONFIG: config,
  })
  // A run that is interrupted must not leave a gateway behind.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const close = async () => {
    await stop(child)
    process.off('exit', kill)
    await rm(folder, { recursive: true, force: true })
  }
  const address = `http://localhost:${port}`
  const url = endpointOf(address, CONNECTION)
  try {
    const deadline = Date.now() + START_LIMIT_MS
    await until(deadline, child, 'be ready', () => isReady(port))
    if (upstream !== undefined) await until(deadline, child, 'list tools', () => listsTools(url))
  } catch (reason) {
    await close()
    throw reason
  }
  const issuer = `http://127.0.0.1:${port}`
  return { url, address, issuer, directory, close, [Symbol.asyncDispose]: close }
}

/** The MCP endpoint of one connection. */
export const endpointOf = (address: string, alias: string): string =>
  `${address}/api/v1/default/connectors/${alias}/mcp`

/** The settings of the developer's own gateway must not reach the one under test. */
export const foreignEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('TOOLWAY_') && name !== 'DATABASE_URL'),
  )

/** The last lines of a log file, or nothing when there is no such file. */
export function tailOf(log: string, lines = 30): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
  } catch {
    return ''
  }
}

function spawnGateway(log: string, settings: Record<string, string>): ChildProcess {
  const output = openSync(log, 'w')
  const child = spawn(process.execPath, ['packages/gateway/src/main.ts', 'start'], {
    cwd: ROOT,
    env: { ...foreignEnvironment(), ...settings },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  return child
}

async function until(deadline: number, child: ChildProcess, what: string, holds: () => Promise<boolean>) {
  while (!(await holds())) {
    if (hasEnded(child))
      throw new Error(`The gateway ended with ${child.exitCode ?? child.signalCode} before it could ${what}`)
    if (Date.now() > deadline) throw new Error(`The gateway did not ${what} within ${START_LIMIT_MS / 1000} s`)
    await pause(POLL_MS)
  }
}

const isReady = (port: number) =>
  fetch(`http://127.0.0.1:${port}/health/ready`).then(
    (response) => response.body?.cancel().then(() => response.status === 200) ?? response.status === 200,
    () => false,
  )

/** Asks as a client of 2026-07-28, which needs no session and so leaves none behind. */
async function listsTools(url: string): Promise<boolean> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } }),
    })
    return /"tools"\s*:\s*\[\s*\{/.test(await response.text())
  } catch {
    return false
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  await ended
  clearTimeout(killer)
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null
