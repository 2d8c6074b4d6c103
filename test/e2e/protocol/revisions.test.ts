/**
 * Tests that every revision is served over every transport, by the official SDK and by hand, with and without sessions. Each
 * combination behaves the same, except where a session is needed.
 */
// @module-tag long
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REVISIONS } from '../../../packages/contract/src/revisions.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { buildBridge, entryOf, type BuiltBridge } from '../peers/clients/bridge.ts'
import { lastingTwo, sseOf } from '../peers/clients/lasting-transports.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { ask, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { connectByHand, MODERN, OPENING, WAYS, type Way } from '../peers/clients/by-hand.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

/**
 * The combinations that are served: the transport pair of 2024-11-05 is for clients that open with `initialize`, and needs
 * sessions.
 */
const cellsOf = (sessions: 'on' | 'off') =>
  WAYS.flatMap((way) => REVISIONS.map((revision) => ({ way, revision }))).filter(
    ({ way, revision }) => way !== 'sse' || (revision !== MODERN && sessions === 'on'),
  )

const parts = new AsyncDisposableStack()
let built: BuiltBridge
let gateways: Record<'on' | 'off', TestGateway>
beforeAll(async () => {
  const probes = {
    modern: parts.use(await startProbe({ era: 'modern' })),
    legacy: parts.use(await startProbe({ era: 'legacy' })),
  }
  built = parts.use(await buildBridge())
  const connections = [
    { alias: 'modern', wire: httpWire(probes.modern.url) },
    { alias: 'legacy', wire: httpWire(probes.legacy.url) },
  ]
  const opened = async (sessions: 'on' | 'off') =>
    parts.use(
      await openGateway({
        connections,
        settings: { TOOLWAY_SESSIONS: sessions, TOOLWAY_SESSIONS_PER_PRINCIPAL: '100' },
      }),
    )
  gateways = { on: await opened('on'), off: await opened('off') }
})
afterAll(() => parts.disposeAsync())

function transportOf({ url, key }: TestGateway, way: Way): Transport {
  if (way === 'stdio') return new StdioClientTransport({ ...entryOf(built, { url, key }), stderr: 'ignore' })
  if (way !== 'http') return lastingTwo(way, url, key)
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  })
}

/** The official client, made to speak one revision. */
async function connectOfficial(at: TestGateway, way: Way, revision: string) {
  const mode = revision === MODERN ? { pin: revision } : ('legacy' as const)
  const versions = revision === MODERN ? {} : { supportedProtocolVersions: [revision] }
  const client = new Client({ name: 'official', version: '1' }, { versionNegotiation: { mode }, ...versions })
  const heard: string[] = []
  client.fallbackNotificationHandler = async ({ method }) => void heard.push(method)
  await client.connect(transportOf(at, way))
  return { client, heard, [Symbol.asyncDispose]: () => client.close() }
}

const call = (alias: string, text: string) => ({ name: `${alias}__echo`, arguments: { text } })
const ERAS = ['modern', 'legacy'] as const

describe.each(['on', 'off'] as const)('U-12: with sessions %s,', (sessions) => {
  const at = () => gateways[sessions]

  test.each(cellsOf(sessions))('the official client speaks $revision over $way', async ({ way, revision }) => {
    await using official = await connectOfficial(at(), way, revision)
    const { client } = official
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(ERAS.map((era) => `${era}__echo`)))
    for (const era of ERAS) {
      const { content } = await client.callTool(call(era, `${revision} over ${way}`))
      expect(content).toEqual([{ type: 'text', text: `${revision} over ${way}` }])
    }
  })

  test.each(cellsOf(sessions))('a client by hand speaks $revision over $way', async ({ way, revision }) => {
    await using peer = await connectByHand(at(), { way, revision, built })
    if (revision === MODERN) {
      const { result } = await peer.ask('server/discover')
      expect(result?.['supportedVersions']).toEqual([...REVISIONS].reverse())
      expect((await peer.ask('initialize', OPENING('2025-11-25'))).error).toBeDefined()
    } else {
      expect(peer.opened?.result?.['protocolVersion']).toBe(revision)
      // The bridge knows by the method which era is meant, and the gateway then misses the envelope.
      const code = way === 'stdio' ? -32602 : -32601
      expect((await peer.ask('server/discover')).error?.code).toBe(code)
      expect((await peer.ask('ping')).result).toEqual({})
    }
    const { result } = await peer.ask('tools/list')
    expect(JSON.stringify(result?.['tools'])).toContain('"legacy__echo"')
    for (const era of ERAS) {
      const said = await peer.ask('tools/call', call(era, revision))
      expect(said.result?.content).toEqual([{ type: 'text', text: revision }])
    }
  })

  const batching = cellsOf(sessions).filter(({ way, revision }) => way !== 'stdio' || revision !== MODERN)
  test.each(batching)('a batch of $revision over $way is answered until 2025-11-25', async ({ way, revision }) => {
    await using peer = await connectByHand(at(), { way, revision, built })
    const asked = ERAS.map((era, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: call(era, era) }))
    const answered = await peer.batch(asked)
    if (revision < '2025-11-25')
      expect(answered).toMatchObject(ERAS.map((text, id) => ({ id, result: { content: [{ type: 'text', text }] } })))
    else expect(answered).toMatchObject({ error: { code: -32600, data: { fault: 'request.batch' } } })
  })

  test.each(['http', 'socket', 'stdio'] as const)(
    'whoever speaks 2026-07-28 over %s subscribes, and hears',
    async (way) => {
      await using official = await connectOfficial(at(), way, MODERN)
      const { client, heard } = official
      const listening = await client.listen({ toolsListChanged: true })
      await client.callTool({ name: 'modern__grow', arguments: { name: `came_${sessions}_${way}` } })
      await until('it is told', () => heard.includes('notifications/tools/list_changed'))
      await listening.close()
    },
  )
})

