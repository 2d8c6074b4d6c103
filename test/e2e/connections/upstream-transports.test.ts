/**
 * Tests that everything that works over Streamable HTTP also works with servers over HTTP+SSE and WebSocket: each official
 * client, each era of server, through one gateway that was given only an address.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { sayJson, startScriptedUpstream } from '../../fault/scripted-upstream.ts'
import { connectClient, eraOfKind, KINDS, textOf } from '../peers/clients/client.ts'
import type { McpClient } from '../peers/clients/client.ts'
import { startListening } from '../peers/clients/listener.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { createProbeState, type ProbeState } from '../peers/probes/probe.ts'
import { ask, callTool, openSession, start, tell, type RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire, startEverythingOverSse } from '../peers/servers/real-servers.ts'
import { serveEverything, serveProbe } from '../peers/servers/served.ts'
import { startSocketServer, startSseServer, type StreamServer } from '../peers/servers/stream-servers.ts'
import { steady, until } from '../peers/until.ts'

const SERVERS = ['sse', 'socket_legacy', 'socket_modern'] as const
type Name = (typeof SERVERS)[number]
const eraOf = (server: Name) => (server === 'socket_modern' ? 'modern' : 'legacy')
const SECRET = 'Bearer of-the-connection'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let everything: Record<Name, StreamServer>
let probes: Record<Name, StreamServer>
const states: Record<Name, ProbeState> = {
  sse: createProbeState(),
  socket_legacy: createProbeState(),
  socket_modern: createProbeState(),
}

beforeAll(async () => {
  everything = {
    sse: parts.use(await startSseServer(serveEverything('legacy'))),
    socket_legacy: parts.use(await startSocketServer(serveEverything('legacy'))),
    socket_modern: parts.use(await startSocketServer(serveEverything('modern'))),
  }
  probes = {
    sse: parts.use(await startSseServer(serveProbe('legacy', states.sse))),
    socket_legacy: parts.use(await startSocketServer(serveProbe('legacy', states.socket_legacy))),
    socket_modern: parts.use(await startSocketServer(serveProbe('modern', states.socket_modern))),
  }
  const published = parts.use(await startEverythingOverSse())
  gateway = parts.use(
    await openGateway({
      connections: [
        ...SERVERS.map((server) => ({
          alias: server,
          wire: httpWire(everything[server].url, { authorization: SECRET }),
        })),
        ...SERVERS.map((server) => ({ alias: `${server}-probe`, wire: httpWire(probes[server].url) })),
        { alias: 'published', wire: httpWire(published.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const ways = SERVERS.flatMap((server) => KINDS.map((kind) => ({ server, kind })))
const connected = (kind: (typeof KINDS)[number], alias: string, answers = true): Promise<McpClient> =>
  connectClient({ kind, url: gateway.connectionUrl(alias), key: gateway.key, answers })
const peerOf = (era: 'legacy' | 'modern', alias: string): Promise<RawPeer> | RawPeer => {
  const url = gateway.connectionUrl(alias)
  return era === 'legacy' ? openSession(url, gateway.key) : { url, key: gateway.key, era }
}

describe.each(ways)('a server over $server with $kind', ({ server, kind }) => {
  test('lists, calls, reads and prompts', async () => {
    await using client = await connected(kind, server)
    expect((await client.tools()).map(({ name }) => name)).toContain('test_simple_text')
    expect(textOf(await client.call('test_simple_text'))).toBe('This is a simple text response for testing.')
    const [resource] = await client.resources()
    expect((await client.read(String(resource?.uri)))[0]?.uri).toBe(resource?.uri)
    expect((await client.prompts()).length).toBeGreaterThan(0)
    expect((await client.prompt('test_simple_prompt')).length).toBeGreaterThan(0)
  })

  test('asks the user and the model, and the call goes on', async () => {
    await using client = await connected(kind, server)
    if (eraOf(server) === 'legacy') {
      expect(textOf(await client.call('test_elicitation', { message: 'Who?' }))).toMatch(/accept.*"username":"ada"/)
      expect(textOf(await client.call('test_sampling', { prompt: 'France?' }))).toBe('LLM response: Paris')
    } else {
      expect(textOf(await client.call('test_input_required_result_elicitation'))).toBe('Hello, Ada!')
      expect(textOf(await client.call('test_input_required_result_sampling'))).toContain('Paris')
    }
    expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage'])
  })

  test('announces that its list has changed, and lists what is new', async () => {
    await using client = await connected(kind, `${server}-probe`)
    const changes = () => client.heard.filter(({ method }) => method === 'notifications/tools/list_changed').length
    const isLegacy = eraOfKind(kind) === 'legacy'
    const listening = isLegacy ? undefined : await client.listen({ toolsListChanged: true })
    const name = `late_${server}_${kind.replaceAll(/\W/g, '')}`
    await client.call('grow', { name })
    await until('the new tool is listed', async () => (await client.tools()).some((tool) => tool.name === name))
    await until('a change is announced', async () => {
      if (isLegacy) await client.call('grow', { name: `${name}_again` })
      return changes() > 0
    })
    await listening?.close()
  })

  test('is told when a call is cancelled', async () => {
    const { events } = states[server]
    const label = `${kind} at ${server}`
    const leaving = new AbortController()
    await using client = await connected(kind, `${server}-probe`)
    const ended = client.call('hang', { label }, { signal: leaving.signal }).catch(() => 'given up')
    await until('the call is there', () => events.includes(`hang ${label}`))
    leaving.abort()
    expect(await ended).toBe('given up')
    await until('the server knows', () => events.includes(`cancelled ${label}`))
  })
})

describe.each(SERVERS)('a server over %s', (server) => {
  test.each(['legacy', 'modern'] as const)('reports progress under the token of each of ten %s calls', async (era) => {
    const peer = await peerOf(era, server)
    const calls = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        callTool(peer, 'test_tool_with_progress', {}, { id: at, meta: { progressToken: `token ${at}` } }),
      ),
    )
    for (const [at, { messages }] of calls.entries()) {
      const tokens = messages.slice(0, -1).map(({ params }) => params?.['progressToken'])
      expect(tokens).toEqual(Array.from({ length: 3 }, () => `token ${at}`))
    }
  })

  test('is given the connection’s headers when a connection is opened', () => {
    expect(everything[server].opened.length).toBeGreaterThan(0)
    for (const { headers } of everything[server].opened) expect(headers['authorization']).toBe(SECRET)
  })

  test('that breaks off in a call has lost it, and serves the next one', async () => {
    const peer = await peerOf('modern', `${server}-probe`)
    const label = `broken at ${server}`
    const calling = callTool(peer, 'hang', { label })
    await until('the call is there', () => states[server].events.includes(`hang ${label}`))
    probes[server].cut()
    const { answer } = await calling
    expect(answer.result?.['_meta']).toMatchObject({ 'dev.toolway/fault': { fault: 'upstream.lost' } })
    expect(states[server].events.filter((event) => event === `hang ${label}`)).toHaveLength(1)
    expect((await callTool(peer, 'echo', { text: 'again' })).answer.result?.content?.[0]?.text).toBe('again')
  })

  test('tells a legacy session that a resource which it watches was updated', async () => {
    await using client = await connected('SDK 2 legacy', server)
    const updates = () => client.heard.filter(({ method }) => method === 'notifications/resources/updated')
    await client.subscribe('test://watched-resource')
    await until('the update arrives', async () => {
      await client.call('test_trigger_resource_update')
      return updates().length > 0
    })
    expect(updates()[0]?.params?.['uri']).toBe('test://watched-resource')
  })

  test('that was away is served again when it is back', async () => {
    const peer = await peerOf('modern', `${server}-probe`)
    await callTool(peer, 'echo', { text: 'before' })
    await probes[server].leave()
    // The first call may still be written to a connection whose end has not been noticed.
    await until('it is said to be away', async () => {
      const { answer } = await callTool(peer, 'echo', { text: 'meanwhile' })
      expect(answer.result?.isError).toBe(true)
      return JSON.stringify(answer.result).includes('upstream.unreachable')
    })
    await probes[server].comeBack()
    // Its tries have opened the breaker, which lets one through after a while.
    await until('it is served', async () => {
      const { answer } = await callTool(peer, 'echo', { text: 'after' })
      return answer.result?.content?.[0]?.text === 'after'
    })
  })
})

const WATCHED = 'test://watched-resource'

describe.each(SERVERS)('who listens to a server over %s', (server) => {
  test('hears of a resource that changed, and after a break that it may have', async () => {
    const peer = { url: gateway.connectionUrl(server), key: gateway.key, era: 'modern' as const }
    await using listener = await startListening(peer, { resourceSubscriptions: [WATCHED] })
    expect(listener.honoured).toEqual({ resourceSubscriptions: [WATCHED] })
    await callTool(peer, 'test_trigger_resource_update')
    await until('the update arrives', () => listener.updates().length > 0)
    const before = listener.updates().length
    everything[server].cut()
    await until('it is told that it may have missed something', () => listener.updates().length > before)
    const back = listener.updates().length
    await callTool(peer, 'test_trigger_resource_update')
    await until('the next update arrives', () => listener.updates().length > back)
    expect(new Set(listener.updates())).toEqual(new Set([WATCHED]))
  })

  test('is told in a legacy session too, before a break and after it', async () => {
    await using client = await connected('SDK 1', server)
    const updates = () => client.heard.filter(({ method }) => method === 'notifications/resources/updated').length
    await client.subscribe(WATCHED)
    await client.call('test_trigger_resource_update')
    await until('the update arrives', () => updates() > 0)
    const before = updates()
    everything[server].cut()
    await until('it is told that it may have missed something', () => updates() > before)
    const back = updates()
    await client.call('test_trigger_resource_update')
    await until('the next update arrives', () => updates() > back)
    await client.unsubscribe(WATCHED)
  })
})

describe.each(['sse', 'socket_legacy'] as const)('a session with a server over %s', (server) => {
  test('gives a legacy client the log lines of its call, from the level it set', async () => {
    const peer = await peerOf('legacy', server)
    await ask(peer, 'logging/setLevel', { level: 'debug' })
    const { messages } = await callTool(peer, 'test_tool_with_logging')
    expect(messages.slice(0, -1).map(({ params }) => params?.['data'])).toEqual([
      'Tool execution started',
      'Tool processing data',
      'Tool execution completed',
    ])
  })

  test('ends with the client’s own, and is nobody else’s', async () => {
    const before = await steady('the number of connections', () => everything[server].size)
    const [one, other] = [await openSession(gateway.connectionUrl(server), gateway.key), await peerOf('legacy', server)]
    await Promise.all([callTool(one, 'test_simple_text'), callTool(other, 'test_simple_text')])
    expect(everything[server].size).toBe(before + 2)
    const headers = { authorization: `Bearer ${gateway.key}`, 'mcp-session-id': one.session }
    await fetch(one.url, { method: 'DELETE', headers })
    await until('its connection has ended', () => everything[server].size === before + 1)
  })

  test('refuses a question that may be about either of two calls, and asks it of one call', async () => {
    await using client = await connected('SDK 2 legacy', server)
    const twice = await Promise.all([
      client.call('test_elicitation', { message: 'one' }),
      client.call('test_elicitation', { message: 'two' }),
    ])
    // Whether they met depends on who was quicker; what was asked has been answered, the other is the server's refusal.
    for (const result of twice) expect(textOf(result)).toMatch(/action=accept|not available here/i)
    expect(client.asked.length).toBe(twice.filter((result) => textOf(result).includes('action=accept')).length)
    expect(textOf(await client.call('test_elicitation', { message: 'three' }))).toMatch(/action=accept/)
  })

  test('is told of a cancelled call under the id that the call had there', async () => {
    const peer = await peerOf('legacy', `${server}-probe`)
    const label = `by id at ${server}`
    const calling = start(peer, 'tools/call', { name: 'hang', arguments: { label } }, { id: 0 })
    await until('the call is there', () => states[server].events.includes(`hang ${label}`))
    await tell(peer, 'notifications/cancelled', { requestId: 0 })
    await until('the server knows', () => states[server].events.includes(`cancelled ${label}`))
    expect(await (await calling).text()).not.toContain('"result"')
  })
})

test('one socket carries all calls of a modern server, whoever calls', async () => {
  const before = everything.socket_modern.opened.length
  const peers = [await peerOf('modern', 'socket_modern'), await peerOf('legacy', 'socket_modern')]
  await Promise.all(peers.flatMap((peer) => Array.from({ length: 5 }, () => callTool(peer, 'test_simple_text'))))
  expect(everything.socket_modern.opened.length).toBe(before)
  expect(everything.socket_modern.size).toBe(1)
})

describe('the published server that speaks nothing but HTTP+SSE', () => {
  test.each(KINDS)('serves %s', async (kind) => {
    await using client = await connected(kind, 'published')
    expect((await client.tools()).map(({ name }) => name)).toContain('echo')
    expect(textOf(await client.call('echo', { message: 'through' }))).toContain('through')
  })
})

test('S2-SES-07: servers of each protocol version are served, those that speak only HTTP+SSE too', async () => {
  const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
  await using stack = new AsyncDisposableStack()
  const connections = []
  for (const revision of REVISIONS) {
    const upstream = await startScriptedUpstream({
      era: 'legacy',
      act({ method, id, session = '' }, response) {
        if (method !== 'initialize') return false
        const serverInfo = { name: `server of ${revision}`, version: '1' }
        const result = { protocolVersion: revision, capabilities: { tools: {} }, serverInfo }
        sayJson(response, { jsonrpc: '2.0', id, result }, 200, { 'mcp-session-id': session })
        return true
      },
    })
    connections.push({ alias: `r${revision}`, wire: httpWire(stack.use(upstream).url) })
  }
  const newest = stack.use(await startScriptedUpstream({ era: 'modern' }))
  connections.push({ alias: 'r2026-07-28', wire: httpWire(newest.url) })
  const own = stack.use(await openGateway({ connections }))
  for (const { alias } of connections) {
    for (const era of ['legacy', 'modern'] as const) {
      const url = own.connectionUrl(alias)
      const peer = era === 'legacy' ? await openSession(url, own.key) : { url, key: own.key, era }
      const { answer } = await callTool(peer, 'good')
      expect({ alias, era, error: answer.error, isError: answer.result?.isError ?? false }).toMatchObject({
        error: undefined,
        isError: false,
      })
    }
  }
  const { answer } = await callTool(await peerOf('legacy', 'sse'), 'test_simple_text')
  expect(answer.result?.content?.[0]?.text).toContain('simple text')
})
