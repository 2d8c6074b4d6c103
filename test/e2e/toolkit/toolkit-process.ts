/** The toolkit as a client has it: its own process over stdio, asked by the official SDK's client, with a workspace and state of its own. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const BIN = fileURLToPath(new URL('../../../packages/toolkit/bin/toolway-toolkit.mjs', import.meta.url))

export interface Answer {
  readonly content: { readonly text: string }[]
  readonly structuredContent?: Record<string, unknown>
  readonly isError?: boolean
  readonly _meta?: Record<string, unknown>
}

export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

export interface Toolkit extends AsyncDisposable {
  readonly client: Client
  readonly pid: number
  call(
    name: string,
    given: object,
    options?: { signal?: AbortSignal; onprogress?: (told: Progress) => void },
  ): Promise<Answer>
}

export interface Machine extends AsyncDisposable {
  /** The root of the toolkit. */
  readonly root: string
  start(variables: Readonly<Record<string, string>>): Promise<Toolkit>
}

export async function createMachine(): Promise<Machine> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolkit-machine-')))
  const root = join(base, 'workspace')
  await mkdir(root)
  const started: Toolkit[] = []
  return {
    root,
    async start(variables) {
      const env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: join(base, 'state'), ...variables }
      const transport = new StdioClientTransport({ command: process.execPath, args: [BIN, '--root', root], env })
      const client = new Client({ name: 'test', version: '1.0.0' })
      await client.connect(transport)
      const toolkit: Toolkit = {
        client,
        pid: transport.pid ?? 0,
        call: (name, given, options = {}) =>
          client.callTool(
            { name, arguments: given as Record<string, unknown> },
            { timeout: 600_000, resetTimeoutOnProgress: true, ...options },
          ) as unknown as Promise<Answer>,
        [Symbol.asyncDispose]: () => client.close(),
      }
      started.push(toolkit)
      return toolkit
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((one) => one[Symbol.asyncDispose]()))
      await rm(base, { recursive: true, force: true })
    },
  }
}

export const textOf = ({ content }: Answer): string => content[0]?.text ?? ''

/** The fault of a failed call, as programs read it. */
export const faultOf = ({ _meta }: Answer): unknown => _meta?.['dev.toolway/fault']
