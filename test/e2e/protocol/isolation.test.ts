/**
 * Tests that all callers see and reach their own objects, and nothing else: two organizations with the same aliases and tool
 * names, keys that are limited to a toolset, invalid keys, sessions of others.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient, KINDS } from '../peers/clients/client.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import type { Recorder } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'
import { CROWD, inLanes } from '../peers/lanes.ts'

const keyOf = (word: string) => `uru_${Buffer.from(word.padEnd(32, '.')).toString('hex')}`
const OTHER_KEY = keyOf('other')
const LIMITED_KEY = keyOf('limited')
const UNKNOWN_KEY = keyOf('nobody')

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let recorder: Recorder
let at: (path: string) => string
beforeAll(async () => {
  const mine = parts.use(await startProbe({ name: 'mine', padding: 1 }))
  const theirs = parts.use(await startProbe({ name: 'theirs', padding: 1 }))
  const everything = parts.use(await startEverythingServer({ era: 'legacy' }))
  recorder = parts.use(await startRecorder(mine.url))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'same', wire: httpWire(recorder.url, { authorization: 'Bearer upstream-secret' }) },
        { alias: 'child', wire: probeProcess('my child', { WHOSE: 'mine' }) },
        { alias: 'docs', wire: httpWire(everything.url) },
      ],
      toolsets: [
        {
          slug: 'safe',
          title: 'Safe',
          settings: { connections: ['same'], include: ['same__*'], exclude: ['*__hang'] },
        },
      ],
      keys: [{ name: 'limited', value: LIMITED_KEY, toolset: 'safe' }],
      others: [
        {
          slug: 'other',
          name: 'Other',
          connections: [
            { ...DECLARED, alias: 'same', title: 'same', wire: httpWire(theirs.url) },
            { ...DECLARED, alias: 'child', title: 'child', wire: probeProcess('their child', { WHOSE: 'theirs' }) },
          ],
          toolsets: [{ slug: 'private', title: 'Private', settings: { include: ['*'], exclude: [] } }],
          keys: [{ name: 'test', value: OTHER_KEY, toolset: undefined }],
        },
      ],
    }),
  )
  at = (path) => `${gateway.address}${path}`
  const joined = at('/o/other/t/default/mcp')
  await until('the other organization lists its tools', async () => {
    const names = await toolNames({ key: OTHER_KEY }, joined)
    return names.includes('same__echo') && names.includes('child__echo')
  })
})
afterAll(() => parts.disposeAsync())

const Count = z.object({ count: z.number() })
const DECLARED = { enabled: true, revision: 'auto' as const, timeout: 30 }
const modern = (path: string, key: string | undefined): RawPeer => ({ url: at(path), key, era: 'modern' })
const textOf = async (peer: RawPeer, tool: string, given = {}) =>
  (await callTool(peer, tool, given)).answer.result?.content?.[0]?.text

describe('two organizations with the same aliases and tool names', () => {
  test('S3-MCP-01: each call their own servers, at every address', async () => {
    const calls = [
      textOf(modern('/mcp', gateway.key), 'same__padding_0000'),
      textOf(modern('/mcp', OTHER_KEY), 'same__padding_0000'),
      textOf(modern('/o/default/t/default/mcp', gateway.key), 'same__padding_0000'),
      textOf(modern('/o/other/t/default/mcp', OTHER_KEY), 'same__padding_0000'),
      textOf(modern('/api/v1/default/connectors/same/mcp', gateway.key), 'padding_0000'),
      textOf(modern('/api/v1/other/connectors/same/mcp', OTHER_KEY), 'padding_0000'),
    ]
    const [mine, theirs] = ['mine has answered padding_0000', 'theirs has answered padding_0000']
    expect(await Promise.all(calls)).toEqual([mine, theirs, mine, theirs, mine, theirs])
  })

  test('each have a process, a home and an environment of their own', async () => {
    const [mine, theirs] = [modern('/mcp', gateway.key), modern('/mcp', OTHER_KEY)]
    expect(await textOf(mine, 'child__process')).not.toBe(await textOf(theirs, 'child__process'))
    const [home, theirHome] = [
      await textOf(mine, 'child__environment', { name: 'HOME' }),
      await textOf(theirs, 'child__environment', { name: 'HOME' }),
    ]
    expect(home).not.toBe(theirHome)
    expect(await textOf(mine, 'child__environment', { name: 'WHOSE' })).toBe('mine')
    expect(await textOf(theirs, 'child__environment', { name: 'WHOSE' })).toBe('theirs')
  })

  test('are never crossed in a thousand calls at the same time', async () => {
    const whose = [
      { peer: modern('/mcp', gateway.key), answer: 'mine has answered padding_0000' },
      { peer: modern('/mcp', OTHER_KEY), answer: 'theirs has answered padding_0000' },
    ]
    const calls = Array.from({ length: 500 }, () => whose).flat()
    const crossed = await inLanes(CROWD, calls, async ({ peer, answer }) =>
      (await textOf(peer, 'same__padding_0000')) === answer ? 0 : 1,
    )
    expect(crossed).toHaveLength(1_000)
    expect(crossed.reduce<number>((sum, one) => sum + one, 0)).toBe(0)
  })

  test('hear nothing of each other’s changes', async () => {
    await using mine = await connectClient({ kind: KINDS[0], url: gateway.url, key: gateway.key })
    await using theirs = await connectClient({ kind: KINDS[0], url: gateway.url, key: OTHER_KEY })
    const open = [await mine.listen({ toolsListChanged: true }), await theirs.listen({ toolsListChanged: true })]
    await theirs.call('same__grow', { name: 'only_theirs' })
    await until('the change is announced to its own', () => theirs.heard.length > 0)
    expect(mine.heard).toEqual([])
    expect((await theirs.tools()).map(({ name }) => name)).toContain('same__only_theirs')
    expect((await mine.tools()).map(({ name }) => name)).not.toContain('same__only_theirs')
    await Promise.all(open.map((one) => one.close()))
  })

  test('have records of their own', async () => {
    await callTool(
      modern('/mcp', OTHER_KEY),
      'same__echo',
      { text: 'x' },
      { headers: { 'x-correlation-id': 'theirs-1' } },
    )
    const count = (slug: string) =>
      gateway.db.system(async (sql) => {
        const rows = await sql(Count)`
          select count(*)::int as count from records join organizations on organizations.id = organization_id
           where slug = ${slug} and correlation_id = 'theirs-1'`
        return rows[0]?.count
      })
    await until('the call is on record', async () => (await count('other')) === 1)
    expect(await count('default')).toBe(0)
  })
})

describe('an address of another organization', () => {
  const paths = ['/o/other/t/default/mcp', '/o/other/t/private/mcp', '/api/v1/other/connectors/same/mcp']

  test.each(paths)('%s answers as one that does not exist', async (path) => {
    const known = await ask(modern(path, gateway.key), 'tools/list')
    const missing = await ask(modern(path.replace('other', 'nowhere'), gateway.key), 'tools/list')
    expect(known.status).toBe(404)
    expect(known.status).toBe(missing.status)
    expect(withoutId(known.text)).toBe(withoutId(missing.text))
  })

  test('takes no session of one’s own', async () => {
    const mine = await openSession(gateway.url, gateway.key)
    const { status, answer } = await ask({ ...mine, key: OTHER_KEY }, 'tools/list')
    expect({ status, fault: answer.error?.data?.['fault'] }).toEqual({ status: 404, fault: 'session.unknown' })
    const unknown = await ask({ ...mine, session: 'f'.repeat(32) }, 'tools/list')
    expect(withoutId(unknown.text)).toBe(withoutId((await ask({ ...mine, key: OTHER_KEY }, 'tools/list')).text))
    expect((await ask(mine, 'tools/list')).status).toBe(200)
  })
})

describe('a key that is limited to a toolset', () => {
  test('sees that toolset and nothing more, wherever it may stand', async () => {
    const expected = (await toolNames({ key: gateway.key }, gateway.url)).filter(
      (name) => name.startsWith('same__') && name !== 'same__hang',
    )
    expect(expected.length).toBeGreaterThan(3)
    expect(await toolNames({ key: LIMITED_KEY }, gateway.url)).toEqual(expected)
    expect(await toolNames({ key: LIMITED_KEY }, at('/o/default/t/safe/mcp'))).toEqual(expected)
    const plain = expected.map((name) => name.replace('same__', ''))
    expect(await toolNames({ key: LIMITED_KEY }, gateway.connectionUrl('same'))).toEqual(plain)
  })

  const refused = [
    '/o/default/t/default/mcp',
    '/o/other/t/safe/mcp',
    '/o/default/t/nothing/mcp',
    '/api/v1/default/connectors/child/mcp',
  ]
  test.each(refused)('gets 404 at %s', async (path) => {
    for (const method of ['tools/list', 'tools/call', 'server/discover']) {
      expect((await ask(modern(path, LIMITED_KEY), method, { name: 'echo' })).status, method).toBe(404)
    }
  })

  test('S1-CAL-03: gets the same answer for a tool that is not exposed as for one that does not exist', async () => {
    for (const peer of [modern('/mcp', LIMITED_KEY), await openSession(gateway.url, LIMITED_KEY)]) {
      const answers = await Promise.all(
        ['same__hang', 'child__echo', 'same__nothing', 'nobody__echo'].map(async (name) => {
          const { status, text } = await callTool(peer, name, { text: 'x', label: 'x' })
          return { status, text: withoutId(text).replaceAll(name, 'NAME') }
        }),
      )
      expect(answers[0]).toMatchObject({ status: 200, text: expect.stringContaining('Unknown tool: NAME') })
      for (const answer of answers) expect(answer).toEqual(answers[0])
    }
  })

  test('reads no resource of a connection outside it', async () => {
    const uri = 'toolway://docs/test://static-text'
    expect((await ask(modern('/mcp', gateway.key), 'resources/read', { uri })).answer.result).toBeDefined()
    const hidden = await ask(modern('/mcp', LIMITED_KEY), 'resources/read', { uri })
    const missing = await ask(modern('/mcp', LIMITED_KEY), 'resources/read', { uri: uri.replace('docs', 'dogs') })
    expect(hidden.answer.error?.code).toBe(-32602)
    expect(withoutId(hidden.text).replaceAll('docs', 'dogs')).toBe(withoutId(missing.text))
  })
})

describe('a wrong key', () => {
  const headers = [
    ['no key', {}],
    ['an unknown key', { authorization: `Bearer ${UNKNOWN_KEY}` }],
    ['a key that is cut off', { authorization: `Bearer ${OTHER_KEY.slice(0, 20)}` }],
    ['a key under another scheme', { authorization: `Basic ${OTHER_KEY}` }],
    ['an empty key', { authorization: 'Bearer ' }],
    ['a key in another header', { 'x-api-key': OTHER_KEY }],
  ] as const

  test.each(headers)('(%s) gets 401 with WWW-Authenticate, and learns nothing else', async (_, given) => {
    const before = recorder.asked().length
    const paths = ['/mcp', '/o/other/t/default/mcp', '/o/nowhere/t/default/mcp', '/api/v1/default/connectors/same/mcp']
    const answers = await Promise.all(
      paths.map(async (path) => {
        const answer = await ask(modern(path, undefined), 'tools/call', { name: 'echo' }, { headers: { ...given } })
        return { ...answer, text: withoutId(answer.text) }
      }),
    )
    for (const { status, headers, text } of answers) {
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toMatch(/^Bearer /)
      expect(headers.get('mcp-session-id')).toBeNull()
      expect(text).toBe(answers[0]?.text)
    }
    expect(recorder.asked()).toHaveLength(before)
  })

  test('in the address is not taken', async () => {
    expect((await ask(modern(`/mcp?key=${OTHER_KEY}&access_token=${OTHER_KEY}`, undefined), 'tools/list')).status).toBe(
      401,
    )
  })
})

describe('an upstream', () => {
  test('never gets the key of a caller; it gets its own credential', async () => {
    for (const kind of KINDS) {
      await using client = await connectClient({ kind, url: gateway.url, key: gateway.key })
      await client.call('same__echo', { text: kind })
    }
    expect(recorder.of('tools/call').length).toBeGreaterThanOrEqual(KINDS.length)
    for (const { headers, body } of recorder.seen) {
      expect(headers.authorization).toBe('Bearer upstream-secret')
      expect(JSON.stringify(headers) + body).not.toContain(gateway.key)
    }
  })
})

/** Every answer has a correlation id of its own. */
const withoutId = (text: string) => text.replace(/"correlation_id":"[^"]*"/, '"correlation_id":"ID"')
