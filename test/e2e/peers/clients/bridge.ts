/**
 * The stdio bridge as a client starts it: the bundle that is published, under the oldest Node that this machine has, and,
 * for what no official client would send, its bare streams.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StdioClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StdioClientTransport as TransportTwo } from '@modelcontextprotocol/client/stdio'
import type { Transport } from '@modelcontextprotocol/client'
import { bundleBridge } from '../../../../tools/build/bundle-bridge.ts'
import { connectOver, type Kind, type McpClient } from './client.ts'
import { until } from '../until.ts'

const root = join(import.meta.dirname, '../../../..')

export interface Target {
  readonly url: string
  readonly key?: string | undefined
}

export interface BuiltBridge extends AsyncDisposable {
  readonly node: string
  readonly file: string
}

/** The bundle, in a folder of its own. */
export async function buildBridge(): Promise<BuiltBridge> {
  const folder = await mkdtemp(join(tmpdir(), 'toolway-bridge-'))
  const file = join(folder, 'toolway-bridge.mjs')
  await bundleBridge({ root, source: join(root, 'packages/bridge/src/main.ts'), file })
  return { file, node: await findOldNode(), [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

/** A Node from 20 to 23 where there is one, because the bridge promises to run under it. */
async function findOldNode(): Promise<string> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/local/bin', '/usr/bin']
  for (const folder of new Set(folders)) {
    const file = join(folder, 'node')
    const version = await promisify(execFile)(file, ['--version']).then(
      ({ stdout }) => Number(/^v(\d+)/.exec(stdout)?.[1]),
      () => NaN,
    )
    if (version >= 20 && version < 24) return file
  }
  return process.execPath
}

/** The entry in a client's configuration. */
export const entryOf = ({ node, file }: Omit<BuiltBridge, typeof Symbol.asyncDispose>, { url, key }: Target) => ({
  command: node,
  args: [file, '--url', url],
  env: { PATH: dirname(process.execPath), ...(key === undefined ? {} : { TOOLWAY_KEY: key }) },
})

/** An official client that starts the bridge. */
export function connectByBridge(built: BuiltBridge, target: Target, kind: Kind, answers = false): Promise<McpClient> {
  const entry = { ...entryOf(built, target), stderr: 'ignore' as const }
  // Both SDKs describe the same stdio transport in types of their own.
  const transport = kind === 'SDK 1' ? (new TransportOne(entry) as unknown as Transport) : new TransportTwo(entry)
  return connectOver(transport, kind, answers)
}

export interface Line {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { code: number; message: string; data?: Record<string, unknown> }
}

export interface RunningBridge extends AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** Messages on stdout, in order; a line that is none ends the test. */
  readonly lines: readonly Line[]
  err(): string
  write(bytes: string | Buffer): void
  send(message: object): void
  /** Send a request and wait for the message with its id. */
  ask(message: { id: string | number; method: string; params?: object }): Promise<Line>
  answerTo(id: string | number | undefined): Promise<Line>
  heard(method: string): Promise<Line>
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
}

/** The process with its bare streams; ended by its id, whatever it does. */
export function startBridge(
  built: BuiltBridge,
  target: Target,
  { words = [], env = {} }: { words?: readonly string[]; env?: Record<string, string> } = {},
): RunningBridge {
  const entry = entryOf(built, target)
  const child = spawn(entry.command, [...entry.args, ...words], { env: { ...entry.env, ...env }, stdio: 'pipe' })
  const lines: Line[] = []
  let err = ''
  const pieces: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const found = text.split('\n')
    pieces.push(found[0] ?? '')
    if (found.length === 1) return
    const whole = [pieces.splice(0).join(''), ...found.slice(1, -1)]
    pieces.push(found.at(-1) ?? '')
    for (const line of whole) lines.push(...([JSON.parse(line)].flat() as Line[]))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  child.stdin.on('error', () => {})
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  )
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const answerTo = (id: string | number | undefined) =>
    until(`an answer to ${id}`, () => lines.find((line) => line.id === id && line.method === undefined))
  return {
    child,
    pid: child.pid ?? 0,
    lines,
    err: () => err,
    write: (bytes) => void child.stdin.write(bytes),
    send,
    ask(message) {
      send(message)
      return answerTo(message.id)
    },
    answerTo,
    heard: (method) => until(method, () => lines.find((line) => line.method === method)),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
/** Params of a modern request. */
export const modern = (params: Record<string, unknown> = {}, meta: Record<string, unknown> = {}) => ({
  ...params,
  _meta: { ...ENVELOPE, ...meta },
})

/** The opening of a legacy client. */
export async function open(bridge: RunningBridge, capabilities: object = {}, revision = '2025-11-25'): Promise<Line> {
  const clientInfo = { name: 'bare', version: '1' }
  const answer = await bridge.ask({
    id: 'open',
    method: 'initialize',
    params: { protocolVersion: revision, capabilities, clientInfo },
  })
  bridge.send({ method: 'notifications/initialized' })
  return answer
}
