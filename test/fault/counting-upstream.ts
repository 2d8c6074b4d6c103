/** An MCP server that notes each call that it sees, by what the caller put in, and answers it after a moment. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Asked {
  readonly id?: unknown
  readonly method: string
  readonly params: { readonly arguments?: { readonly mark?: string } }
}

export interface CountingUpstream extends AsyncDisposable {
  readonly url: string
  /** The marks of the received calls, one for each call. */
  readonly seen: string[]
}

const META = { 'io.modelcontextprotocol/serverInfo': { name: 'counting', version: '1' } }
const NOTE = {
  name: 'note',
  description: 'Note a mark.',
  inputSchema: { type: 'object', properties: { mark: { type: 'string' } }, required: ['mark'] },
}

export async function startCountingUpstream(): Promise<CountingUpstream> {
  const seen: string[] = []
  const resultOf = async ({ method, params }: Asked): Promise<object | undefined> => {
    if (method === 'server/discover') return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    if (method === 'tools/list') return { tools: [NOTE] }
    if (method !== 'tools/call') return undefined
    seen.push(params.arguments?.mark ?? '')
    await sleep(Math.random() * 20)
    return { content: [{ type: 'text', text: 'noted' }] }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked
      if (asked.id === undefined) return void response.writeHead(202).end()
      void resultOf(asked).then((result) => {
        const whole = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result, _meta: META }
        const said = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result: whole }
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...said }))
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
