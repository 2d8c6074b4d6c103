import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Revision } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { GREETING_LIMIT, GREETINGS } from '../../../../../test/wild/rows/greetings.ts'
import { createSessionPool } from '../session-pool.ts'
import { GATEWAY } from '../upstream.ts'
import { createHttpUpstream } from './http-upstream.ts'
import type { LegacySession } from '@toolway/protocol/client'

type Says = (method: string) => object | undefined

/** A server whose era is whatever it was last told to be; `says` is what it answers instead, without `jsonrpc` and `id`. */
async function startTurncoat(says: Says = () => undefined, { delay = 0 } = {}) {
  const turncoat = { era: 'modern' as 'modern' | 'legacy' }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { id, method } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string }
      const results: Record<string, object> =
        turncoat.era === 'modern'
          ? { 'server/discover': { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} } }
          : { initialize: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } } }
      const result = results[method ?? '']
      if (id === undefined) return void response.writeHead(202).end()
      const error = { code: -32601, message: 'no such method' }
      const answer = says(method ?? '') ?? (result === undefined ? { error } : { result })
      const send = () => {
        response.writeHead('error' in answer ? 400 : 200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
      }
      if (delay === 0 || method !== 'server/discover') send()
      else setTimeout(send, delay)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(turncoat, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  })
}

function upstreamAt(
  url: string,
  { revision, pinned = false, timeout = 10 }: { revision?: Revision; pinned?: boolean; timeout?: number } = {},
) {
  let last = 0
  const shown: Revision[] = []
  const pool = createSessionPool<LegacySession>({ now: Date.now })
  const upstream = createHttpUpstream({
    reach: {
      connectionId: 'con_1',
      alias: 'web',
      timeout,
      revision,
      pinned,
      wire: { url, private: true, headers: {} },
    },
    ids: () => ++last,
    pool,
    onRevision: (revision) => void shown.push(revision),
    onStateChange: () => {},
  })
  const close = async () => {
    await upstream.close()
    pool.close()
  }
  return { upstream, shown, [Symbol.asyncDispose]: close }
}
const { signal } = new AbortController()

describe('the era of a server', () => {
  test('is remembered, and found anew once it is in doubt', async () => {
    await using server = await startTurncoat()
    await using held = upstreamAt(server.url)
    const { upstream, shown } = held
    expect(await upstream.introduce(signal)).toMatchObject({ revision: '2026-07-28' })
    server.era = 'legacy'
    await expect(upstream.introduce(signal)).rejects.toMatchObject({ code: 'upstream.error' })
    upstream.doubt()
    expect(await upstream.introduce(signal)).toMatchObject({ revision: '2025-06-18' })
    server.era = 'modern'
    upstream.doubt()
    expect(await upstream.introduce(signal)).toMatchObject({ revision: '2026-07-28' })
    expect(shown).toEqual(['2026-07-28', '2025-06-18', '2026-07-28'])
  })

  test('that an operator has pinned is never in doubt', async () => {
    await using server = await startTurncoat()
    server.era = 'legacy'
    await using held = upstreamAt(server.url, { revision: '2026-07-28', pinned: true })
    held.upstream.doubt()
    // Taken at its word, although it does not answer discovery.
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2026-07-28' })
  })

  test('is legacy when what it answers to discovery names no revision: some servers answer whatever they are asked', async () => {
    const meagre = [{}, { supportedVersions: '2026-07-28' }, { supportedVersions: ['2025-06-18'] }]
    for (const result of meagre) {
      await using server = await startTurncoat((method) => (method === 'server/discover' ? { result } : undefined))
      server.era = 'legacy'
      await using held = upstreamAt(server.url)
      expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2025-06-18' })
    }
  })

  test('is asked for once more when it refuses our revision and names it among its own, and not a third time', async () => {
    let left = 1
    const asked: string[] = []
    const refused = { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'], requested: 'x' } } }
    await using server = await startTurncoat((method) => {
      asked.push(method)
      return left-- > 0 ? refused : undefined
    })
    await using held = upstreamAt(server.url)
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2026-07-28' })
    expect(asked).not.toContain('initialize')
    left = Infinity
    asked.length = 0
    held.upstream.doubt()
    await expect(held.upstream.introduce(signal)).rejects.toMatchObject({ code: 'upstream.error' })
    expect(asked).toEqual(['server/discover', 'server/discover', 'initialize'])
  })
})

/** A legacy server that does this to `server/discover`; `fails` does it to everything. */
async function startFrail(fails: (response: ServerResponse) => void, every = false) {
  const methods: string[] = []
  const frail = { version: '1', isModern: false, methods }
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { id, method = '' } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string }
      methods.push(method)
      if (every || (method === 'server/discover' && !frail.isModern)) return fails(response)
      if (id === undefined) return void response.writeHead(method === '' ? 405 : 202).end()
      const serverInfo = { name: 'frail', version: frail.version }
      const result =
        method === 'server/discover'
          ? { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} }
          : { protocolVersion: '2025-06-18', capabilities: {}, serverInfo }
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(frail, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  })
}

