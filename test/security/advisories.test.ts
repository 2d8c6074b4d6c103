/**
 * Lessons of others' advisories, one test each, named after the published advisory. Lessons that an older test already covers are
 * in `lessons.ts`, and the last test here checks that it still exists.
 */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { UserId } from '@toolway/contract'
import { OPERATIONS } from '../../packages/gateway/src/app/operations.ts'
import { createAccessTokens } from '../../packages/gateway/src/identity/access-tokens.ts'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { isAllowed } from '../../packages/gateway/src/upstreams/http/agent.ts'
import { ask, callTool, openSession, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { openLine } from '../e2e/peers/clients/raw-line.ts'
import { join as joinPerson } from '../e2e/peers/people/people.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'
import { sayResult, startScriptedUpstream, type ScriptedUpstream } from '../fault/scripted-upstream.ts'
import { LESSONS } from './lessons.ts'
import { CROWD, inLanes } from '../e2e/peers/lanes.ts'

const OTHER_KEY = `uru_${'cd'.repeat(32)}`
const LIMITED_KEY = `uru_${'ef'.repeat(32)}`
const parts = new AsyncDisposableStack()
let server: ScriptedUpstream
let gateway: TestGateway
let peer: RawPeer

beforeAll(async () => {
  server = parts.use(
    await startScriptedUpstream({
      era: 'modern',
      results: {
        'tools/list': { tools: ['echo', 'hidden'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
      },
      act(heard, response) {
        if (heard.method !== 'tools/call') return false
        const { text } = heard.params['arguments'] as { text?: string }
        // In an order that is not that of the questions.
        setTimeout(
          () => sayResult(response, heard, { content: [{ type: 'text', text: text ?? '' }] }),
          Math.random() * 30,
        )
        return true
      },
    }),
  )
  gateway = parts.use(
    await startTestGateway({
      connections: [{ alias: 'up', wire: httpWire(server.url) }],
      toolsets: [
        { slug: 'safe', title: 'Safe', settings: { connections: ['up'], include: ['*'], exclude: ['up__hidden'] } },
      ],
      keys: [{ name: 'limited', value: LIMITED_KEY, toolset: 'safe' }],
      others: [
        {
          slug: 'other',
          name: 'Other',
          connections: [],
          toolsets: [],
          keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
        },
      ],
    }),
  )
  await gateway.settled('up')
  peer = { url: gateway.url, key: gateway.key, era: 'modern' }
})
afterAll(() => parts.disposeAsync())

const bodyNames = (shape: z.ZodType): string =>
  JSON.stringify(z.toJSONSchema(shape, { unrepresentable: 'any', io: 'input' }))
const pathOf = (path: string): string => path.replaceAll(/\{\w+\}/g, 'default')

/** Everything that is served and is no operation of the admin interface: who may. */
const ROUTES = [
  ['GET', '/health', 'anyone'],
  ['GET', '/health/live', 'anyone'],
  ['GET', '/health/ready', 'anyone'],
  ['GET', '/health/startup', 'anyone'],
  ['GET', '/metrics', 'key'],
] as const
const ENDPOINTS = ['', '/o/default/t/default', '/api/v1/default/connectors/up']

const byText = (one: string, other: string) => one.localeCompare(other)

describe('lessons', () => {
  test('CVE-2026-42271: what takes a command needs the permission to set up connections', () => {
    for (const { operation } of OPERATIONS) {
      if (!/"(command|args|environment|env)"/.test(bodyNames(operation.body))) continue
      const { needs } = operation
      expect([operation.id, needs.of]).toEqual([operation.id, 'organization'])
      expect(['connector_create', 'connector_update']).toContain('permission' in needs ? needs.permission : '')
    }
  })

  test('CVE-2025-49596: nobody without a name makes us fetch or start anything', () => {
    const open = OPERATIONS.filter(({ operation }) => operation.needs.of === 'anyone')
    for (const { operation } of open) expect(bodyNames(operation.body)).not.toMatch(/"(url|uri|address|host|command)"/)
  })

  test('CVE-2025-64443: a Host or Origin that is not ours is refused by every listener, with a key or without', async () => {
    const paths = [...ROUTES.map(([, path]) => path), ...OPERATIONS.map(({ operation }) => pathOf(operation.path))]
    for (const path of [
      ...paths,
      ...ENDPOINTS.flatMap((at) => ['mcp', 'sse', 'messages'].map((way) => `${at}/${way}`)),
    ]) {
      for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }]) {
        for (const key of [{}, { authorization: `Bearer ${gateway.key}` }]) {
          const { status } = await fetch(gateway.address + path, {
            headers: { ...headers, ...key },
            redirect: 'manual',
          })
          expect([path, status]).toEqual([path, 403])
        }
      }
    }
  })

  test('CF-1078: nobody acts with the account of another, and who has none is led to connect one', async () => {
    await using keyed = await startScriptedUpstream({
      era: 'modern',
      act({ headers }, response) {
        if (headers.authorization !== undefined) return false
        response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
        return true
      },
    })
    const wire = { ...httpWire(keyed.url), auth: { kind: 'key' as const } }
    await using own = await startTestGateway({ connections: [{ alias: 'keyed', wire }] })
    const url = own.connectionUrl('keyed')
    const people = await Promise.all(
      ['ada', 'bob', 'eve'].map((name) =>
        joinPerson(`${name}@example.com`, {
          db: own.db,
          address: own.address,
          roles: [[own.organization.id, 'tenant_member']],
        }),
      ),
    )
    const [ada, bob, eve] = people.map(({ token, client }) => ({
      give: (key: string) => client('POST /api/v1/admin/tenants/default/connectors/keyed/accounts', { key }),
      call: () => callTool({ url, key: token, era: 'modern' }, 'good'),
    }))
    await ada?.give('key-of-ada')
    await bob?.give('key-of-bob')
    await until('the tool is there', async () => JSON.stringify((await ada?.call())?.answer).includes('no session'))
    const before = keyed.of('tools/call').length
    await Promise.all([ada, bob, eve, ada, bob, eve].map(async (person) => person?.call()))
    const shown = keyed.of('tools/call').slice(before)
    expect(shown.map(({ headers }) => String(headers.authorization)).toSorted(byText)).toEqual(
      ['key-of-ada', 'key-of-ada', 'key-of-bob', 'key-of-bob'].map((key) => `Bearer ${key}`),
    )
    expect((await eve?.call())?.text).toContain('/connect/')
  })

  test('CVE-2026-33032: every route has a rule that says who may, and asks for it', async () => {
    const ids = OPERATIONS.map(({ operation }) => operation.id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { operation } of OPERATIONS) {
      const { needs, method, path } = operation
      expect(['anyone', 'signed-in', 'platform', 'organization']).toContain(needs.of)
      if (needs.of === 'organization') {
        const named =
          needs.by === 'caller' ? /^[^{]*(\{(?!organization)\w+\}[^{]*)*$/ : `{${needs.by ?? 'organization'}}`
        expect([operation.id, path]).toEqual([
          operation.id,
          typeof named === 'string' ? expect.stringContaining(named) : expect.stringMatching(named),
        ])
      }
      if (needs.of === 'anyone') continue
      for (const headers of [
        {},
        { authorization: `Bearer uru_${'0'.repeat(64)}` },
        { authorization: 'Bearer a.b.c' },
      ]) {
        const { status } = await fetch(gateway.address + pathOf(path), { method, headers })
        expect([operation.id, status]).toEqual([operation.id, 401])
      }
    }
    for (const [method, path, who] of ROUTES) {
      const { status } = await fetch(gateway.address + path, { method, redirect: 'manual' })
      expect([path, status === 401]).toEqual([path, who === 'key'])
    }
  })

  test('CVE-2026-7663: over every transport, at every endpoint, no key or a wrong one is refused', async () => {
    const keys = [undefined, `uru_${'0'.repeat(64)}`, 'a.b.c', 'nonsense']
    for (const at of ENDPOINTS) {
      const url = `${gateway.address}${at}/mcp`
      for (const key of keys) {
        const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
        const send = (way: string, method: string, body?: unknown) =>
          fetch(`${gateway.address}${at}/${way}`, {
            method,
            headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          })
        const one = { jsonrpc: '2.0', id: 0, method: 'tools/list' }
        const statuses = [
          (await ask({ url, key, era: 'modern' }, 'tools/call', { name: 'up__echo' })).status,
          (await ask({ url, key, era: 'legacy' }, 'initialize')).status,
          (await send('mcp', 'POST', [one, one])).status,
          (await send('mcp', 'GET')).status,
          (await send('mcp', 'DELETE')).status,
          (await send('sse', 'GET')).status,
          (await send('messages?sessionId=x', 'POST', one)).status,
        ]
        expect(new Set(statuses)).toEqual(new Set([401]))
        await using line = await openLine({ way: 'socket', url, key })
        await until('the socket is closed', () => line.closed !== undefined)
        expect(line.closed?.code).toBe(4401)
        expect(line.heard).toEqual([])
      }
    }
  })

  test('GHSA-wvr4-3wq4-gpc5: where nobody set up a key, nothing is open', async () => {
    await using bare = await startTestGateway()
    await bare.db.system((sql) => sql(z.object({}))`delete from keys`)
    await until(
      'the key is forgotten',
      async () => (await ask({ ...peer, url: bare.url }, 'tools/list')).status === 401,
    )
    expect((await ask({ url: bare.url, key: undefined, era: 'modern' }, 'tools/list')).status).toBe(401)
  })

  test('GHSA-g53w-w6mj-hrpp: no header makes anybody more than the key says', async () => {
    const headers = {
      'mcp-init-host': 'up',
      'router-key': 'secret-api-key',
      'x-forwarded-user': 'admin',
      'x-user-id': 'operator',
      'x-organization': 'other',
      'x-tenant-id': 'other',
      'x-role': 'platform_admin',
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-original-url': '/health/live',
      'x-http-method-override': 'GET',
    }
    expect((await ask({ ...peer, key: undefined }, 'tools/list', {}, { headers })).status).toBe(401)
    expect((await fetch(`${gateway.address}/api/v1/admin/tenants`, { headers })).status).toBe(401)
    const mine = await ask({ ...peer, key: OTHER_KEY }, 'tools/list', {}, { headers })
    expect(mine.answer.result?.['tools']).toEqual([])
  })

  test('GHSA-wf8q-wvv8-p8jf: a name in a path or a query is no identity', async () => {
    for (const path of ['/admin/sse', '/alice/mcp', '/o/default/alice/sse', '/mcp/alice', '/sse/alice'])
      expect([401, 404]).toContain((await fetch(gateway.address + path)).status)
    for (const query of ['user=alice', `key=${gateway.key}`, `access_token=${gateway.key}`, 'sessionId=alice'])
      expect((await ask({ ...peer, url: `${gateway.url}?${query}`, key: undefined }, 'tools/list')).status).toBe(401)
    expect(
      (await ask({ ...peer, url: `${gateway.address}/o/default/t/default/mcp`, key: OTHER_KEY }, 'tools/list')).status,
    ).toBe(404)
  })

  test('GHSA-vgf8-3685-66j9: a token of another installation, or of another address of this one, is none', async () => {
    const keyOf = (id: string) => ({ id, ...generateKeyPairSync('ed25519') })
    const at = (issuer: string, key: ReturnType<typeof keyOf>) =>
      createAccessTokens({ issuer: () => issuer, keys: [key], lifetime: 60, now: Date.now })
    const [here, there] = [keyOf('one'), keyOf('one')]
    const claims = {
      sub: 'usr_1' as UserId,
      sid: 'fam_1' as never,
      epoch: 0,
      limit: 'execute',
      client_id: 'x',
      aud: 'https://a',
    } as const
    const own = at('https://a', here)
    expect((await own.read(await own.mint(claims))).sub).toBe('usr_1')
    await expect(own.read(await at('https://a', there).mint(claims))).rejects.toMatchObject({ code: 'token.unknown' })
    await expect(own.read(await at('https://staging', here).mint(claims))).rejects.toMatchObject({
      code: 'token.unknown',
    })
  })

  test('CF-3892: an id of a form that nobody expects names nothing', async () => {
    for (const id of [
      'zzz',
      'con_',
      '0x1',
      'null',
      'undefined',
      '-1',
      'UP',
      'up-',
      '__proto__',
      'constructor',
      'default',
    ]) {
      const path = `/api/v1/default/connectors/${id}/mcp`
      expect([id, (await ask({ ...peer, url: gateway.address + path }, 'tools/list')).status]).toEqual([id, 404])
    }
  })

  test('MSRC-112281: a session is good where it was opened and for who opened it', async () => {
    const { session } = await openSession(gateway.url, gateway.key)
    const single = gateway.connectionUrl('up')
    const at = (url: string, key: string) => ask({ url, key, era: 'legacy', session }, 'tools/list')
    expect((await at(gateway.url, gateway.key)).status).toBe(200)
    expect((await at(single, gateway.key)).status).toBe(404)
    expect((await at(gateway.url, OTHER_KEY)).status).toBe(404)
    expect((await at(gateway.url, LIMITED_KEY)).status).toBe(404)
  })

  test('CVE-2026-33252: names that differ in case, or come twice, mean what our parser says and nothing else', async () => {
    const send = async (body: string) => {
      const response = await fetch(gateway.connectionUrl('up'), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${gateway.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body,
      })
      await response.text()
    }
    const before = server.of('tools/call').length
    await send(
      '{"jsonrpc":"2.0","id":1,"METHOD":"tools/list","method":"tools/call","params":{"Name":"hidden","name":"echo","name":"echo","arguments":{"text":"a","Text":"b"}}}',
    )
    const [heard] = server.of('tools/call').slice(before)
    expect(heard?.params['name']).toBe('echo')
    await send('{"jsonrpc":"2.0","id":1,"Method":"tools/call","Params":{"name":"echo"}}')
    expect(server.of('tools/call')).toHaveLength(before + 1)
  })

  test('THV-6216: a tool that is not listed cannot be called, and answers as one that does not exist', async () => {
    const limited: RawPeer = { ...peer, url: `${gateway.address}/o/default/t/safe/mcp`, key: LIMITED_KEY }
    const { answer } = await ask(limited, 'tools/list')
    expect(answer.result?.['tools']).toMatchObject([{ name: 'up__echo' }])
    const before = server.of('tools/call').length
    const hidden = await callTool(limited, 'up__hidden')
    const missing = await callTool(limited, 'up__missing')
    expect(hidden.answer.error?.message).toBe(missing.answer.error?.message.replace('missing', 'hidden'))
    expect(hidden.answer.error?.code).toBe(missing.answer.error?.code)
    expect(server.of('tools/call')).toHaveLength(before)
  })

  test('THV-6235: cookies, keys and addresses of a caller reach no server', async () => {
    const headers = {
      cookie: 'session=tasty',
      'x-api-key': 'tasty',
      'proxy-authorization': 'tasty',
      'x-forwarded-for': '203.0.113.77',
    }
    await callTool(peer, 'up__echo', { text: 'x' }, { headers })
    const sent = JSON.stringify(server.heard)
    for (const secret of ['tasty', gateway.key, '203.0.113.77']) expect(sent).not.toContain(secret)
    expect(
      server.heard.every(({ headers }) => headers.cookie === undefined && headers.authorization === undefined),
    ).toBe(true)
  })

  test('CVE-2026-25536: a thousand clients that all use id 0 each get their own answer', async () => {
    const texts = Array.from({ length: 1_000 }, (_, at) => `client ${at}`)
    const answers = await inLanes(
      CROWD,
      texts,
      async (text) => (await callTool(peer, 'up__echo', { text }, { id: 0 })).answer,
    )
    expect(answers.map(({ result }) => result?.content?.[0]?.text)).toEqual(texts)
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([0]))
    const ids = server.of('tools/call').map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('CVE-2025-6515: sessions have names of 122 random bits, and no two are alike', async () => {
    const names: string[] = []
    for (let n = 0; n < 50; n++) names.push((await openSession(gateway.url, gateway.key)).session)
    expect(new Set(names).size).toBe(50)
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}$/)
    // The positions that are the same in all names are those fixed in a random UUID.
    const fixed = Array.from({ length: 32 }, (_, at) => new Set(names.map((name) => name[at])).size === 1)
    expect(fixed.flatMap((same, at) => (same ? [at] : []))).toEqual([12])
  })

  test('CVE-2026-44430: no form of an address leads where its plain form may not', () => {
    for (const address of [
      '2002:7f00:1::',
      '2002:a00:1::1',
      '64:ff9b::7f00:1',
      '64:ff9b:1::a00:1',
      'fec0::1',
      '::ffff:169.254.169.254',
      '::7f00:1',
      '::',
    ]) {
      expect([
        address,
        isAllowed(address, { allowPrivate: false }),
        isAllowed(address, { allowPrivate: true }),
      ]).toEqual([address, false, false])
    }
    for (const address of ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::1', 'fd00::1'])
      expect(isAllowed(address, { allowPrivate: false })).toBe(false)
  })
})

const root = join(import.meta.dirname, '../..')
const cell = (text: string) => text.replaceAll('|', '\\|')

describe('the table of lessons', () => {
  test('names tests that are there', () => {
    const lost = LESSONS.flatMap(({ held }) => held).filter((one) => {
      const at = one.indexOf(': ')
      const text = readFileSync(join(root, one.slice(0, at)), 'utf8')
      return !text.includes(one.slice(at + 2))
    })
    expect(lost).toEqual([])
  })

  test('says why there is none where there is none', () => {
    for (const { id, held, why } of LESSONS) expect([id, held.length > 0]).toEqual([id, why === undefined])
  })

  test('is the page that people read', async () => {
    const rows = LESSONS.map(
      ({ id, where, lesson, held, why }) =>
        `| ${id} | ${cell(where)} | ${cell(lesson)} | ${held.length === 0 ? `not here: ${why}` : held.map((one) => `\`${cell(one)}\``).join('<br>')} |`,
    )
    const page = [
      '# What went wrong elsewhere, and what holds it here',
      '',
      'Advisories of gateways, SDKs and servers, the lesson of each, and the tests that hold it. Made by `npm test -- test/security -u` from `test/security/lessons.ts`; a test that is gone or has another name fails.',
      '',
      '| advisory | where | lesson | held by |',
      '|---|---|---|---|',
      ...rows,
      '',
    ].join('\n')
    await expect(page).toMatchFileSnapshot('../../docs/security/advisories.md')
  })
})
