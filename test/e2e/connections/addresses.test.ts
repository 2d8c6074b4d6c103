/** Answers at addresses where nothing is served. Every problem document states the status it was sent with. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, TEST_KEY, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${gateway.address}${path}`, { redirect: 'manual', ...init })
const PROGRAM = { headers: { accept: '*/*' } }
const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } }

/** Addresses of other products, of screens that are not there, and of nothing. */
const NOWHERE = ['/tools/other', '/list/other', '/execute/slug/more', '/connections/a/b', '/nope', '/settings/other']

describe('an address at which nothing is served', () => {
  test('tells a program so, and never shows the console nor leads to it', async () => {
    for (const path of [...NOWHERE, '/api/v1/nope', '/api/v2/tools', '/health/other']) {
      const answer = await ask(path, PROGRAM)
      expect({ path, status: answer.status }).toEqual({ path, status: 404 })
      expect(answer.headers.get('content-type'), path).toBe('application/problem+json')
      expect(await answer.json()).toMatchObject({ status: 404, code: 'address.unknown' })
    }
  })

  test('shows a person a page, but never below the API', async () => {
    for (const path of NOWHERE) {
      const answer = await ask(path, BROWSER)
      expect({ path, status: answer.status }).toEqual({ path, status: 404 })
      expect(await answer.text(), path).toContain('<h1>Page not found</h1>')
      expect(answer.headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'")
    }
    expect((await ask('/api/v1/nope', BROWSER)).headers.get('content-type')).toBe('application/problem+json')
    expect((await ask('/nope', { method: 'POST', ...BROWSER })).headers.get('content-type')).toBe(
      'application/problem+json',
    )
  })
})

test('/health answers itself, as /health/ready does', async () => {
  const answer = await ask('/health', PROGRAM)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({ status: 'ready' })
})

test('every problem document says the status that it came with, at every door', async () => {
  const key = { authorization: `Bearer ${TEST_KEY}` }
  const json = { ...key, 'content-type': 'application/json' }
  const all: [string, RequestInit][] = [
    ['/rest/tools/nothing/call', { method: 'POST', headers: json, body: '{}' }],
    ['/openai/tools/nothing', { method: 'POST', headers: json, body: '{}' }],
    ['/o/default/t/default/nothing', { method: 'POST', headers: json, body: '{}' }],
    ['/rest/tools/nothing/call', { method: 'POST', headers: json, body: '[' }],
    ['/rest/tools/nothing/call', { method: 'POST', headers: { ...key, 'content-type': 'text/plain' }, body: 'x' }],
    ['/execute/nothing', { method: 'POST', headers: json, body: '{}' }],
    ['/list/apps/nothing/tools', { headers: key }],
    ['/namespaces?min_version=999', { headers: key }],
    ['/rest/tools', { method: 'POST', headers: json, body: '{}' }],
    ['/rest/tools', {}],
    ['/mcp/tools/list', { method: 'POST', headers: json, body: '{"cursor":"never made"}' }],
    ['/mcp/tools/call', { method: 'POST', headers: json, body: '{"name":7}' }],
    ['/api/v1/admin/tenants/nobody', { headers: key }],
    ['/api/v1/admin/tenants', { method: 'POST', headers: json, body: '{}' }],
    ['/metrics', {}],
    ['/nope', {}],
  ]
  for (const [path, init] of all) {
    const answer = await ask(path, init)
    const said = `${init.method ?? 'GET'} ${path}`
    expect({ said, type: answer.headers.get('content-type') }).toEqual({ said, type: 'application/problem+json' })
    expect({ said, status: ((await answer.json()) as { status: number }).status }).toEqual({
      said,
      status: answer.status,
    })
    expect(answer.status, said).toBeGreaterThanOrEqual(400)
  }
})
