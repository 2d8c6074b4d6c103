/** REST servers behind their OpenAPI documents: looked at, connected, called, and renewed, through the doors that people use. */
// @module-tag long
import { zipSync } from 'fflate'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { documentText } from '../../../packages/gateway/src/testing/openapi-documents.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, callTool, openSession, type RawPeer } from '../peers/clients/raw-client.ts'
import { toolNames } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Answered, type Ask } from '../peers/people/administrators.ts'
import { startDouble, type OpenApiDouble } from '../peers/servers/openapi-double.ts'
import { until } from '../peers/until.ts'

const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
const KEY = 'a-key-that-nobody-may-read'
const GITHUB = documentText('github')
const packed = (text: string) => gzipSync(text).toString('base64')

const parts = new AsyncDisposableStack()
let github: OpenApiDouble
let gateway: TestGateway
let admin: Ask
let platform: Ask
beforeAll(async () => {
  github = parts.use(await startDouble(GITHUB, '/api/v3'))
  gateway = parts.use(await startTestGateway({ settings: { TOOLWAY_BODY_LIMIT: '4194304' } }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

const modern = (alias: string): RawPeer => ({ url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' })
const callOf = async (alias: string, tool: string, given: object) =>
  (await ask(modern(alias), 'tools/call', { name: tool, arguments: given })).answer
const textOf = (answer: Awaited<ReturnType<typeof callOf>>) =>
  answer.result?.content?.[0]?.text ?? JSON.stringify(answer)
const lists = (alias: string, tool: string) =>
  until(`${alias} lists ${tool}`, async () => (await toolNames(gateway, gateway.connectionUrl(alias))).includes(tool))

/** Answers that others have to get while one document is read: a gateway that read it on its own thread gives some twenty around it. */
const OTHERS = 50

/** The result of a request, during which others are answered, however long it takes. */
async function meanwhile<Result>(asked: Promise<Result>): Promise<Result> {
  let isOver = false
  let answered = 0
  const ended = asked.finally(() => (isOver = true))
  ended.catch(() => {})
  for (; !isOver; answered++) {
    await (await fetch(`${gateway.address}/health/live`)).text()
    await sleep(5)
  }
  const result = await ended
  expect(answered).toBeGreaterThan(OTHERS)
  return result
}

describe("a look at GitHub's document", () => {
  test('says what every operation would become, and keeps nothing', async () => {
    const asked = admin(`POST ${CONNECTORS}/openapi/preview`, { document_gzip: packed(GITHUB) })
    const { status, body } = await meanwhile(asked)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      format: '3.0.3',
      url: 'https://api.github.com/',
      counts: { tools: 1222, left_out: 1, unselected: 0 },
      left_out: [{ operation: 'repos/upload-release-asset', reason: expect.stringContaining('another address') }],
    })
    expect(body['operations']).toHaveLength(1222)
    expect(body['notes'].at(-1)).toContain('more than a model can choose from reliably')
    expect((await admin(`GET ${CONNECTORS}`)).body['total']).toBe(0)
  })

  test('may be given as a ZIP archive with the files that it refers to; what is wrong with one is said', async () => {
    const root = 'openapi: 3.0.3\nservers: [{ url: https://a.example.com }]\npaths:\n  /a: { $ref: "a.yml" }\n'
    const archive = (files: Record<string, string>) =>
      Buffer.from(
        zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))),
      ).toString('base64')
    const preview = (body: object) => admin(`POST ${CONNECTORS}/openapi/preview`, body)
    const { status, body } = await preview({
      document_zip: archive({ 'openapi.yaml': root, 'a.yml': 'get: { operationId: packed }' }),
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ operations: [{ name: 'packed' }], left_out: [] })
    const refused = await preview({ document_zip: archive({ '../openapi.yaml': root }) })
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).toContain('which leads out of it')
    expect(JSON.stringify((await preview({ document_gzip: archive({ 'a.yml': root }) })).body)).toContain(
      'document_zip',
    )
    expect((await preview({ document_zip: packed('x') })).status).toBe(422)
  })

  test('is refused where the address is private, unless the platform says so', async () => {
    const { document } = github
    expect((await admin(`POST ${CONNECTORS}/openapi/preview`, { document_url: document })).status).toBe(403)
    expect((await admin(`POST ${CONNECTORS}/openapi/preview`, { document_url: document, private: true })).status).toBe(
      403,
    )
    const { body } = await platform(`POST ${CONNECTORS}/openapi/preview`, { document_url: document, private: true })
    expect(body['counts']).toMatchObject({ tools: 1222 })
  })

  test.each([
    ['no document', 'hello: world', 'openapi.unreadable'],
    ['nothing at all', '{', 'openapi.unreadable'],
    ['a newer version', '{"openapi":"4.0.0"}', 'openapi.unreadable'],
  ])('of %s is refused with what is wrong', async (_, document, fault) => {
    const { status, text } = await admin(`POST ${CONNECTORS}/openapi/preview`, { document })
    expect(status).toBe(422)
    expect(text).toContain(fault)
  })
})

