/** An upstream for tests of secrets: it has no tools, and remembers each Authorization header that came. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type EchoServer = Awaited<ReturnType<typeof startEcho>>

export async function startEcho() {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? '')
    response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
