/**
 * An HTTP server that is no MCP server and leaks secrets: it repeats the request, credential included, in the configured form.
 * The gateway's messages about it must not.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const LEAKS = ['401', '500', 'page', 'garbage', 'error'] as const
export type Leak = (typeof LEAKS)[number]

export interface LeakyServer extends AsyncDisposable {
  readonly url: string
}

export async function startLeaky(leak: Leak): Promise<LeakyServer> {
  const server = createServer((request, response) => {
    const said = `your credential is ${request.headers.authorization} and you asked ${request.url}`
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const id = (JSON.parse(body === '' ? '{}' : body) as { id?: number }).id ?? null
      const error = JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: said, data: said } })
      if (leak === 'error') response.writeHead(200, { 'content-type': 'application/json' }).end(error)
      else if (leak === 'garbage') response.writeHead(200, { 'content-type': 'application/json' }).end(`{"${said}`)
      else if (leak === 'page') response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${said}</p>`)
      else
        response
          .writeHead(Number(leak), { 'content-type': 'text/plain', 'www-authenticate': said.slice(0, 100) })
          .end(said)
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
