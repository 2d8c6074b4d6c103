/** Integrations that are let in by OAuth, with a real authorization server: begun, finished, told, and taken back. */
// @module-tag long
import { finishOAuth } from '@toolway/contract/admin'
import { expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { startAuthority } from '../peers/authorities/authority.ts'
import { startProtected } from '../peers/authorities/protected-server.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'

const AT = '/api/v1/integrations'
type Browser = ReturnType<typeof createBrowser>

/** An administrator of the platform, signed in with a browser. */
async function signedIn(gateway: TestGateway) {
  await addPerson(gateway.db, {
    email: 'ada@example.com',
    platformAdmin: true,
    roles: [[gateway.organization.id, 'tenant_admin']],
  })
  const browser = createBrowser(gateway.address)
  const headers = { 'content-type': 'application/json', origin: gateway.address }
  const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD, cookies: true })
  expect((await browser.ask('/api/v1/auth/login', { method: 'POST', headers, body })).status).toBe(200)
  const ask = async (at: string, words?: object) => {
    const [method = '', path = ''] = at.split(' ')
    const csrf = { 'x-csrf-token': browser.jar.get('toolway_csrf')?.value ?? '' }
    const response = await browser.ask(path, {
      method,
      headers: { ...headers, ...csrf },
      ...(words === undefined ? {} : { body: JSON.stringify(words) }),
    })
    const text = await response.text()
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> }
  }
  return { browser, ask }
}

/** To the authorization server, with its own cookies, until it leads back to the gateway. */
async function goThere(url: string, home: string): Promise<string> {
  const there = createBrowser(new URL(url).origin)
  let at = url
  for (let hops = 0; hops < 10 && !at.startsWith(home); hops++) {
    const response = await there.ask(at)
    await response.text()
    at = new URL(response.headers.get('location') ?? '', at).href
  }
  return at
}

const follow = async (browser: Browser, url: string) => {
  const response = await browser.ask(url)
  await response.text()
  return response.headers.get('location') ?? `${response.status}`
}

test('S2-API-09, S2-API-10, S2-API-11, S2-API-12: the way to the authorization server begins at either address, ends at the callback, and a disconnect takes it back', async () => {
  await using gateway = await startTestGateway()
  await using authority = await startAuthority('registers')
  await using server = await startProtected(authority)
  const { browser, ask } = await signedIn(gateway)
  const made = await ask(`POST ${AT}`, { name: 'Guarded', server_url: server.url, auth_type: 'oauth' })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const id = String(made.body['id'])
  const look = async () => (await ask(`GET ${AT}/${id}`)).body
  expect(await look()).toMatchObject({ auth_type: 'oauth', connection_status: 'disconnected', tool_count: 0 })

  for (const way of [`GET ${AT}/${id}/oauth-url`, `POST ${AT}/${id}/connect`]) {
    const { status, body } = await ask(way)
    expect(status, JSON.stringify(body)).toBe(200)
    const url = new URL(String(body['url']))
    expect(url.origin).toBe(authority.issuer)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      redirect_uri: gateway.address + finishOAuth.path,
      state: expect.stringMatching(/^.{43}$/) as string,
    })
    const back = await goThere(url.href, gateway.address)
    expect(new URL(back).pathname).toBe(finishOAuth.path)
    expect(await follow(browser, back)).toBe(`/settings/integrations?connected=${id}`)
    // Once is all that it is good for.
    expect(await follow(browser, back)).toContain('error=invalid_state')
    await until('its tools are there', async () => (await look())['connection_status'] === 'connected')
    const found = await look()
    expect(found).toMatchObject({ auth_type: 'oauth', last_error: null })
    expect(found['tool_count']).toBeGreaterThan(0)

    const { revocations } = authority.counts
    const ended = await ask(`POST ${AT}/${id}/disconnect`)
    expect(ended.body).toMatchObject({ ended: 1, problems: [], integration: { connection_status: 'disconnected' } })
    expect(authority.counts.revocations).toBe(revocations + 2)
  }
})

test('S2-API-07: an integration that is removed takes its credentials back, and nothing of it is there any more', async () => {
  await using gateway = await startTestGateway()
  await using authority = await startAuthority('registers')
  await using server = await startProtected(authority)
  const { browser, ask } = await signedIn(gateway)
  const { body } = await ask(`POST ${AT}`, { name: 'Removed', server_url: server.url, auth_type: 'oauth' })
  const id = String(body['id'])
  const url = String((await ask(`POST ${AT}/${id}/connect`)).body['url'])
  expect(await follow(browser, await goThere(url, gateway.address))).toContain(`connected=${id}`)
  expect((await ask(`DELETE ${AT}/${id}`)).status).toBe(204)
  await until('both tokens are taken back', () => authority.counts.revocations === 2)
  expect((await ask(`GET ${AT}/${id}`)).status).toBe(404)
  const left = (await ask('GET /api/v1/oauth/default/auth')).body
  expect(left['items']).toEqual([])
})

test('S2-NOT-01, S2-OAU-10: the completion of OAuth is told to those who follow, and a program is given a link in place of the address', async () => {
  await using gateway = await startTestGateway()
  await using authority = await startAuthority('registers')
  await using server = await startProtected(authority)
  await using second = await gateway.another()
  const { browser, ask } = await signedIn(gateway)
  const { body } = await ask(`POST ${AT}`, { name: 'Told', server_url: server.url, auth_type: 'oauth' })
  const id = String(body['id'])
  const key = await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id })
  const leaving = new AbortController()
  const stream = await fetch(`${second.address}/api/v1/events`, {
    headers: { authorization: `Bearer ${key}` },
    signal: leaving.signal,
  })
  let heard = ''
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) heard += Buffer.from(chunk).toString()
  })().catch(() => {})
  const link = (await createAsk(gateway, key)(`GET ${AT}/${id}/oauth-url`)).body
  expect(link['url']).toMatch(new RegExp(`^${gateway.address}/connect/`))
  expect(link['expires_in']).toBeGreaterThan(500)
  const url = String((await ask(`POST ${AT}/${id}/connect`)).body['url'])
  await follow(browser, await goThere(url, gateway.address))
  await until('the other gateway tells it', () => heard.includes(`"id":"${id}","action":"connected"`))
  leaving.abort()
  await reading
})
