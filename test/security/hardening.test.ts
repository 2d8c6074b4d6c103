/** Headers of answers beside the requested content, and the size limits of answers and requests. */
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { addPerson, PASSWORD } from '../../packages/gateway/src/testing/people.ts'
import { callTool, openSession, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startScriptedUpstream } from '../fault/scripted-upstream.ts'

const PATHS = ['/health/ready', '/metrics', '/api/v1/admin/tenants', '/api/v1/nowhere', '/nowhere']

describe('answers', () => {
  test('say that they are what they are, are kept nowhere and tell no other site where they were read', async () => {
    await using gateway = await startTestGateway({ settings: { TOOLWAY_AUTH: 'off' } })
    for (const path of PATHS) {
      const { headers } = await fetch(gateway.address + path)
      expect([path, headers.get('x-content-type-options')]).toEqual([path, 'nosniff'])
      expect([path, headers.get('referrer-policy')]).toEqual([path, 'no-referrer'])
      expect([path, headers.get('cache-control')]).toEqual([path, 'no-store'])
    }
  })

  test(
    'S3-SEC-03: keep browsers on https where clients come by https, and say nothing of it elsewhere',
    { tags: 'long' },
    async () => {
      const hsts = async (address: string, path: string, headers: Record<string, string> = {}) =>
        (await fetch(address + path, { headers })).headers.get('strict-transport-security')
      await using plain = await startTestGateway()
      await using secure = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: 'https://tools.example.com' } })
      await using behind = await startTestGateway({ settings: { TOOLWAY_TRUSTED_PROXIES: '127.0.0.1' } })
      for (const path of [...PATHS, '/mcp']) {
        expect(await hsts(plain.address, path, { 'x-forwarded-proto': 'https' })).toBeNull()
        expect(await hsts(secure.address, path)).toBe('max-age=31536000')
        expect(await hsts(behind.address, path)).toBeNull()
        expect(await hsts(behind.address, path, { 'x-forwarded-proto': 'https' })).toBe('max-age=31536000')
      }
    },
  )

  test('S3-SEC-03: that carry cookies send every one of them Secure where the public address is https', async () => {
    for (const [address, isSecure] of [
      ['https://tools.example.com', true],
      ['http://tools.example.com', false],
    ] as const) {
      await using gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: address } })
      await addPerson(gateway.db, { email: 'ada@example.com' })
      const post = (path: string, type: string, body: string) =>
        fetch(gateway.address + path, {
          ...{ method: 'POST', redirect: 'manual', body },
          headers: { 'content-type': type, origin: address },
        })
      const fields = { email: 'ada@example.com', password: PASSWORD }
      const answers = [
        await post('/api/v1/auth/login', 'application/json', JSON.stringify({ ...fields, cookies: true })),
        await post('/sign-in', 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString()),
      ]
      for (const { status, headers } of answers) {
        expect(status).toBeLessThan(400)
        expect(headers.getSetCookie()).toHaveLength(3)
        for (const cookie of headers.getSetCookie()) expect(/; Secure(;|$)/.test(cookie), cookie).toBe(isSecure)
      }
    }
  })
})

describe('S1-SEC-04: sizes', () => {
  test('of requests are capped, as the settings say', async () => {
    for (const [settings, limit] of [
      [{}, 1_048_576],
      [{ TOOLWAY_BODY_LIMIT: '2000' }, 2_000],
    ] as const) {
      await using gateway = await startTestGateway({ settings: { ...settings, TOOLWAY_AUTH: 'off' } })
      for (const path of ['/mcp', '/api/v1/admin/tenants']) {
        const post = (size: number) =>
          fetch(gateway.address + path, {
            method: 'POST',
            headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
            body: 'x'.repeat(size),
          })
        expect((await post(limit + 1)).status).toBe(413)
        expect((await post(limit)).status).not.toBe(413)
      }
    }
  })

  test('of results are capped: a long text is cut and says so, and a structured result stays whole', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => ({ at }))
    await using server = await startScriptedUpstream({
      era: 'modern',
      results: {
        'tools/list': { tools: [{ name: 'rows', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: JSON.stringify({ rows }) }], structuredContent: { rows } },
      },
    })
    await using gateway = await startTestGateway({ connections: [{ alias: 'up', wire: httpWire(server.url) }] })
    await gateway.settled('up')
    const peers: RawPeer[] = [
      { url: gateway.connectionUrl('up'), key: gateway.key, era: 'modern' },
      await openSession(gateway.connectionUrl('up'), gateway.key),
    ]
    for (const peer of peers) {
      const { answer } = await callTool(peer, 'rows')
      const text = answer.result?.content?.[0]?.text ?? ''
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(262_144)
      expect(text).toContain(
        `[Truncated by Toolway: the text of this result is ${JSON.stringify({ rows }).length} bytes`,
      )
      expect(answer.result?.['structuredContent']).toEqual({ rows })
    }
    await using roomy = await gateway.another({ TOOLWAY_RESULT_LIMIT: 10_000_000 })
    const { answer } = await callTool({ url: `${roomy.address}/mcp`, key: gateway.key, era: 'modern' }, 'up__rows')
    expect(answer.result?.content?.[0]?.text).toBe(JSON.stringify({ rows }))
  })
})
