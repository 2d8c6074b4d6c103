/**
 * The size of one warm `tools/call` of the default installation: source files that run code, lines of these files, and function
 * calls. It says how much a reader has to know.
 *
 * Starts a gateway on its embedded database with a server over stdio, one over HTTP and a rule, and takes V8's precise coverage of
 * one call over the inspector, from each era of clients to each server. While a window is counted, timers that were set before it wait
 * (`held-clock.ts`), so jobs that run by the clock are no part of a call and jobs that a call begins are. What still runs in a
 * window without a call is taken off. A function counts as often as it ran in the median of the windows of its kind of call.
 * V8 counts an async function once more each time that it goes on after an `await`.
 * Prints a line for each kind of call and checks the largest; `--list` adds each file with its functions. Exits with 1 when there is
 * more than `MOST`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../packages/gateway/src/testing/free-port.ts'
import { callParts, FIRST_ID, faultIn, isLegacy, openSession, type CallTarget } from './generator/mcp-call.ts'
import { inherited } from './processes/gateway-process.ts'

import { endpointOf, startPeer } from './processes/peer-process.ts'

/** The figures only go down. So much more is borne, because a moment decides which batch a record is in. */
const MOST = { files: 111, calls: 669, lines: 15_016 }
const SLACK = { files: 2, calls: 10, lines: 200 }

const WARM_CALLS = 50
/** Odd, so that a median is a count that was seen. */
const ROUNDS = 5
/** The name of `held-clock.ts` in the global scope of the gateway. */
const HELD_CLOCK = 'heldClock'
/** What was under way when the clock was held ends in this time. */
const QUIET_MS = 150
/**
 * The record is written after the answer has left, and wakes jobs. A window ends when nothing ran for so long, which is longer than any
 * of them waits, and at the latest after `MOST_WINDOW_MS`.
 */
const STILL_MS = 350
const MOST_WINDOW_MS = 10_000

const root = fileURLToPath(new URL('../..', import.meta.url))
const KEY = `uru_${'0123456789abcdef'.repeat(4)}`

interface FunctionCoverage {
  readonly functionName: string
  readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
}
interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly FunctionCoverage[]
}
interface Reply {
  readonly id?: number
  readonly result?: { readonly result?: readonly ScriptCoverage[] }
}
/** By file and place of the function: its name and how often it was called. */
type Window = ReadonlyMap<string, { readonly file: string; readonly name: string; readonly count: number }>

