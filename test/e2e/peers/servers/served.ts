/** The server on a connection that is a session: the everything server, or the probe, in one era. */
import { randomBytes } from 'node:crypto'
import { createRequestStateCodec, InMemoryServerEventBus } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { createEverything, type EverythingParts } from '../../../conformance/everything/everything.ts'
import { createLegacyEverything } from '../../../conformance/everything/legacy-sessions.ts'
import type { RoundState } from '../../../conformance/everything/round-tools.ts'
import { createProbe, createProbeState, type ProbeState } from '../probes/probe.ts'
import type { Serve } from './stream-servers.ts'

export function serveEverything(era: 'legacy' | 'modern'): Serve {
  const states = createRequestStateCodec<RoundState>({ key: randomBytes(32), bind: (ctx) => ctx.mcpReq.method })
  const parts = { bus: new InMemoryServerEventBus(), states }
  return era === 'legacy'
    ? (transport) => createLegacyEverything(parts).connect(transport)
    : // The SDK's entry for a connection that is no HTTP exchange; it takes any transport.
      (transport) => serveStdio(() => createModern(parts), { transport, legacy: 'reject' })
}

function createModern(parts: EverythingParts) {
  const { server } = createEverything(parts)
  server.onclose = parts.bus.subscribe((event) => {
    if (event.kind === 'resource_updated') void server.sendResourceUpdated({ uri: event.uri }).catch(() => {})
  })
  return server
}

export function serveProbe(era: 'legacy' | 'modern', state: ProbeState = createProbeState()): Serve {
  const announce: (() => Promise<void>)[] = []
  state.onGrow = () => void Promise.allSettled(announce.map((tell) => tell()))
  const create = () => {
    const server = createProbe(state)
    announce.push(() => server.sendToolListChanged())
    return server
  }
  return era === 'legacy'
    ? (transport) => create().connect(transport)
    : (transport) => serveStdio(create, { transport, legacy: 'reject' })
}
