/** A native connector behind the gateway: connected, listed and called, with a fake of GitHub's API that answers as its reference says. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { toolNames } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'

const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
const TOKEN = 'gho_0123456789abcdefghijklmnopqrstuvwxyz'

interface Heard {
  readonly line: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}
interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly text?: string
}

const issue = (number: number) => ({ number, title: `Issue ${number}`, state: 'open', html_url: `https://x/${number}` })

const parts = new AsyncDisposableStack()
const heard: Heard[] = []
let replies: Reply[] = []
const UNKNOWN: Reply = { status: 404, json: { message: 'Not Found' } }
/** Answered where no reply is left. */
let otherwise = UNKNOWN
/** Connections that were opened to the vendor. */
let opened = 0
let address: string
let gateway: TestGateway
let platform: Ask
let added: Awaited<ReturnType<Ask>>

beforeAll(async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url, headers } = request
      heard.push({ line: `${method} ${url}`, headers, body: Buffer.concat(chunks).toString('utf8') })
      const reply = replies.shift() ?? otherwise
      const type = reply.text === undefined ? 'application/json; charset=utf-8' : 'text/html'
      response.writeHead(reply.status, { 'content-type': type, ...reply.headers })
      response.end(reply.text ?? (reply.json === undefined ? '' : JSON.stringify(reply.json)))
    })
  })
  server.on('connection', () => (opened += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  parts.defer(() => new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3`
  gateway = parts.use(await startTestGateway({}))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  added = await platform(`POST ${CONNECTORS}`, {
    alias: 'github',
    connector: 'native',
    native: { vendor: 'github' },
    url: address,
    private: true,
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  await until('its tools are listed', async () => (await names()).length > 0)
})
beforeEach(() => {
  heard.length = 0
  replies = []
  otherwise = UNKNOWN
})
afterAll(() => parts.disposeAsync())

const names = () => toolNames(gateway, gateway.connectionUrl('github'))
const call = async (name: string, given: object) =>
  (
    await ask({ url: gateway.connectionUrl('github'), key: gateway.key, era: 'modern' }, 'tools/call', {
      name,
      arguments: given,
    })
  ).answer
const speak = async (method: string, params: Record<string, unknown>) =>
  (await ask({ url: gateway.connectionUrl('github'), key: gateway.key, era: 'modern' }, method, params)).answer
const read = (uri: string) => speak('resources/read', { uri })
const templates = async () => {
  const { result } = await speak('resources/templates/list', {})
  const listed = (result?.['resourceTemplates'] ?? []) as { uriTemplate: string }[]
  return listed.map(({ uriTemplate }) => uriTemplate)
}
const faultOf = (answer: Awaited<ReturnType<typeof call>>) =>
  (answer.result?.['_meta'] as Record<string, Record<string, unknown>> | undefined)?.['dev.toolway/fault']

describe('a native connector', () => {
  test('is a connection that names its vendor and asks for an account there', () => {
    expect(added.status, added.text).toBe(201)
    expect(added.body).toMatchObject({
      connector: 'native',
      native: { vendor: 'github' },
      auth: { kind: 'oauth', provider: 'github' },
    })
    expect(added.text).not.toContain(TOKEN)
  })

  test('lists its tools under their full names, with effects and output schemas', async () => {
    const { answer } = await ask(
      { url: gateway.connectionUrl('github'), key: gateway.key, era: 'modern' },
      'tools/list',
    )
    const tools = answer.result?.['tools'] as { name: string; annotations: object; outputSchema: object }[]
    expect(tools).toHaveLength(27)
    const [listed, created] = ['github_list_issues', 'github_create_issue'].map((name) =>
      tools.find((tool) => tool.name === name),
    )
    expect(listed).toMatchObject({ annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } })
    expect(created).toMatchObject({ annotations: { readOnlyHint: false, destructiveHint: false } })
  })

  test('S3-MCP-09: a call goes to the vendor with the credential, and its answer comes back as structure', async () => {
    replies = [
      { status: 200, json: [{ id: 1, name: 'r', full_name: 'o/r', private: false, html_url: 'https://x/o/r' }] },
    ]
    const { result } = await call('github_list_repositories', {})
    expect(result?.isError).not.toBe(true)
    expect(result?.['structuredContent']).toMatchObject({ items: [{ full_name: 'o/r' }] })
    expect(heard).toHaveLength(1)
    expect(heard[0]?.line).toBe('GET /api/v3/user/repos?type=all&sort=updated&per_page=10')
    expect(heard[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
    })
  })

  test('pages by a cursor, and goes to no other host', async () => {
    const link = (to: string) => ({ link: `<${to}>; rel="next"` })
    replies = [
      {
        status: 200,
        json: [issue(1)],
        headers: link('https://api.github.com/repositories/1/issues?page=2&per_page=1'),
      },
      { status: 200, json: [issue(2)] },
      { status: 200, json: [issue(3)], headers: link('https://evil.example/repos/o/r/issues?page=2') },
    ]
    const given = { owner: 'o', repo: 'r', per_page: 1 }
    const first = (await call('github_list_issues', given)).result?.['structuredContent'] as { next_cursor: string }
    expect(first).toMatchObject({ items: [{ number: 1 }], next_cursor: expect.any(String) })
    const second = await call('github_list_issues', { ...given, cursor: first.next_cursor })
    expect(second.result?.['structuredContent']).toMatchObject({ items: [{ number: 2 }] })
    expect(heard[1]?.line).toContain('page=2')
    const third = (await call('github_list_issues', given)).result?.['structuredContent']
    expect(third).toMatchObject({
      items: [{ number: 3 }],
      note: expect.stringContaining('does not lead to the server'),
    })
    expect(third).not.toHaveProperty('next_cursor')
  })

  test('refuses arguments that its schema does not allow, and sends nothing', async () => {
    expect(faultOf(await call('github_get_issue', { owner: 'o' }))).toMatchObject({ code: 'INVALID_ARGUMENT' })
    const climbing = await call('github_get_issue', { owner: 'o', repo: '../../..', issue_number: 1 })
    expect(climbing.error?.message).toContain('/arguments/repo')
    expect(heard).toEqual([])
  })

  test.each([
    [404, { message: 'Not Found' }, 'connector.missing', 'NOT_FOUND'],
    [403, { message: 'Must have admin rights' }, 'connector.forbidden', 'PERMISSION_DENIED'],
    [422, { message: 'Validation Failed', errors: [{ field: 'title' }] }, 'connector.arguments', 'INVALID_ARGUMENT'],
    [418, { message: 'I am a teapot' }, 'connector.failed', 'EXECUTION_ERROR'],
  ])('S3-CON-14: HTTP %i of the vendor is a fault in its own words', async (status, json, fault, code) => {
    replies = [{ status, json, headers: { 'x-github-request-id': 'ABCD:1' } }]
    const answer = await call('github_create_issue', { owner: 'o', repo: 'r', title: 't' })
    expect(answer.result?.isError).toBe(true)
    expect(faultOf(answer)).toMatchObject({
      fault,
      code,
      message: expect.stringContaining(json.message),
      details: { provider_status: status, request_id: 'ABCD:1' },
    })
    expect(heard).toHaveLength(1)
  })

  test('a credential that the vendor repeats is masked', async () => {
    replies = [{ status: 422, json: { message: `Bad token ${TOKEN}` } }]
    const answer = await call('github_create_issue', { owner: 'o', repo: 'r', title: 't' })
    expect(JSON.stringify(answer)).not.toContain(TOKEN)
  })

  test.each([
    ['a read', 429, 2],
    ['a write', 429, 2],
    ['a read', 503, 2],
    ['a write', 503, 1],
  ])('S3-CON-12: %s that the vendor answers with HTTP %i is sent so often: %i', async (kind, status, times) => {
    replies = [
      { status, json: { message: 'later' }, headers: { 'retry-after': '1' } },
      { status: 200, json: issue(7) },
    ]
    const answer = await (kind === 'a read'
      ? call('github_get_issue', { owner: 'o', repo: 'r', issue_number: 7 })
      : call('github_create_issue', { owner: 'o', repo: 'r', title: 't' }))
    expect(heard).toHaveLength(times)
    if (times === 2) expect(answer.result?.['structuredContent']).toMatchObject({ number: 7 })
    else expect(faultOf(answer)).toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('a limit of the vendor that says 403 is a limit', async () => {
    const reset = String(Math.floor(Date.now() / 1000) + 600)
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
    replies = [{ status: 403, json: { message: 'API rate limit exceeded' }, headers }]
    expect(faultOf(await call('github_get_issue', { owner: 'o', repo: 'r', issue_number: 1 }))).toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
    })
  })

  test('a page of HTML where data should be is a failure in words', async () => {
    replies = [{ status: 200, text: '<html>Sign in</html>' }]
    expect(faultOf(await call('github_create_issue', { owner: 'o', repo: 'r', title: 't' }))).toMatchObject({
      fault: 'connector.failed',
    })
  })

  test('S3-CON-10: resources are addresses that its read tools answer', async () => {
    expect(await templates()).toEqual(['github://{owner}/{repo}', 'github://{owner}/{repo}/{+path}'])
    replies = [{ status: 200, json: { name: 'r', full_name: 'o/r', html_url: 'https://x/o/r' } }]
    const { result } = await read('github://o/r')
    const content = (result?.['contents'] as { uri: string; mimeType: string; text: string }[] | undefined)?.[0]
    expect(content).toMatchObject({ uri: 'github://o/r', mimeType: 'application/json' })
    expect(JSON.parse(content?.text ?? '')).toMatchObject({ full_name: 'o/r' })
    expect(heard.map(({ line }) => line)).toEqual(['GET /api/v3/repos/o/r'])
    replies = [{ status: 404, json: { message: 'Not Found' } }]
    expect((await read('github://o/gone')).error).toMatchObject({ data: { fault: 'connector.missing' } })
    for (const uri of ['github://o', 'github://o/r?x=1', 'gitlab://project/1'])
      expect((await read(uri)).error).toMatchObject({ data: { uri } })
  })

  test('a resource is kept from those who may not call the tool that reads it', async () => {
    const off = (enabled: boolean) => platform(`PATCH ${CONNECTORS}/github/tools/github_get_repository`, { enabled })
    await off(false)
    try {
      expect(await templates()).toEqual(['github://{owner}/{repo}/{+path}'])
      expect((await read('github://o/r')).error).toMatchObject({ data: { uri: 'github://o/r' } })
      expect(heard).toEqual([])
    } finally {
      await off(true)
    }
    const rules = '/api/v1/organizations/default/rules'
    const match = { tools: ['*get_file_content'] }
    const rule = await platform(`POST ${rules}`, {
      name: 'secrets',
      action: 'hide',
      match,
      reason: 'It holds secrets.',
    })
    expect(rule.status, rule.text).toBe(201)
    try {
      await until('the rule holds', async () => !(await templates()).includes('github://{owner}/{repo}/{+path}'))
      expect((await read('github://o/r/.env')).error).toMatchObject({ data: { uri: 'github://o/r/.env' } })
      expect(heard).toEqual([])
    } finally {
      await platform(`DELETE ${rules}/${String(rule.body['id'])}`)
    }
  })

  test('S3-CON-15: many calls share few connections to the vendor', async () => {
    const before = opened
    replies = Array.from({ length: 40 }, () => ({ status: 200, json: issue(1) }))
    for (let round = 0; round < 8; round += 1)
      await Promise.all(
        Array.from({ length: 5 }, () => call('github_get_issue', { owner: 'o', repo: 'r', issue_number: 1 })),
      )
    expect(heard).toHaveLength(40)
    expect(opened - before).toBeLessThan(10)
  })

  test('its vendor stays, and an unknown vendor is refused by name', async () => {
    const changed = await platform(`PUT ${CONNECTORS}/github`, { native: { vendor: 'slack' } })
    expect([changed.status, changed.text]).toEqual([422, expect.stringContaining('/native/vendor')])
    const refused = await platform(`POST ${CONNECTORS}`, {
      alias: 'x',
      connector: 'native',
      native: { vendor: 'nobody' },
    })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('is not one of')])
  })
})

describe('a vendor that takes a key', () => {
  const KEY = 'key_0123456789abcdef'
  const ACCOUNTS = `${CONNECTORS}/cursor/accounts`
  let made: Awaited<ReturnType<typeof platform>>
  beforeAll(async () => {
    made = await platform(`POST ${CONNECTORS}`, {
      alias: 'cursor',
      connector: 'native',
      native: { vendor: 'cursor' },
      url: address,
      private: true,
    })
  })
  const give = () => platform(`POST ${ACCOUNTS}`, { key: KEY, check: true, owner: 'organization' })

  test('tries a key by asking whose it is, and keeps none that is refused', async () => {
    expect([made.status, made.body['auth']]).toMatchObject([201, { kind: 'key' }])
    replies = [{ status: 401, json: { error: 'Unauthorized' } }]
    const refused = await give()
    expect([refused.body['code'], refused.text]).toEqual(['upstream.needs-auth', expect.not.stringContaining(KEY)])
    expect(heard).toHaveLength(1)
    replies = [{ status: 200, json: { teamMembers: [] } }]
    const kept = await give()
    expect([kept.status, kept.body['name']], kept.text).toEqual([201, null])
    expect(heard[1]?.headers.authorization).toBe(`Basic ${Buffer.from(`${KEY}:`).toString('base64')}`)
  })

  test('a test of the connection asks the vendor whose account it is, and says what the vendor says', async () => {
    const tried = async () => (await platform(`POST ${CONNECTORS}/cursor/tools/sync`)).body
    otherwise = { status: 401, json: { error: 'Unauthorized' } }
    expect(await tried()).toMatchObject({ ok: false, failure: { code: 'upstream.needs-auth' } })
    otherwise = { status: 200, json: { teamMembers: [] } }
    // The vendor responds, and still no call would send the key that it refused.
    expect(await tried()).toMatchObject({ ok: false, failure: { code: 'connection.needs' } })
    expect((await give()).status).toBe(201)
    expect(await tried()).toMatchObject({ ok: true, tools: 18 })
    expect(heard.every(({ line }) => line === 'GET /api/v3/teams/members')).toBe(true)
    // A vendor that counts too many calls is there.
    otherwise = { status: 429, headers: { 'retry-after': '60' }, json: { error: 'Too many' } }
    expect(await tried()).toMatchObject({ ok: true })
  })

  test('an account has the name that the vendor tells of a key', async () => {
    const keyed = { alias: 'hub', connector: 'native', native: { vendor: 'github' }, auth: { kind: 'key' } }
    expect((await platform(`POST ${CONNECTORS}`, { ...keyed, url: address, private: true })).status).toBe(201)
    replies = [{ status: 200, json: { login: 'ada', id: 7, name: 'Ada' } }]
    const accounts = `${CONNECTORS}/hub/accounts`
    const kept = await platform(`POST ${accounts}`, { key: 'ghp_1', check: true, owner: 'organization' })
    expect([kept.status, kept.body['name']], kept.text).toEqual([201, 'ada'])
    expect((await platform(`GET ${accounts}`)).body['items']).toMatchObject([{ account: 'default', name: 'ada' }])
  })
})