describe('calls of a server that takes only what its description says', () => {
  let connected: Answered
  beforeAll(async () => {
    connected = await platform(`POST ${CONNECTORS}/openapi`, {
      alias: 'github',
      document_gzip: packed(GITHUB),
      url: github.url,
      select: { include: ['tag:issues', 'tag:repos', 'tag:search', 'tag:markdown'] },
      headers: { 'x-fixed': 'f1xed-secret' },
    })
    await lists('github', 'issues_create')
  })

  test('come from a connection that shows what it was made of, and no secret', () => {
    expect(connected.status, connected.text).toBe(201)
    const { url } = github
    expect(connected.body).toMatchObject({ connector: 'openapi', url, private: true, openapi: { document: null } })
    expect(connected.text).not.toContain('f1xed-secret')
  })

  test('arrive as they were said: path, query and body', async () => {
    const given = { owner: 'o r/ü', repo: 'r', title: 'It breaks', labels: ['bug'], assignees: [] }
    const created = await callOf('github', 'issues_create', given)
    expect(created.result?.isError, textOf(created)).not.toBe(true)
    expect(created.result?.['structuredContent']).toMatchObject({ title: 'Found a bug' })
    const last = github.heard.at(-1)
    expect(last).toMatchObject({ method: 'POST', path: '/repos/o%20r%2F%C3%BC/r/issues' })
    expect(JSON.parse(last?.body ?? '')).toEqual({ title: 'It breaks', labels: ['bug'], assignees: [] })
    expect(last?.headers).toMatchObject({ 'x-fixed': 'f1xed-secret', 'content-type': 'application/json' })

    const listed = await callOf('github', 'issues_list-for-repo', { owner: 'o', repo: 'r', state: 'all', per_page: 5 })
    expect(listed.result?.isError, textOf(listed)).not.toBe(true)
    expect(github.heard.at(-1)?.query).toEqual([
      ['state', 'all'],
      ['per_page', '5'],
    ])
    const raw = await callOf('github', 'markdown_render-raw', { body: '# Hello' })
    expect(raw.result?.isError, textOf(raw)).not.toBe(true)
    expect(github.heard.at(-1)).toMatchObject({ body: '# Hello', headers: { 'content-type': 'text/plain' } })
  })

  test('reach clients of both eras', async () => {
    const session = await openSession(gateway.connectionUrl('github'), gateway.key)
    const { answer } = await callTool(session, 'repos_get', { owner: 'o', repo: 'r' })
    expect(answer.result?.['structuredContent']).toMatchObject({ full_name: 'octocat/Hello-World' })
    expect(JSON.parse(answer.result?.content?.[0]?.text ?? '')).toMatchObject({ full_name: 'octocat/Hello-World' })
  })

  test('that lead elsewhere are refused before anything is sent', async () => {
    const before = github.heard.length
    for (const owner of ['..', '../../admin', '%2e%2e', 'a\r\nHost: evil'])
      expect(textOf(await callOf('github', 'repos_get', { owner, repo: 'r' }))).toMatch(/owner|Invalid params/)
    expect(github.heard).toHaveLength(before)
  })

  test("are answered with the server's own words where it says no", async () => {
    github.next.push({
      status: 404,
      headers: { 'content-type': 'application/json' },
      body: '{"message":"Not Found f1xed-secret"}',
    })
    const answer = await callOf('github', 'repos_get', { owner: 'o', repo: 'none' })
    expect(answer.result).toMatchObject({ isError: true })
    expect(textOf(answer)).toContain('HTTP 404')
    expect(textOf(answer)).toContain('Not Found')
    expect(textOf(answer)).not.toContain('f1xed-secret')
  })

  test('a write is sent once, whatever becomes of it; a read is asked again', async () => {
    const sent = () => github.heard.length
    const create = () => callOf('github', 'issues_create', { owner: 'o', repo: 'r', title: 'x' })
    const read = () => callOf('github', 'repos_get', { owner: 'o', repo: 'r' })
    for (const failure of [
      'cut',
      { status: 503 },
      { status: 302, headers: { location: '/api/v3/elsewhere' } },
    ] as const) {
      const before = sent()
      github.next.push(failure)
      expect((await create()).result).toMatchObject({ isError: true })
      expect(sent() - before, JSON.stringify(failure)).toBe(1)
    }
    const before = sent()
    github.next.push({ status: 503 })
    expect((await read()).result?.isError).not.toBe(true)
    expect(sent() - before).toBe(2)
  })

  test('a reader is sent on below the same address, and nowhere else', async () => {
    github.next.push({ status: 301, headers: { location: '/api/v3/repos/o/new' } })
    expect((await callOf('github', 'repos_get', { owner: 'o', repo: 'old' })).result?.isError).not.toBe(true)
    expect(github.heard.at(-1)?.path).toBe('/repos/o/new')
    const before = github.heard.length
    for (const location of ['http://127.0.0.1:1/api/v3/x', '/admin', '/api/v3/%2e%2e/admin']) {
      github.next.push({ status: 302, headers: { location } })
      expect((await callOf('github', 'repos_get', { owner: 'o', repo: 'old' })).result).toMatchObject({ isError: true })
    }
    expect(github.heard).toHaveLength(before + 3)
  })

  test('who asks too often is told to wait; pictures, texts and packed answers are what they are', async () => {
    github.next.push({ status: 429, headers: { 'retry-after': '3600' } })
    expect(textOf(await callOf('github', 'issues_create', { owner: 'o', repo: 'r', title: 'x' }))).toContain(
      'RATE_LIMITED',
    )
    const got = async (headers: Record<string, string>, body: string | Buffer) => {
      github.next.push({ status: 200, headers, body })
      return (await callOf('github', 'repos_get', { owner: 'o', repo: 'r' })).result
    }
    expect((await got({ 'content-type': 'image/png' }, Buffer.from('png')))?.content).toEqual([
      { type: 'image', data: 'cG5n', mimeType: 'image/png' },
    ])
    expect((await got({ 'content-type': 'text/plain' }, 'hello'))?.content).toEqual([{ type: 'text', text: 'hello' }])
    expect(await got({ 'content-type': 'application/zip' }, 'PK')).toMatchObject({ isError: true })
    expect(await got({ 'content-type': 'application/json', 'content-encoding': 'gzip' }, 'x')).toMatchObject({
      isError: true,
    })
  })
})

