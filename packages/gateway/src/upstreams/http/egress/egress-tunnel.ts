/**
 * A tunnel of the egress proxy (RFC 9110, section 9.3.6): bytes in both directions, until one side ends or nothing moves.
 *
 * Where the host had to be listed, the first bytes must be a TLS ClientHello that names that host: otherwise a listed host that
 * shares its address with others would lead to all of them.
 */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { nameOf } from '../exceptions.ts'
import { readOpening } from './client-hello.ts'
import { EgressRefused } from './egress-refused.ts'
import { wordsOf, type EgressRoutes, type Target } from './egress-rules.ts'

export interface TunnelParts {
  readonly routes: EgressRoutes
  readonly idleMs: number
  /** Time for the first bytes where they are read. */
  readonly openingMs: number
}

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n'

/** Rejects with `EgressRefused`; after the answer 200 it also ends the client's connection. */
export async function openTunnel(to: Target, client: Duplex, head: Buffer, parts: TunnelParts): Promise<void> {
  const { routes, idleMs } = parts
  const server = await routes.open(to)
  client.on('error', () => server.destroy())
  if (client.destroyed) return void server.destroy()
  client.write(ESTABLISHED)
  try {
    server.write(routes.pinned ? await readPinned(to, client, head, parts.openingMs) : head)
  } catch (thrown) {
    server.destroy()
    client.destroy()
    throw thrown
  }
  join(client, server, idleMs)
}

function join(client: Duplex, server: Socket, idleMs: number): void {
  server.setTimeout(idleMs, () => server.destroy())
  server.on('error', () => client.destroy())
  client.on('error', () => server.destroy())
  client.once('close', () => server.destroy())
  server.once('close', () => client.destroy())
  client.pipe(server)
  server.pipe(client)
}

/** The first bytes of the client, once they have named the host. */
async function readPinned(to: Target, client: Duplex, head: Buffer, openingMs: number): Promise<Buffer> {
  const refusedTunnel = (reason: 'plain' | 'name') => new EgressRefused(reason, wordsOf(to))
  const openingTimer = setTimeout(() => client.destroy(), openingMs)
  try {
    for (let bytes = head; ; bytes = Buffer.concat([bytes, await nextBytes(client, refusedTunnel('plain'))])) {
      const opening = readOpening(bytes)
      if (opening.kind === 'incomplete') continue
      if (opening.kind === 'other') throw refusedTunnel('plain')
      if (opening.name === undefined || nameOf(opening.name) !== to.host) throw refusedTunnel('name')
      return bytes
    }
  } finally {
    clearTimeout(openingTimer)
  }
}

function nextBytes(client: Duplex, ended: Error): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settleTunnel = (act: () => void) => {
      client.off('data', resolveBytes).off('end', end).off('close', end).pause()
      act()
    }
    const resolveBytes = (bytes: Buffer) => settleTunnel(() => resolve(bytes))
    const end = () => settleTunnel(() => reject(ended))
    client.on('data', resolveBytes).once('end', end).once('close', end)
    client.resume()
  })
}
