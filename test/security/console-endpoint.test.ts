/** The one MCP endpoint that looks at cookies: whose page may use it, as whom, and for how long. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser, PASSWORD } from '../../packages/gateway/src/testing/people.ts'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { MODERN_META } from '../e2e/peers/clients/raw-client.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const server = parts.use(await startEverythingServer({ era: 'modern' }))
  gateway = parts.use(
    await startTestGateway({
      connections: [
        { alias: 'every', title: 'Every', enabled: true, revision: 'auto', timeout: 30, wire: httpWire(server.url) },
      ],
      others: [{ slug: 'other', name: 'Other', connections: [], toolsets: [], keys: [] }],
    }),
  )
  const organization = gateway.organization.id
  await addPerson(gateway.db, { email: 'ada@example.com', roles: [[organization, 'tenant_member']] })
  await addPerson(gateway.db, { email: 'bob@example.com', roles: [[organization, 'tenant_member']] })
  await addPerson(gateway.db, { email: 'vera@example.com', roles: [[organization, 'tenant_viewer']] })
  await until('the tools are known', async () =>
    (await ask(await signedIn('ada'), 'tools/list')).text.includes('test_simple_text'),
  )
})
afterAll(() => parts.disposeAsync())

type Browser = ReturnType<typeof createBrowser>
async function signedIn(name: string): Promise<Browser> {
  const browser = createBrowser(gateway.address)
  await browser.submit('/sign-in', { email: `${name}@example.com`, password: PASSWORD })
  return browser
}
const csrfOf = ({ jar }: Browser): string => jar.get('toolway_csrf')?.value ?? ''
const PATH = '/api/v1/console/default/mcp'

interface Changed {
  readonly path?: string
  /** Undefined: without it. */
  readonly origin?: string | undefined
  readonly csrf?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** As the console asks, but for what is said to be otherwise. */
async function ask(browser: Browser, method: string, params: object = {}, changed: Changed = {}) {
  const given = { path: PATH, origin: gateway.address, csrf: csrfOf(browser), ...changed }
  const name = 'name' in params ? { 'mcp-name': String(params.name) } : {}
  const response = await browser.ask(given.path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...name,
      ...(given.origin === undefined ? {} : { origin: given.origin }),
      ...(given.csrf === undefined ? {} : { 'x-csrf-token': given.csrf }),
      ...given.headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: MODERN_META } }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, fault: /"fault":"([\w.-]+)"/.exec(text)?.[1] }
}
const Row = z.object({ kind: z.string(), principal: z.string(), actor_type: z.string(), outcome: z.string() })
const CALL = { name: 'every__test_simple_text', arguments: {} }

describe('the console calls tools with its sign-in', () => {
  test('as its person, and on record', async () => {
    const ada = await signedIn('ada')
    const id = 'console-call-1'
    const { status, text } = await ask(ada, 'tools/call', CALL, { headers: { 'x-correlation-id': id } })
    expect([status, text]).toEqual([200, expect.stringContaining('simple text response')])
    const record = await until('the call is on record', async () => {
      const [row] = await gateway.db.system(
        (sql) => sql(Row)`select kind, principal, actor_type, outcome from records where correlation_id = ${id}`,
      )
      return row
    })
    const principal = expect.stringMatching(/^usr_/) as unknown
    expect(record).toEqual({ kind: 'call', principal, actor_type: 'user', outcome: 'ok' })
  })

  test.each([
    ['no CSRF token', { csrf: undefined }, 'request.csrf'],
    ['a CSRF token that was guessed', { csrf: 'guess' }, 'request.csrf'],
    ['no Origin', { origin: undefined }, 'request.origin'],
    [
      'no Origin, with a word of the browser that only counts for reading',
      { origin: undefined, headers: { 'sec-fetch-site': 'same-origin' } },
      'request.origin',
    ],
    ['the Origin of a frame without one', { origin: 'null' }, 'request.origin'],
    ['the Origin of another site', { origin: 'https://evil.example' }, 'request.origin'],
    ['a key beside its cookie', { headers: { authorization: 'Bearer uru_1' } }, 'login.needed'],
  ] as const)('and is refused with %s', async (_, changed, fault) => {
    const ada = await signedIn('ada')
    const refused = await ask(ada, 'tools/call', CALL, changed)
    // A refusal by the common HTTP handler has no JSON-RPC fault in its body.
    expect([refused.status, refused.fault ?? fault]).toEqual([403, fault])
    expect(refused.headers.get('www-authenticate')).toBeNull()
  })

  test('and with the CSRF token of another sign-in, of somebody else or of the same person', async () => {
    const [ada, again, bob] = [await signedIn('ada'), await signedIn('ada'), await signedIn('bob')]
    for (const other of [again, bob])
      expect(await ask(ada, 'tools/list', {}, { csrf: csrfOf(other) })).toMatchObject({
        status: 403,
        fault: 'request.csrf',
      })
  })

  test('what is not theirs answers as what is not there', async () => {
    const ada = await signedIn('ada')
    const other = await ask(ada, 'tools/list', {}, { path: '/api/v1/console/other/mcp' })
    const nowhere = await ask(ada, 'tools/list', {}, { path: '/api/v1/console/nowhere/mcp' })
    expect([other.status, other.fault]).toEqual([404, 'place.unknown'])
    const said = ({ text }: { text: string }) => text.replace(/"correlation_id":"[^"]*"/, '')
    expect(said(other)).toBe(said(nowhere))
  })

  test('a viewer lists and calls nothing', async () => {
    const vera = await signedIn('vera')
    expect((await ask(vera, 'tools/list')).status).toBe(200)
    expect(await ask(vera, 'tools/call', CALL)).toMatchObject({ fault: 'role.forbidden' })
  })

  test('without a sign-in there is nothing, and no way to a token is shown', async () => {
    const nobody = createBrowser(gateway.address)
    const { status, headers } = await ask(nobody, 'tools/list', {}, { csrf: 'x' })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="toolway"'])
    const metadata = await fetch(`${gateway.address}/.well-known/oauth-protected-resource${PATH}`)
    expect(metadata.status).toBe(404)
  })

  test('the endpoints of everybody look at no cookies', async () => {
    const ada = await signedIn('ada')
    for (const path of ['/mcp', '/o/default/t/default/mcp', '/api/v1/default/connectors/every/mcp'])
      expect((await ask(ada, 'tools/list', {}, { path })).status).toBe(401)
  })

  test('a stream ends with the sign-in that opened it', async () => {
    const ada = await signedIn('ada')
    const headers = { origin: gateway.address, 'x-csrf-token': csrfOf(ada) }
    const opened = await ada.ask(PATH, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    })
    const session = opened.headers.get('mcp-session-id') ?? ''
    const listen = (more: Record<string, string>) =>
      ada.ask(PATH, { headers: { accept: 'text/event-stream', 'mcp-session-id': session, ...more } })
    // A page's own reading carries no Origin; nothing else may.
    expect((await listen({ 'x-csrf-token': csrfOf(ada) })).status).toBe(403)
    expect((await listen({ 'sec-fetch-site': 'same-origin' })).status).toBe(403)
    expect((await listen({ 'x-csrf-token': csrfOf(ada), 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const stream = await listen({ 'x-csrf-token': csrfOf(ada), 'sec-fetch-site': 'same-origin' })
    expect(stream.status).toBe(200)
    const over = stream.text()
    await ada.submit('/sign-in/out', { csrf: csrfOf(ada) })
    await over
  })
})
