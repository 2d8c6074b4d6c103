/**
 * A server that speaks one revision and no other, written with SDK v2: its one tool says which revision was agreed on, as its
 * own side of the line knows it.
 */
import { Server } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Serve } from './stream-servers.ts'

/** One instance, for one connection. */
export function createOneRevision(revision: string): Server {
  const server = new Server(
    { name: `speaks ${revision}`, version: '1.0.0' },
    { capabilities: { tools: {} }, supportedProtocolVersions: [revision] },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: [{ name: 'spoken', description: 'The revision that was agreed on', inputSchema: { type: 'object' } }],
  }))
  server.setRequestHandler('tools/call', () => ({
    content: [{ type: 'text', text: server.getNegotiatedProtocolVersion() ?? 'none' }],
  }))
  return server
}

/** On a connection that lasts. */
export const serveOneRevision =
  (revision: string): Serve =>
  (transport) =>
    revision === '2026-07-28'
      ? serveStdio(() => createOneRevision(revision), { transport, legacy: 'reject' })
      : createOneRevision(revision).connect(transport)