/** A gateway process with its inspector open. Ends with its handle. */
async function startInspected(upstream: string) {
  const folder = mkdtempSync(join(tmpdir(), 'toolway-call-size-'))
  // Under root, PostgreSQL runs as another user, who must be able to pass through.
  chmodSync(folder, 0o755)
  const config = join(folder, 'toolway.yaml')
  const args = [fileURLToPath(new URL('./legacy-stub.ts', import.meta.url)), 'stdio']
  const allow = fileURLToPath(new URL('.', import.meta.url))
  // JSON is YAML too.
  const declared = {
    connections: {
      web: { url: upstream, trusted: true, revision: '2026-07-28' },
      program: { command: process.execPath, args, allow_paths: [allow], trusted: true, revision: '2025-11-25' },
    },
    rules: [
      { name: 'no-deleting', action: 'block', match: { tools: ['*length'] }, reason: 'Nothing is to be counted.' },
    ],
  }
  writeFileSync(config, JSON.stringify(declared))
  const port = await freePort()
  const env = {
    ...inherited(['PATH', 'HOME', 'LANG', 'TMPDIR']),
    TOOLWAY_CONFIG: config,
    TOOLWAY_HOST: '127.0.0.1',
    TOOLWAY_PORT: String(port),
    TOOLWAY_DATA: join(folder, 'data'),
    TOOLWAY_BOOTSTRAP_KEY: KEY,
    // Its program would be asked for its state while a call is counted.
    TOOLWAY_DEMO: 'off',
    // Limits are on and never reached.
    TOOLWAY_LIMIT_ADDRESS: '1000000',
    TOOLWAY_LIMIT_ORGANIZATION: '1000000',
  }
  const main = join(root, 'packages/gateway/src/main.ts')
  const clock = new URL('./processes/held-clock.ts', import.meta.url).href
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--import', clock, main, 'start'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  const keep = (text: string) => void (log = `${log}${text}\n`.slice(-40_000))
  createInterface({ input: child.stdout }).on('line', keep)
  const inspector = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      keep(line)
      const address = /^Debugger listening on (ws:\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    child.once('exit', () => reject(new Error(`The gateway ended:\n${log}`)))
  })
  const url = `http://127.0.0.1:${port}/mcp`
  return {
    inspector,
    targetOf: (alias: string): CallTarget => ({ url, tool: `${alias}__echo`, key: KEY }),
    log: () => log,
    async [Symbol.asyncDispose]() {
      const ended = child.exitCode === null ? once(child, 'exit') : undefined
      child.kill('SIGTERM')
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
  const send = (method: string, params: object = {}): Promise<Reply> => {
    const id = ++last
    socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  return {
    send,
    clock: (step: 'hold' | 'begin' | 'release') => send('Runtime.evaluate', { expression: `${HELD_CLOCK}.${step}()` }),
    [Symbol.dispose]: () => socket.close(),
  }
}

type Inspector = Awaited<ReturnType<typeof openInspector>>

/** The fault of the answer; undefined when it is right. */
async function callOnce(target: CallTarget, id: number): Promise<string | undefined> {
  const { headers, body } = callParts(target, id)
  try {
    const response = await fetch(target.url, { method: 'POST', headers, body })
    const contentType = response.headers.get('content-type') ?? ''
    return faultIn({ status: response.status, contentType, body: await response.text() }, id, isLegacy(target))
  } catch (thrown) {
    return String(thrown)
  }
}

/** Until calls are answered well; the session of a legacy client is opened once the gateway answers at all. */
async function warmUp(target: CallTarget, isLegacyClient: boolean, log: () => string): Promise<CallTarget> {
  const limit = performance.now() + 120_000
  const tryFor = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    for (;;) {
      try {
        return await work()
      } catch (thrown) {
        if (performance.now() > limit)
          throw new Error(`The gateway does not answer: ${String(thrown)}\n${log()}`, { cause: thrown })
        await sleep(100)
      }
    }
  }
  const own = isLegacyClient ? { ...target, session: await tryFor(() => openSession(target)) } : target
  for (let good = 0; good < WARM_CALLS; good++)
    await tryFor(async () => {
      const fault = await callOnce(own, FIRST_ID + good)
      if (fault !== undefined) throw new Error(fault)
    })
  return own
}

/** The functions that run while the work is done, and until nothing runs any more. */
async function windowOf({ send, clock }: Inspector, work: () => Promise<void>): Promise<Window> {
  await clock('hold')
  await sleep(QUIET_MS)
  await clock('begin')
  await send('Profiler.takePreciseCoverage')
  const ran = new Map<string, { file: string; name: string; count: number }>()
  const end = performance.now() + MOST_WINDOW_MS
  await work()
  do await sleep(STILL_MS)
  while (addCoverage(ran, await send('Profiler.takePreciseCoverage')) && performance.now() < end)
  await clock('release')
  return ran
}

/** Whether anything ran since the last take. */
function addCoverage(ran: Map<string, { file: string; name: string; count: number }>, { result }: Reply): boolean {
  let some = false
  for (const { url, functions } of result?.result ?? []) {
    if (!url.startsWith('file:') || !/\/packages\/\w+\/src\//.test(url)) continue
    const file = relative(root, fileURLToPath(url))
    for (const { functionName: name, ranges } of functions) {
      const [whole] = ranges
      // The text of a file itself is no function: it ran when the file was loaded.
      if (whole === undefined || whole.count === 0 || whole.startOffset === 0) continue
      const place = `${file}:${whole.startOffset}`
      ran.set(place, { file, name, count: whole.count + (ran.get(place)?.count ?? 0) })
      some = true
    }
  }
  return some
}

/** Each function with the median of its counts, where that is above 0. */
function medianOf(windows: readonly Window[]): Window {
  const seen = new Map(windows.flatMap((window) => [...window]))
  const middles = [...seen].map(([place, ran]) => {
    const counts = windows.map((window) => window.get(place)?.count ?? 0).sort((a, b) => a - b)
    return [place, { ...ran, count: counts[(counts.length - 1) / 2] ?? 0 }] as const
  })
  return new Map(middles.filter(([, { count }]) => count > 0))
}

/** A call without what runs anyway. */
function without(call: Window, idle: Window): Window {
  const rest = [...call].map(
    ([place, ran]) => [place, { ...ran, count: ran.count - (idle.get(place)?.count ?? 0) }] as const,
  )
  return new Map(rest.filter(([, { count }]) => count > 0))
}

const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n').length

function sizeOf(call: Window) {
  const files = [...new Set([...call.values()].map(({ file }) => file))].sort()
  const calls = [...call.values()].reduce((sum, { count }) => sum + count, 0)
  return {
    files: files.length,
    functions: call.size,
    calls,
    lines: files.reduce((sum, file) => sum + linesOf(file), 0),
  }
}

await using stub = startPeer(new URL('./stub-upstream.ts', import.meta.url), [], undefined)
await using gateway = await startInspected(await endpointOf(stub))
const kinds = (['modern', 'legacy'] as const).flatMap((client) =>
  (['web', 'program'] as const).map((server) => ({ client, server })),
)
const targets: CallTarget[] = []
for (const { client, server } of kinds)
  targets.push(await warmUp(gateway.targetOf(server), client === 'legacy', gateway.log))
using inspector = await openInspector(gateway.inspector)
await inspector.send('Profiler.enable')
await inspector.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const idles: Window[] = []
for (let round = 0; round < ROUNDS; round++) idles.push(await windowOf(inspector, async () => {}))
const idle = medianOf(idles)

let id = FIRST_ID + WARM_CALLS
const largest = { files: 0, calls: 0, lines: 0 }
for (const [at, { client, server }] of kinds.entries()) {
  const windows: Window[] = []
  for (let round = 0; round < ROUNDS; round++)
    windows.push(
      await windowOf(inspector, async () => {
        const fault = await callOnce(targets[at] as CallTarget, id++)
        if (fault !== undefined) throw new Error(`The counted call failed: ${fault}\n${gateway.log()}`)
      }),
    )
  const counted = without(medianOf(windows), idle)
  const size = sizeOf(counted)
  for (const part of ['files', 'calls', 'lines'] as const) largest[part] = Math.max(largest[part], size[part])
  console.log(
    `${client.padEnd(6)} client, server over ${server === 'web' ? 'HTTP ' : 'stdio'}: ${size.files} files, ${size.calls} function calls (${size.functions} functions), ${size.lines} lines`,
  )
  if (process.argv.includes('--list'))
    for (const [file, ran] of Map.groupBy(counted.values(), ({ file: own }) => own))
      console.log(
        `  ${file}: ${ran.map(({ name, count }) => `${name || '(unnamed)'}${count > 1 ? ` ×${count}` : ''}`).join(', ')}`,
      )
}
for (const part of ['files', 'calls', 'lines'] as const)
  if (largest[part] > MOST[part] + SLACK[part]) {
    console.log(`One warm tools/call has ${largest[part]} ${part}; at most ${MOST[part]} are borne.`)
    process.exitCode = 1
  }