describe('credentials', () => {
  test('a key goes where the document wants it, from the vault, and is asked for where there is none', async () => {
    const document = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Weather', version: '1' },
      components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'appid' } } },
      security: [{ key: [] }],
      paths: {
        '/now': {
          get: {
            operationId: 'now',
            parameters: [{ name: 'city', in: 'query', schema: { type: 'string' } }],
            responses: { 200: { description: 'ok', content: { 'application/json': { example: { warm: true } } } } },
          },
        },
      },
    })
    await using weather = await startDouble(document)
    weather.wants = { query: 'appid', value: KEY }
    const added = await platform(`POST ${CONNECTORS}/openapi`, { alias: 'weather', document, url: weather.url })
    expect(added.body, added.text).toMatchObject({
      auth: { kind: 'key' },
      openapi: { key: { in: 'query', name: 'appid' } },
    })
    await lists('weather', 'now')
    expect(textOf(await callOf('weather', 'now', { city: 'Oslo' }))).toContain('NEEDS_AUTH')
    expect(weather.heard).toHaveLength(0)
    const given = await admin(`POST ${CONNECTORS}/weather/accounts`, { key: KEY, owner: 'organization' })
    expect(given.status, given.text).toBeLessThan(300)
    weather.next.push({ status: 200, headers: { 'content-type': 'application/json' }, body: '{"warm":true}' })
    expect(textOf(await callOf('weather', 'now', { city: 'Oslo' }))).toBe('{"warm":true}')
    expect(weather.heard.at(-1)?.query).toEqual([
      ['city', 'Oslo'],
      ['appid', KEY],
    ])
    // A server that repeats what it was sent tells nobody the key.
    weather.next.push({ status: 400, headers: { 'content-type': 'text/plain' }, body: `bad appid=${KEY}` })
    expect(textOf(await callOf('weather', 'now', { city: 'x' }))).not.toContain(KEY)
  })
})