describe('U-12: over Streamable HTTP', () => {
  const legacy = REVISIONS.filter((revision) => revision !== MODERN)
  const peerOf = ({ url, key }: { url: string; key: string }): RawPeer => ({ url, key, era: 'legacy' })
  const status = async (url: string, method: string, headers: Record<string, string> = {}) =>
    (
      await fetch(url, {
        method,
        headers: { accept: 'text/event-stream', authorization: `Bearer ${gateways.off.key}`, ...headers },
      })
    ).status

  test('2026-07-28 has no session, whether sessions are on or off', async () => {
    for (const { url, key } of Object.values(gateways)) {
      const { headers } = await ask({ url, key, era: 'modern' }, 'tools/list')
      expect(headers.get('mcp-session-id')).toBeNull()
    }
  })

  test.each(legacy)('%s has a session while they are on, and none while they are off', async (revision) => {
    const opened = async (at: TestGateway) => {
      const { headers, answer } = await ask(peerOf(at), 'initialize', OPENING(revision))
      return { session: headers.get('mcp-session-id'), capabilities: answer.result?.['capabilities'] }
    }
    expect(await opened(gateways.on)).toEqual({
      session: expect.any(String),
      capabilities: { tools: { listChanged: true } },
    })
    // No client would be notified of a change, so none is promised.
    expect(await opened(gateways.off)).toEqual({ session: null, capabilities: { tools: {} } })
  })

  test('without sessions nothing of one is served: no stream, no end, no name, not the older pair', async () => {
    const { url, key } = gateways.off
    expect(await status(url, 'GET')).toBe(405)
    expect(await status(url, 'DELETE')).toBe(405)
    expect(await status(sseOf(url), 'GET')).toBe(404)
    const { session } = await openSession(gateways.on.url, gateways.on.key)
    for (const name of [session, '0'.repeat(32)]) {
      expect(await status(url, 'GET', { 'mcp-session-id': name })).toBe(404)
      expect((await ask({ url, key, era: 'legacy', session: name }, 'tools/list')).status).toBe(404)
    }
  })

  test('without sessions any gateway may answer any request', async () => {
    await using other = await gateways.off.another()
    const urls = [gateways.off.url, `${other.address}/mcp`]
    const peers = urls.map((url) => peerOf({ url, key: gateways.off.key }))
    await until('the other one lists the tools', async () =>
      JSON.stringify((await ask(peers[1] as RawPeer, 'tools/list')).answer).includes('legacy__echo'),
    )
    for (const [at, revision] of [...legacy, ...legacy].entries()) {
      const [one, next] = at % 2 === 0 ? peers : peers.toReversed()
      const opened = await ask(one as RawPeer, 'initialize', OPENING(revision))
      expect(opened.answer.result?.['protocolVersion']).toBe(revision)
      for (const era of ERAS) {
        const { answer } = await ask(next as RawPeer, 'tools/call', call(era, revision), {
          headers: { 'mcp-protocol-version': revision },
        })
        expect(answer.result?.content).toEqual([{ type: 'text', text: revision }])
      }
    }
  })

  test('a session that was opened before sessions were switched off is not known any more', async () => {
    const { url, key } = gateways.on
    const { session } = await openSession(url, key)
    const served = async (address: string) =>
      (await ask({ ...peerOf({ url: `${address}/mcp`, key }), session }, 'tools/list')).status
    await using alike = await gateways.on.another()
    await until('the session is known in another gateway', async () => (await served(alike.address)) === 200)
    await using other = await gateways.on.another({ TOOLWAY_SESSIONS: 'off' })
    expect(await served(other.address)).toBe(404)
    expect(await served(gateways.on.address)).toBe(200)
  })
})
