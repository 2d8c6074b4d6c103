/**
 * The HTTP proxy through which a confined child process reaches the network: one for each child, on a Unix socket, because the child
 * has a network of its own without routes. It takes CONNECT and requests in absolute form, lets pass what the child's rules allow,
 * and answers everything else with a status and a sentence. It authenticates nobody: the socket is in the sight of one child only.
 */
import { chmod } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { EgressRefused, isByRule, type RefusedHost } from './egress-refused.ts'
import { addressOf, forward } from './egress-forward.ts'
import { createRoutes, targetIn, type EgressRules } from './egress-rules.ts'
import { openTunnel } from './egress-tunnel.ts'

export interface EgressProxyParts extends EgressRules {
  /** The Unix socket to listen on; its folder decides who may connect. */
  readonly path: string
  /** Told of each target that the rules refuse, once, in a sentence. */
  readonly refused: (sentence: string, host: RefusedHost) => void
  /** Connections at a time; more are closed at once. */
  readonly connections?: number
  /** Milliseconds without a byte after which a connection ends. */
  readonly idleMs?: number
  readonly connectMs?: number
  readonly openingMs?: number
}

export interface EgressProxy {
  readonly path: string
  close(): Promise<void>
}

const CONNECTIONS = 128
const IDLE_MS = 5 * 60_000
const OPENING_MS = 10_000
const MOST_HEADERS = 16 * 1024
/** Refused targets that are remembered, so that each is told once. */
const MOST_TOLD = 200

export async function startEgressProxy(parts: EgressProxyParts): Promise<EgressProxy> {
  const { path, connections = CONNECTIONS, idleMs = IDLE_MS, openingMs = OPENING_MS, connectMs } = parts
  const routes = createRoutes(parts, connectMs)
  const tell = createTelling(parts.refused)
  const ways = { routes, idleMs, openingMs }
  const open = new Set<Duplex>()
  const server = createServer({ maxHeaderSize: MOST_HEADERS, headersTimeout: openingMs, requestTimeout: 0 })
  server.maxConnections = connections
  server.on('connection', (client) => {
    open.add(client)
    client.once('close', () => open.delete(client))
    client.setTimeout(idleMs, () => client.destroy())
  })
  server.on('drop', () => tell(new EgressRefused('busy', 'a further host')))

  server.on('connect', (request: IncomingMessage, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy())
    const to = targetIn(request.url ?? '')
    const tunnel = to === undefined ? Promise.reject(malformedRequest(request)) : openTunnel(to, client, head, ways)
    tunnel.catch((thrown: unknown) => refuseTunnel(client, tell(thrown)))
  })
  server.on('request', (request: IncomingMessage, answer: ServerResponse) => {
    const url = addressOf(request)
    const sent = url === undefined ? Promise.reject(malformedRequest(request)) : forward(url, request, answer, ways)
    sent.catch((thrown: unknown) => refuseRequest(answer, tell(thrown)))
  })
  await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(path, resolve))
  // A child may have another user id than ours; who sees the socket at all is decided by its folder.
  await chmod(path, 0o666)
  return {
    path,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const client of open) client.destroy()
      }),
  }
}

/** Passes a refusal on, and tells of those that the rules made: each target once, a bounded number of them. */
function createTelling(refused: EgressProxyParts['refused']) {
  const seen = new Set<string>()
  return (thrown: unknown): EgressRefused => {
    const refusal =
      thrown instanceof EgressRefused ? thrown : new EgressRefused('unreachable', 'the host', { cause: thrown })
    const isNew = (isByRule(refusal.reason) || refusal.reason === 'busy') && !seen.has(refusal.message)
    if (isNew && seen.size < MOST_TOLD) {
      seen.add(refusal.message)
      refused(refusal.message, refusal)
    }
    return refusal
  }
}

/** What was asked for is the child's text: only a part of it is repeated. */
const malformedRequest = (request: IncomingMessage) =>
  new EgressRefused('form', (request.url ?? '').replaceAll(/[^\x21-\x7e]/g, '').slice(0, 100) || 'nothing')

/** Answers where the tunnel does not stand yet; afterwards `openTunnel` has ended the connection. */
function refuseTunnel(client: Duplex, { status, message }: EgressRefused): void {
  if (client.destroyed) return
  const body = `${message}\n`
  client.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

function refuseRequest(answer: ServerResponse, { status, message }: EgressRefused): void {
  if (answer.headersSent || answer.destroyed) return void answer.destroy()
  answer.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${message}\n`)
}