describe('a newer document', () => {
  const shop = (paths: object, version = '1') =>
    JSON.stringify({ openapi: '3.0.3', info: { title: 'Shop', version }, servers: [{ url: '/' }], paths })
  const order = (schema: object, rest: object = {}) => ({
    operationId: 'orders',
    parameters: [{ name: 'kind', in: 'query', schema }],
    responses: { 200: { description: 'ok' } },
    ...rest,
  })

  test('is shown before it comes in, and its tools go through the lock', async () => {
    const before = shop({
      '/orders': { get: order({ type: 'string', enum: ['a', 'b'] }) },
      '/old': { get: order({}, { operationId: 'old' }) },
    })
    await using server = await startDouble(before)
    const added = await platform(`POST ${CONNECTORS}/openapi`, {
      alias: 'shop',
      document_url: server.document,
      private: true,
    })
    expect(added.status, added.text).toBe(201)
    expect(added.body).toMatchObject({ url: `${server.url}/`, openapi: { document: server.document } })
    await lists('shop', 'orders')
    await admin(`PUT ${CONNECTORS}/shop/lock`, { mode: 'additions' })

    server.publish(
      shop(
        {
          '/orders': { get: order({ type: 'string', enum: ['a'] }) },
          '/new': { delete: order({}, { operationId: 'wipe' }) },
        },
        '2',
      ),
    )
    const shown = await admin(`POST ${CONNECTORS}/shop/openapi/refresh`, {})
    expect(shown.body).toMatchObject({
      applied: false,
      same: false,
      version: { before: '1', after: '2' },
      drift: {
        added: [{ name: 'wipe', effect: 'destructive', held: false }],
        removed: ['old'],
        changed: [{ name: 'orders', what: ['arguments'], arguments: 'narrower', effect: null, held: true }],
      },
    })
    expect((await toolNames(gateway, gateway.connectionUrl('shop'))).toSorted()).toEqual(['old', 'orders'])

    const applied = await admin(`POST ${CONNECTORS}/shop/openapi/refresh`, { apply: true })
    expect(applied.body, applied.text).toMatchObject({ applied: true })
    await until(
      'the changed one is held',
      async () => JSON.stringify(await toolNames(gateway, gateway.connectionUrl('shop'))) === '["wipe"]',
    )
    expect((await admin(`POST ${CONNECTORS}/shop/openapi/refresh`, {})).body).toMatchObject({
      same: true,
      applied: false,
    })
  })

  test('selections and effects are changed like any setting', async () => {
    const paths = {
      '/orders': {
        post: order({ type: 'string' }, { operationId: 'search' }),
        get: order({}, { operationId: 'list' }),
      },
    }
    await using server = await startDouble(shop(paths))
    await platform(`POST ${CONNECTORS}/openapi`, { alias: 'store', document: shop(paths), url: server.url })
    await lists('store', 'search')
    const changed = await platform(`PUT ${CONNECTORS}/store`, {
      openapi: { select: { include: ['search'] }, effects: { search: 'read' } },
    })
    expect(changed.body, changed.text).toMatchObject({ openapi: { effects: { search: 'read' } } })
    await until('only one is left', async () => (await toolNames(gateway, gateway.connectionUrl('store'))).length === 1)
    const { body } = await admin(`GET ${CONNECTORS}/store/tools`)
    expect(body['items']).toMatchObject([{ name: 'search', effect: 'read' }])
  })
})

describe('a declaration file', () => {
  test('names a document by its address, which is fetched once and then kept', async () => {
    await using server = await startDouble(documentText('notion'))
    const api = { document: server.document, select: { exclude: [] }, effects: {}, key: undefined }
    const wire = { kind: 'openapi' as const, url: server.url, headers: {}, auth: { kind: 'none' as const }, api }
    await using declared = await startTestGateway({ connections: [{ alias: 'notion', wire }] })
    expect(await declared.settled('notion')).toMatchObject({ status: 'connected', tools: 24 })
    server.publish('{"openapi":"3.1.0","paths":{}}')
    await declared.restart()
    expect(await declared.settled('notion')).toMatchObject({ status: 'connected', tools: 24 })
    server.publish(documentText('notion'))
    const peer: RawPeer = { url: declared.connectionUrl('notion'), key: declared.key, era: 'modern' }
    const { answer } = await callTool(peer, 'get-self')
    expect(answer.result?.isError, JSON.stringify(answer)).not.toBe(true)
    expect(server.heard.at(-1)).toMatchObject({ method: 'GET', path: '/v1/users/me' })
  })
})
