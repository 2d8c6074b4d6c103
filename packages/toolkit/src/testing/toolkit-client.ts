/** The toolkit as a client starts it: a process over stdio, asked by the official clients of both eras. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/stdio.js'

export const BIN = fileURLToPath(new URL('../../bin/toolway-toolkit.mjs', import.meta.url))
export const ERAS = ['legacy', 'modern'] as const

export interface Answer {
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly _meta?: Record<string, unknown>
}

export interface CallOptions {
  readonly onprogress?: (progress: {
    progress: number
    total?: number | undefined
    message?: string | undefined
  }) => void
  readonly signal?: AbortSignal
}

export interface ToolkitClient extends AsyncDisposable {
  readonly client: Client
  /** Lines that the toolkit wrote for the operator. */
  readonly told: readonly string[]
  readonly pid: number | null
  call(name: string, given: object, options?: CallOptions): Promise<Answer>
}

export interface ClientParts {
  readonly args?: readonly string[]
  readonly environment?: Record<string, string>
  readonly era?: (typeof ERAS)[number]
  /** Addresses of folders that the client names when it is asked; undefined: it cannot be asked. */
  readonly roots?: () => readonly string[]
}

export async function startToolkit({
  args = [],
  environment,
  era = 'legacy',
  roots,
}: ClientParts): Promise<ToolkitClient> {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    {
      versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      ...(roots === undefined ? {} : { capabilities: { roots: { listChanged: true } } }),
    },
  )
  if (roots !== undefined)
    client.setRequestHandler('roots/list', () => ({ roots: roots().map((uri) => ({ uri, name: 'given' })) }))
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [BIN, ...args], stderr: 'pipe' as const },
    ...(environment === undefined ? {} : { env: { PATH: process.env['PATH'] ?? '', ...environment } }),
  })
  const told: string[] = []
  transport.stderr?.on('data', (chunk: Buffer) => told.push(chunk.toString()))
  await client.connect(transport)
  return {
    client,
    told,
    pid: transport.pid,
    call: (name, given, options = {}) =>
      client.callTool({ name, arguments: { ...given } }, options) as unknown as Promise<Answer>,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** The toolkit by its lines, as they come. */
export function startByHand(args: readonly string[], era: (typeof ERAS)[number]) {
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const send = (message: object) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  if (era === 'legacy') {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    send({ id: 0, method: 'initialize', params })
    send({ method: 'notifications/initialized' })
  }
  return {
    /** Every message up to the answer, which is the last one. */
    async call(id: number, name: string, given: object, meta: object): Promise<Record<string, unknown>[]> {
      const _meta = { ...meta, ...(era === 'modern' ? envelope : {}) }
      send({ id, method: 'tools/call', params: { name, arguments: given, _meta } })
      const messages: Record<string, unknown>[] = []
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
        const message = JSON.parse(line.value) as Record<string, unknown>
        if (message['id'] === 0) continue
        messages.push(message)
        if (message['id'] === id) return messages
      }
      throw new Error('the toolkit ended')
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

/** The client of SDK 1, which most programs still have. */
export async function startWithSdkOne(args: readonly string[]) {
  const client = new ClientOne({ name: 'test', version: '1.0.0' })
  await client.connect(new TransportOne({ command: process.execPath, args: [BIN, ...args] }))
  return {
    client,
    call: (name: string, given: object) =>
      client.callTool({ name, arguments: { ...given } }) as unknown as Promise<Answer>,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

export interface TestFolder extends AsyncDisposable {
  /** Canonical. */
  readonly path: string
}

export async function makeFolder(): Promise<TestFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'toolkit-')))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

export const textOf = ({ content }: Answer): string => content[0]?.text ?? ''
export const faultOf = ({ _meta }: Answer) => _meta?.['dev.toolway/fault'] as Record<string, unknown> | undefined
