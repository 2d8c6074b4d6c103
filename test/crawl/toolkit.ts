/** The toolkit as clients have it: its command as a process over stdio, with a folder of its own, asked by the official client. */
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const BIN = resolve(import.meta.dirname, '../../packages/toolkit/bin/toolway-toolkit.mjs')

export interface Crawled {
  readonly total: number
  readonly successful: number
  readonly failed: number
  readonly not_requested: number
  readonly saved_files: { readonly url: string; readonly file: string; readonly path: string }[]
  readonly errors: { readonly url: string; readonly error: string }[]
}

type CallOptions = NonNullable<Parameters<Client['callTool']>[1]>

export async function startToolkit(options: readonly string[] = [], environment: Record<string, string> = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'crawl-')))
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BIN, '--root', root, ...options],
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    }),
  )
  return {
    root,
    client,
    /** Answers the structured result of `crawl_parallel`; throws where the tool failed as a whole. */
    async crawl(given: object, how?: CallOptions): Promise<Crawled> {
      const given_ = { session_dir: 'session', ...given }
      const answer = await client.callTool({ name: 'crawl_parallel', arguments: given_ }, how)
      if (answer.isError === true) throw new Error(JSON.stringify(answer.content))
      return answer.structuredContent as Crawled
    },
    saved: () => readdir(join(root, 'session/search_results')).catch((): string[] => []),
    async [Symbol.asyncDispose]() {
      await client.close()
      await rm(root, { recursive: true, force: true })
    },
  }
}