describe('a server that answers server/discover with', () => {
  test.each(GREETINGS)('%s is greeted in the older way, which is remembered', async (_, fails) => {
    await using server = await startFrail(fails)
    await using held = upstreamAt(server.url, { timeout: GREETING_LIMIT })
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2025-06-18' })
    expect(await held.upstream.check(signal)).toBe(true)
    expect(server.methods.filter((method) => method === 'server/discover')).toHaveLength(1)
    expect(held.shown).toEqual(['2025-06-18'])
  })

  test.each(GREETINGS)('%s, and every other request too, fails with that reason', async (_, fails, reason) => {
    await using server = await startFrail(fails, true)
    await using held = upstreamAt(server.url, { timeout: GREETING_LIMIT })
    await expect(held.upstream.introduce(signal)).rejects.toThrow(reason)
    expect(held.shown).toEqual([])
  })

  test('500 is asked again when it names another version of itself', async () => {
    await using server = await startFrail((response) => void response.writeHead(500).end())
    await using held = upstreamAt(server.url)
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2025-06-18' })
    Object.assign(server, { version: '2', isModern: true })
    // The session before the upgrade would still name the version before it.
    held.upstream.forget(GATEWAY)
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2026-07-28' })
    expect(held.shown).toEqual(['2025-06-18', '2026-07-28'])
  })

  test('silence is asked again after an upgrade, and calls go on meanwhile', async () => {
    await using server = await startFrail(() => {})
    await using held = upstreamAt(server.url, { timeout: 4 })
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2025-06-18' })
    server.version = '2'
    held.upstream.forget(GATEWAY)
    const introducing = held.upstream.introduce(signal)
    await expect.poll(() => server.methods.filter((method) => method === 'server/discover')).toHaveLength(2)
    // The probe is open: a check that waited for it would come after it.
    const order: string[] = []
    void introducing.then(() => order.push('introduced'))
    await held.upstream.check(signal).then(() => order.push('checked'))
    expect(await introducing).toMatchObject({ revision: '2025-06-18' })
    expect(order[0]).toBe('checked')
  })

  test('nothing for a while, and then speaks both eras, is modern in the end', async () => {
    const modern = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} }
    const legacy = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
    const says: Says = (method) => ({ result: method === 'server/discover' ? modern : legacy })
    await using server = await startTurncoat(says, { delay: 4_500 })
    await using held = upstreamAt(server.url, { timeout: 6 })
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2025-06-18' })
    await expect.poll(() => held.shown).toEqual(['2025-06-18', '2026-07-28'])
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2026-07-28' })
  })

  test('the modern answer, late, is modern where initialize is refused', async () => {
    await using server = await startTurncoat(() => undefined, { delay: 4_500 })
    await using held = upstreamAt(server.url, { timeout: 6 })
    expect(await held.upstream.introduce(signal)).toMatchObject({ revision: '2026-07-28' })
  })
})

describe('a check of a remote server', () => {
  test('S2-SES-04: opens the gateway’s own session anew where the server has lost it', async () => {
    const seen: string[] = []
    let sessions = 0
    let lost = ''
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      request.on('end', () => {
        const { id, method = '' } = JSON.parse(body === '' ? '{}' : body) as { id?: number; method?: string }
        const session = method === 'initialize' ? `s${++sessions}` : String(request.headers['mcp-session-id'])
        if (id !== undefined) seen.push(`${method} ${session}`)
        if (session === lost) return void response.writeHead(404).end()
        if (id === undefined) return void response.writeHead(202).end()
        const serverInfo = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? serverInfo : {} }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
      await using held = upstreamAt(url, { revision: '2025-06-18', pinned: true })
      await held.upstream.introduce(signal)
      expect(await held.upstream.check(signal)).toBe(true)
      lost = 's1'
      expect(await held.upstream.check(signal)).toBe(true)
      expect(await held.upstream.check(signal)).toBe(true)
      expect(seen).toEqual(['initialize s1', 'ping s1', 'ping s1', 'initialize s2', 'ping s2', 'ping s2'])
    }
    await new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve())))
  })
})
