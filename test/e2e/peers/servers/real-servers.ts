/** The published servers, started from where npm put them: nothing is downloaded while tests run. */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { until } from '../until.ts'
import { freePort } from '../../../../packages/gateway/src/testing/free-port.ts'

const modules = join(import.meta.dirname, '../../../../node_modules')
const entryOf = (name: string) => join(modules, '@modelcontextprotocol', `server-${name}`, 'dist/index.js')

/** How a gateway starts one of them as its child. */
export function processOf(
  name: 'everything' | 'filesystem' | 'memory',
  args: string[] = [],
  environment = {},
  paths: string[] = [],
) {
  const wire = { kind: 'process' as const, command: process.execPath, args: [entryOf(name), ...args], environment }
  return { ...wire, access: { allow_paths: paths } }
}

/** How a gateway starts our own probe as its child, written with SDK 2 or SDK 1. */
export function probeProcess(name: string, environment: Record<string, string> = {}, script = 'probe.script.ts') {
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../probes', script), name]
  return { kind: 'process' as const, command: process.execPath, args, environment }
}

/** How a gateway starts the asker as its child. */
export function askerProcess() {
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'asker.script.ts')]
  return { kind: 'process' as const, command: process.execPath, args, environment: {} }
}

/** How a gateway starts the server of both eras as its child. */
export function bothErasProcess() {
  const args = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'both-eras.script.ts')]
  return { kind: 'process' as const, command: process.execPath, args, environment: {} }
}

export const httpWire = (url: string, headers: Record<string, string> = {}) => ({ kind: 'http' as const, url, headers })

export interface RealServer extends AsyncDisposable {
  readonly url: string
}

/** server-everything in a process of its own, over Streamable HTTP. */
export const startEverythingOverHttp = (): Promise<RealServer> => startEverything('streamableHttp', '/mcp')

/** server-everything in a process of its own, over HTTP+SSE and nothing else. */
export const startEverythingOverSse = (): Promise<RealServer> => startEverything('sse', '/sse')

async function startEverything(mode: string, path: string): Promise<RealServer> {
  const port = await freePort()
  const child = spawn(process.execPath, [entryOf('everything'), mode], {
    env: { PATH: dirname(process.execPath), PORT: String(port) },
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}${path}`
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  try {
    await until('server-everything listens', () =>
      // A GET of the older transport would stay open.
      fetch(url, { method: 'OPTIONS' }).then(
        (response) => response.status > 0,
        () => false,
      ),
    )
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return { url, [Symbol.asyncDispose]: stop }
}
