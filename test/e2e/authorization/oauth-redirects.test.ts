/**
 * Tests that no browser is redirected to an address that its user has not agreed to: the authorization endpoint, as strangers
 * would use it.
 */
// @module-tag long
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createRawClient, openOAuthGateway } from '../peers/oauth-gateway.ts'
import type { OAuthGateway } from '../peers/oauth-gateway.ts'
import { addByHand } from '../../../packages/gateway/src/oauth/added-clients.ts'

const MODES = ['form_post', 'fragment', 'web_message', 'jwt', 'form_post.jwt', 'query.jwt']
const EVIL = 'https://evil.example/phish'

/** Requests that fail before a person has seen them. */
const FAILING: readonly (readonly [string, Record<string, string | undefined>])[] = [
  ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
  ['with plain PKCE', { code_challenge_method: 'plain' }],
  ['with prompt=none', { prompt: 'none' }],
  ['with an unknown prompt', { prompt: 'surprise' }],
  ['for another resource', { resource: 'https://elsewhere.example/mcp' }],
  ['for an answer of another type', { response_type: 'token' }],
  ['for no answer at all', { response_type: undefined }],
  ['with a request object', { request: 'x.y.z' }],
  ['with the address of a request object', { request_uri: 'urn:x' }],
  ['with a registration', { registration: '{}' }],
  ['with a bad max_age', { max_age: 'x' }],
  ['with an id token hint', { id_token_hint: 'x' }],
]

describe('a request of a client that registered itself', () => {
  test('that fails before anybody saw it stays on a page that names the host', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway, { redirect: EVIL })
    await client.register({ client_name: 'Your bank' })
    for (const [what, changed] of FAILING) {
      const { back, pages } = await open.person().open(client.authorization(changed))
      expect(back, what).toBeUndefined()
      const [page] = pages
      expect(pages, what).toHaveLength(1)
      expect(page?.status, what).toBe(400)
      expect(page?.html, what).toContain('<strong>Your bank</strong>')
      expect(page?.html, what).toContain('<strong>evil.example</strong>')
      expect(page?.html, what).not.toMatch(/href="https:\/\/evil|action="https:\/\/evil|<script/)
      expectHardened(page?.headers, what)
    }
  })

  test('that says everything twice stays on a page', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway, { redirect: EVIL })
    await client.register()
    for (const name of ['redirect_uri', 'state', 'client_id', 'prompt', 'scope', 'code_challenge']) {
      const url = client.authorization()
      url.searchParams.append(name, url.searchParams.get(name) ?? 'none')
      const { back, pages } = await open.person().open(url)
      expect(back, name).toBeUndefined()
      expect(pages[0]?.status, name).toBe(400)
      expectHardened(pages[0]?.headers)
    }
  })

  test('that a person looked at and did not allow goes back with the refusal', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway, { redirect: 'https://client.example/cb' })
    await client.register()
    const { back } = await open.person({ answer: 'refuse' }).open(client.authorization())
    expect(back?.href).toMatch(/^https:\/\/client\.example\/cb\?/)
    expect(back?.searchParams.get('error')).toBe('access_denied')
    expect(back?.searchParams.get('state')).toBe('own state')
    expect(back?.searchParams.get('iss')).toBe(open.gateway.address)
  })

  test('whose person turns away at the sign-in leads nowhere, nor does its second half without an answer', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway, { redirect: EVIL })
    await client.register()
    const { browser } = open.person()
    const first = await browser.ask(pathOf(client.authorization()))
    const consent = first.headers.get('location') ?? ''
    expect(consent).toMatch(/^\/consent\//)
    expect((await browser.ask(consent)).headers.get('location')).toMatch(/^\/sign-in/)
    // The way on, before anybody said anything: it asks once more.
    const onward = await browser.ask(consent.replace('/consent/', '/authorize/'))
    expect(onward.headers.get('location') ?? '').not.toContain('evil.example')
  })

  test('whose person is asked once is asked again when the answer would go to another of its hosts', async () => {
    await using open = await openOAuthGateway()
    const [one, other] = ['https://one.example/cb', 'https://other.example/cb']
    const client = createRawClient(open.gateway, { redirect: one })
    await client.register({ redirect_uris: [one, other] })
    const person = open.person()
    const asked = async (redirect_uri: string) => {
      const { pages, back } = await person.open(client.authorization({ redirect_uri }))
      expect(back?.searchParams.get('code')).toBeTruthy()
      return pages.some(({ html }) => html.includes('name="answer"'))
    }
    expect([await asked(one), await asked(one), await asked(other)]).toEqual([true, false, true])
  })
})

