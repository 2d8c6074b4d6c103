/**
 * A server of revision 2025-11-25 without sessions that counts what it is asked: each path is a server of its own. Its stream (GET)
 * is missing, ends at once, or stays, as its first path segment says: `/none/…`, `/short/…`, `/open/…`.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface CountedServer extends AsyncDisposable {
  url(path: string): string
  /** Lists that were asked for at a path. */
  lists(path: string): number
  /** Streams that were asked for at a path. */
  streams(path: string): number
  /** All lists that were asked for, and how many of them at most at the same time. */
  readonly all: { readonly lists: number; readonly most: number }
  /** Offer these from now on at a path. */
  offer(path: string, tools: readonly object[]): void
  /** Say on its open streams that its tools have changed. */
  announce(path: string): void
}

export interface CountedServerParts {
  readonly tools: readonly object[]
  /** Milliseconds for each list. */
  readonly slow?: number
  /** No list is answered before. */
  readonly from?: Promise<unknown>
}

interface Asked {
  readonly id?: unknown
  readonly method: string
}

const CHANGED = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })

export async function startCounted({ tools, slow = 0, from }: CountedServerParts): Promise<CountedServer> {
  const [lists, streams] = [new Map<string, number>(), new Map<string, number>()]
  const offered = new Map<string, readonly object[]>()
  const open = new Map<string, Set<ServerResponse>>()
  const all = { lists: 0, most: 0 }
  let now = 0
  const count = (counts: Map<string, number>, path: string) => counts.set(path, (counts.get(path) ?? 0) + 1)

  function stream(path: string, response: ServerResponse): void {
    count(streams, path)
    if (path.startsWith('/none')) return void response.writeHead(405, { allow: 'POST' }).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    if (path.startsWith('/short')) return void response.end()
    const held = open.get(path) ?? new Set()
    open.set(path, held.add(response))
    response.once('close', () => held.delete(response))
  }

  async function resultOf(path: string, { method }: Asked): Promise<object | undefined> {
    if (method === 'initialize')
      return {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'counted', version: '1' },
      }
    if (method === 'ping') return {}
    if (method !== 'tools/list') return undefined
    count(lists, path)
    all.lists++
    all.most = Math.max(all.most, ++now)
    await pause(slow)
    await from
    now--
    return { tools: offered.get(path) ?? tools }
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    if (request.method === 'GET') return stream(path, response)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as Asked
      if (asked.id === undefined) return void response.writeHead(202).end()
      void resultOf(path, asked).then((result) => {
        const said = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result }
        const body = JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...said })
        response.writeHead(200, { 'content-type': 'application/json' }).end(body)
      })
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    lists: (path) => lists.get(path) ?? 0,
    streams: (path) => streams.get(path) ?? 0,
    all,
    offer: (path, next) => void offered.set(path, next),
    announce(path) {
      for (const response of open.get(path) ?? []) response.write(`data: ${CHANGED}\n\n`)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
