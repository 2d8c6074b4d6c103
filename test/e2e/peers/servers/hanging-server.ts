/** A server of revision 2025-11-25 without sessions whose one tool, `hang`, answers when its caller has left. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface HangingServer extends AsyncDisposable {
  readonly url: string
  /** Calls that are under way. */
  calls(): number
}

const TOOLS = [
  { name: 'hang', description: 'Waits.', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
]

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'hanging', version: '1' },
  },
  ping: {},
  'tools/list': { tools: TOOLS },
}

export async function startHanging(): Promise<HangingServer> {
  let calls = 0
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end()
    void text(request).then((body) => {
      const { id, method } = JSON.parse(body) as { id?: unknown; method: string }
      if (id === undefined) return response.writeHead(202).end()
      if (method === 'tools/call') {
        calls++
        return response.once('close', () => calls--)
      }
      const result = RESULTS[method]
      const answer = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result }
      response.writeHead(200, { 'content-type': 'application/json' })
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