test('a client document is led no farther than a client that registered itself', async () => {
  await using open = await openOAuthGateway({ settings: { TOOLWAY_LOOPBACK_CLIENTS: 'on' } })
  const server = createServer((request, response) => {
    const client_id = `http://${request.headers.host}${request.url}`
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ client_id, client_name: 'A document', redirect_uris: [EVIL, 'ms-word:ofe|u|x'] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const client_id = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
    const client = createRawClient(open.gateway, { redirect: EVIL })
    const { back, pages } = await open.person().open(client.authorization({ client_id, prompt: 'none' }))
    expect(back).toBeUndefined()
    expect(pages[0]?.html).toContain('<strong>evil.example</strong>')
    const word = client.authorization({ client_id, redirect_uri: 'ms-word:ofe|u|x' })
    expect((await open.person().open(word)).back).toBeUndefined()
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
})

test('a client that an administrator added gets its errors, as RFC 6749 has it', async () => {
  await using open = await openOAuthGateway()
  const redirect = 'https://chat.example/cb'
  const client_id = await addedIn(open, redirect)
  const client = createRawClient(open.gateway, { redirect })
  const ask = async (changed: Record<string, string>) =>
    (await open.person().open(client.authorization({ client_id, ...changed }))).back
  expect((await ask({ prompt: 'none' }))?.searchParams.get('error')).toBe('consent_required')
  expect((await ask({ code_challenge_method: 'plain' }))?.searchParams.get('error')).toBe('invalid_request')
  expect((await ask({ resource: 'https://elsewhere.example/mcp' }))?.searchParams.get('error')).toBe('invalid_target')
})

describe('the way of an answer', () => {
  test('is the query alone: another response_mode is refused on a page of ours, also for a client that was added', async () => {
    await using open = await openOAuthGateway()
    const redirect = 'https://chat.example/cb'
    const client_id = await addedIn(open, redirect)
    const client = createRawClient(open.gateway, { redirect })
    for (const response_mode of [...MODES, '', 'QUERY', 'nonsense']) {
      const { back, pages } = await open.person().open(client.authorization({ client_id, response_mode }))
      expect(back, response_mode).toBeUndefined()
      expect(pages[0]?.status, response_mode).toBe(400)
      expect(pages[0]?.html, response_mode).not.toContain('<script')
      expectHardened(pages[0]?.headers, response_mode)
    }
  })

  test('said as it is, is taken', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway)
    await client.register()
    const { back } = await open.person().open(client.authorization({ response_mode: 'query' }))
    expect(back?.searchParams.get('code')).toBeTruthy()
  })
})

describe('every answer of the authorization server', () => {
  test('has the headers of our own pages, whatever is asked of it', async () => {
    await using open = await openOAuthGateway()
    const client = createRawClient(open.gateway)
    await client.register()
    const { address } = open.gateway
    const html = { headers: { accept: 'text/html' }, redirect: 'manual' } as const
    for (const path of [
      pathOf(client.authorization()),
      '/authorize',
      '/authorize?client_id=nobody',
      '/authorize/unknown',
      '/authorize/unknown/deeper',
      '/authorize/%00',
      '/consent/unknown',
    ]) {
      const response = await fetch(`${address}${path}`, html)
      expectHardened(response.headers, path)
      expect(await response.text()).not.toContain('<script')
    }
    const token = await fetch(`${address}/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) })
    expectHardened(token.headers, '/token')
  })
})

async function addedIn({ gateway }: OAuthGateway, redirect: string): Promise<string> {
  const added = { name: 'Our chat', redirect_uris: [redirect], confidential: false }
  const hash = (text: string) => Buffer.from(text)
  return gateway.db.system(async (sql) => (await addByHand(sql, hash, added, 'test')).row.id)
}

function expectHardened(headers: Headers | undefined, place = ''): void {
  expect(headers?.get('content-security-policy'), place).toContain("frame-ancestors 'none'")
  expect(headers?.get('x-frame-options'), place).toBe('DENY')
  expect(headers?.get('x-content-type-options'), place).toBe('nosniff')
}

const pathOf = ({ pathname, search }: URL) => pathname + search
