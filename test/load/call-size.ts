/**
 * Number of source files that run code during one warm `tools/call`: a measure of how many files a reader has to know.
 *
 * Starts a gateway without a database and the stub upstream, warms both up, and takes V8's precise coverage of one call over the
 * inspector. Prints one line; `--list` adds each file with its functions. Exits with 1 when there are more files than `MOST`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { callParts, FIRST_ID, faultIn, type CallTarget } from './generator/mcp-call.ts'
import { endpointOf, startPeer } from './processes/peer-process.ts'

/**
 * The figure goes down, but for mechanisms that a call did not have: it was 56 until calls were taken in by bounds (four files) and
 * waited for a place at their server (one), and 61 until results were read as servers write them and digits were kept (one each).
 */
const MOST = 63
const WARM_CALLS = 50
const SETTLE_MS = 200

const root = fileURLToPath(new URL('../..', import.meta.url))
const KEY = `uru_${'0123456789abcdef'.repeat(4)}`

interface FunctionCoverage {
  readonly functionName: string
  readonly ranges: readonly { readonly count: number }[]
}
interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly FunctionCoverage[]
}
interface Reply {
  readonly id?: number
  readonly result?: { readonly result?: readonly ScriptCoverage[] }
}

/** A gateway process with its inspector open. Ends with its handle. */
async function startInspected(upstream: string) {
  const folder = mkdtempSync(join(tmpdir(), 'toolway-call-files-'))
  const config = join(folder, 'toolway.yaml')
  writeFileSync(
    config,
    `connections:\n  stub:\n    url: ${upstream}\n    trusted: true\n    revision: '2026-07-28'\nkeys:\n  count:\n    value: ${KEY}\n`,
  )
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'],
    TOOLWAY_STORE: 'none',
    TOOLWAY_CONFIG: config,
    TOOLWAY_HOST: '127.0.0.1',
    TOOLWAY_PORT: String(port),
    TOOLWAY_DATA: folder,
    LOG_LEVEL: 'info',
  }
  const main = join(root, 'packages/gateway/src/main.ts')
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', main, 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.resume()
  let log = ''
  const inspector = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log += `${line}\n`
      const address = /^Debugger listening on (ws:\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    child.once('exit', () => reject(new Error(`The gateway ended:\n${log}`)))
  })
  return {
    inspector,
    target: { url: `http://127.0.0.1:${port}/api/v1/default/connectors/stub/mcp`, tool: 'echo', key: KEY },
    log: () => log,
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function openInspector(address: string) {
  const socket = new WebSocket(address)
  await once(socket, 'open')
  const waiting = new Map<number, (reply: Reply) => void>()
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
  })
  let last = 0
  return {
    send(method: string, params: object = {}): Promise<Reply> {
      const id = ++last
      socket.send(JSON.stringify({ id, method, params }))
      return new Promise((resolve) => waiting.set(id, resolve))
    },
    [Symbol.dispose]: () => socket.close(),
  }
}

/** The fault of the answer; undefined when it is right. */
async function callOnce(target: CallTarget, id: number): Promise<string | undefined> {
  const { headers, body } = callParts(target, id)
  try {
    const response = await fetch(target.url, { method: 'POST', headers, body })
    const contentType = response.headers.get('content-type') ?? ''
    return faultIn({ status: response.status, contentType, body: await response.text() }, id)
  } catch (thrown) {
    return String(thrown)
  }
}

async function warmUp(gateway: Awaited<ReturnType<typeof startInspected>>): Promise<void> {
  const limit = performance.now() + 20_000
  for (let good = 0; good < WARM_CALLS;) {
    const fault = await callOnce(gateway.target, FIRST_ID + good)
    if (fault === undefined) good++
    else if (performance.now() > limit) throw new Error(`The gateway does not answer: ${fault}\n${gateway.log()}`)
    else await sleep(50)
  }
}

const ranIn = (functions: readonly FunctionCoverage[]) =>
  functions.filter(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)

await using stub = startPeer(new URL('./stub-upstream.ts', import.meta.url), [], undefined)
await using gateway = await startInspected(await endpointOf(stub))
await warmUp(gateway)
using inspector = await openInspector(gateway.inspector)
await inspector.send('Profiler.enable')
await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await inspector.send('Profiler.takePreciseCoverage')
const fault = await callOnce(gateway.target, FIRST_ID + WARM_CALLS)
if (fault !== undefined) throw new Error(`The counted call failed: ${fault}`)
// The record is written after the answer has left.
await sleep(SETTLE_MS)
const { result } = await inspector.send('Profiler.takePreciseCoverage')

const files = (result?.result ?? [])
  .filter(({ url }) => url.startsWith('file:') && /\/packages\/\w+\/src\//.test(url))
  .map(({ url, functions }) => ({ file: relative(root, fileURLToPath(url)), ran: ranIn(functions) }))
  .filter(({ ran }) => ran.length > 0)
  .sort((a, b) => a.file.localeCompare(b.file))
const calls = files.flatMap(({ ran }) => ran).reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
if (process.argv.includes('--list'))
  for (const { file, ran } of files) console.log(`${file}: ${ran.map(({ functionName }) => functionName).join(', ')}`)
console.log(`One warm tools/call runs code in ${files.length} files (at most ${MOST}), in ${calls} function calls.`)
if (files.length > MOST) process.exitCode = 1
