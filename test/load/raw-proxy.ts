/**
 * The physical limit: the cost of one hop on this runtime when the bytes are not inspected.
 *
 * node:http in, undici `request` out, headers and bodies passed as they are. Bodies are read whole and forwarded whole, which
 * costs less than piping streams at the size of a tool call: the reference is the cheapest form. Never parses, checks, counts or
 * logs anything. Exits when its parent goes.
 *
 * Usage: node raw-proxy.ts <upstream url>
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'

const [upstream = ''] = process.argv.slice(2)
const dispatcher = new Agent({ keepAliveTimeout: 60_000 })

async function pass(headers: IncomingMessage['headers'], body: Buffer, response: ServerResponse): Promise<void> {
  try {
    const reply = await request(upstream, { method: 'POST', headers, body, dispatcher })
    const bytes = Buffer.from(await reply.body.arrayBuffer())
    response.writeHead(reply.statusCode, reply.headers).end(bytes)
  } catch (thrown) {
    response.writeHead(502).end(String(thrown))
  }
}

const server = createServer({ keepAliveTimeout: 120_000 }, (asked, response) => {
  const chunks: Buffer[] = []
  asked.on('data', (chunk: Buffer) => chunks.push(chunk))
  asked.on('end', () => {
    // The connection header belongs to this hop (RFC 9110 section 7.6.1); undici refuses to pass it.
    const { connection: _own, ...headers } = asked.headers
    const [only] = chunks
    void pass(headers, chunks.length === 1 && only ? only : Buffer.concat(chunks), response)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
