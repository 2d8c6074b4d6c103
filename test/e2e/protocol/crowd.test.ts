/**
 * Tests that all callers get their own answers under load. A thousand calls by fifty clients that all use JSON-RPC id 0, in both
 * eras, over HTTP and over the single pipe of a child; no caller waits for a server that is silent.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { CROWD, inLanes } from '../peers/lanes.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import type { ProbeServer } from '../peers/probes/probe-server.ts'
import { callTool, openSession, start } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import type { Recorder } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'

const CLIENTS = 50
const CALLS_EACH = 20
const ERAS = ['modern', 'legacy'] as const

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let silent: ProbeServer
let recorders: Record<(typeof ERAS)[number], Recorder>
beforeAll(async () => {
  recorders = {
    modern: parts.use(await startRecorder(parts.use(await startProbe({ era: 'modern' })).url)),
    legacy: parts.use(await startRecorder(parts.use(await startProbe({ era: 'legacy' })).url)),
  }
  silent = parts.use(await startProbe({ era: 'modern', name: 'silent' }))
  gateway = parts.use(
    await openGateway({
      // All of them call with one key.
      settings: { TOOLWAY_SESSIONS_PER_PRINCIPAL: String(2 * CLIENTS) },
      connections: [
        { alias: 'modern', wire: httpWire(recorders.modern.url) },
        { alias: 'legacy', wire: httpWire(recorders.legacy.url) },
        { alias: 'silent', wire: httpWire(silent.url) },
        { alias: 'child', wire: probeProcess('child') },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

/** Fifty clients; a modern one has no name but its key, a legacy one has a session of its own. */
const crowd = (era: (typeof ERAS)[number], url: string): Promise<RawPeer[]> =>
  Promise.all(
    Array.from({ length: CLIENTS }, () =>
      era === 'legacy' ? openSession(url, gateway.key) : Promise.resolve({ url, key: gateway.key, era }),
    ),
  )

async function everybodyCalls(peers: readonly RawPeer[], tool: string) {
  const questions = peers.flatMap((peer, client) =>
    Array.from({ length: CALLS_EACH }, (_, call) => ({ peer, text: `client ${client} call ${call}` })),
  )
  return inLanes(CROWD, questions, async ({ peer, text }) => {
    const { answer } = await callTool(peer, tool, { text }, { id: 0 })
    return { asked: text, got: answer.result?.content?.[0]?.text, id: answer.id }
  })
}

const ways = ERAS.flatMap((era) => (['modern', 'legacy', 'child'] as const).map((server) => ({ era, server })))

describe('a thousand calls at once, all with id 0,', () => {
  test.each(ways)('by $era clients to a $server server each get their own answer', async ({ era, server }) => {
    const answers = await everybodyCalls(await crowd(era, gateway.connectionUrl(server)), 'echo')
    expect(answers).toHaveLength(CLIENTS * CALLS_EACH)
    expect(answers.filter(({ asked, got, id }) => asked !== got || id !== 0)).toEqual([])
  })

  test('on the joined endpoint each get their own answer from the server they named', async () => {
    const peers = await crowd('legacy', gateway.url)
    const all = await Promise.all(
      ['modern__echo', 'legacy__echo', 'child__echo'].map((tool, at) =>
        everybodyCalls(peers.slice(at * 10, at * 10 + 10), tool),
      ),
    )
    expect(all.flat().filter(({ asked, got }) => asked !== got)).toEqual([])
    expect(all.flat()).toHaveLength(3 * 10 * CALLS_EACH)
  })

  test('never share an id upstream', () => {
    for (const era of ERAS) {
      const ids = recorders[era].seen.flatMap(({ message }) =>
        message?.id === undefined || message.method === undefined ? [] : [message.id],
      )
      expect(ids.length, era).toBeGreaterThan(2 * CLIENTS * CALLS_EACH)
      expect(new Set(ids).size, era).toBe(ids.length)
    }
  })
})

describe('while a call to a silent server hangs', () => {
  test.each(ERAS)('twenty calls by %s clients to each other server are answered', async (era) => {
    const label = `waiting for ${era}`
    const url = gateway.url
    const peer = era === 'legacy' ? await openSession(url, gateway.key) : { url, key: gateway.key, era }
    const leaving = new AbortController()
    const hanging = start(
      peer,
      'tools/call',
      { name: 'silent__hang', arguments: { label } },
      { id: 'the one that hangs', signal: leaving.signal },
    )
    hanging.catch(() => undefined)
    await until('the call hangs', () => silent.state.events.includes(`hang ${label}`))
    for (const tool of ['modern__echo', 'legacy__echo', 'child__echo']) {
      const texts = Array.from({ length: 20 }, (_, at) => `${tool} ${at}`)
      const answers = await Promise.all(texts.map((text) => callTool(peer, tool, { text })))
      expect(answers.map(({ answer }) => answer.result?.content?.[0]?.text)).toEqual(texts)
    }
    expect(silent.state.events).not.toContain(`cancelled ${label}`)
    leaving.abort()
  })

  test('twenty more calls to the very same server are answered, over HTTP and over a pipe', async () => {
    const clients = await Promise.all(
      ['modern', 'legacy', 'child'].map((alias) =>
        connectClient({ kind: 'SDK 2 by discovery', url: gateway.connectionUrl(alias), key: gateway.key }),
      ),
    )
    for (const client of clients) {
      const leaving = new AbortController()
      const label = 'in the same pipe'
      const hanging = client.call('hang', { label }, { signal: leaving.signal }).catch(() => 'left')
      await until('the call hangs', async () =>
        (await client.call('events')).content[0]?.text?.includes(`hang ${label}`),
      )
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => client.call('echo', { text: String(at) })),
      )
      expect(answers.map(({ content }) => content[0]?.text)).toEqual(Array.from({ length: 20 }, (_, at) => String(at)))
      leaving.abort()
      expect(await hanging).toBe('left')
      await client[Symbol.asyncDispose]()
    }
  })
})
