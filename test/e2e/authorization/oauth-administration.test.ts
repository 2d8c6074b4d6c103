/** Administration of OAuth clients and their grants: by administrators over HTTP, and by no others. */
// @module-tag long
import { describe, expect, test } from 'vitest'
import { addPerson, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { codeOf, createRawClient, EMAIL, probeAuth, openOAuthGateway, REDIRECT } from '../peers/oauth-gateway.ts'
import { createPerson } from '../peers/people/oauth-person.ts'
import { until } from '../peers/until.ts'

interface Body {
  readonly items?: readonly { readonly id: string; readonly email?: string; readonly user_id?: string }[]
  readonly client_id?: string
  readonly client_secret?: string
}
type Open = Awaited<ReturnType<typeof openOAuthGateway>>

/** Somebody who is signed in with a browser, and asks the admin interface with it. */
async function signIn({ gateway }: Open, email: string) {
  const { browser } = createPerson(gateway.address, { email })
  await until(`${email} is signed in`, async () => {
    await browser.submit('/sign-in', { email, password: PASSWORD })
    return browser.jar.has('toolway_access')
  })
  return async (method: string, path: string, body?: object) => {
    const headers = { 'x-csrf-token': browser.jar.get('toolway_csrf')?.value ?? '', 'content-type': 'application/json' }
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
    const response = await browser.ask(path, init)
    const text = await response.text()
    return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Body }
  }
}

describe('what members allowed', () => {
  test('an administrator of the organization sees and ends; a member, and one of another organization, does not', async () => {
    await using open = await openOAuthGateway({ others: [{ slug: 'beta', name: 'Beta' }] })
    const { gateway } = open
    await addPerson(gateway.db, { email: 'admin@example.com', roles: [[gateway.organization.id, 'tenant_admin']] })
    const client = createRawClient(gateway)
    await client.register()
    const code = codeOf(await open.person({ organization: gateway.organization.id }).open(client.authorization()))
    const { body: tokens } = await client.exchange(code)
    const [admin, member] = [await signIn(open, 'admin@example.com'), await signIn(open, EMAIL)]
    const path = '/api/v1/admin/tenants/default/grants'
    const { body } = await admin('GET', path)
    expect(body).toMatchObject({ total: 1, items: [{ client_name: 'By hand', limit: 'write', resource: gateway.url }] })
    const id = body.items?.[0]?.id ?? ''
    expect((await member('GET', path)).status).toBe(403)
    expect((await member('DELETE', `${path}/${id}`)).status).toBe(403)
    expect((await admin('GET', '/api/v1/admin/tenants/beta/grants')).status).toBe(404)
    // Somebody else's is none of one's own.
    expect((await admin('DELETE', `/api/v1/auth/grants/${id}`)).status).toBe(404)
    expect((await admin('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await admin('DELETE', `${path}/${id}`)).status).toBe(404)
    await until(
      'its token is refused',
      async () => (await probeAuth(gateway.url, tokens['access_token'])).status === 401,
    )
    expect((await client.refresh(tokens['refresh_token'] ?? '')).body['error']).toBe('invalid_grant')
  })

  test('ends with the membership: who comes back is asked anew', async () => {
    await using open = await openOAuthGateway()
    const { gateway } = open
    await addPerson(gateway.db, { email: 'admin@example.com', roles: [[gateway.organization.id, 'tenant_admin']] })
    const client = createRawClient(gateway)
    await client.register()
    const { body: tokens } = await client.exchange(codeOf(await open.person().open(client.authorization())))
    const admin = await signIn(open, 'admin@example.com')
    const members = '/api/v1/admin/tenants/default/members'
    const { body } = await admin('GET', members)
    const ada = body.items?.find(({ email }) => email === EMAIL)
    expect((await admin('DELETE', `${members}/${ada?.user_id}`)).status).toBe(204)
    expect((await admin('POST', members, { email: EMAIL, role: 'tenant_member' })).status).toBe(201)
    expect((await admin('GET', '/api/v1/admin/tenants/default/grants')).body).toMatchObject({ items: [] })
    await until(
      'its token is refused',
      async () => (await probeAuth(gateway.url, tokens['access_token'])).status === 401,
    )
    expect((await client.refresh(tokens['refresh_token'] ?? '')).body['error']).toBe('invalid_grant')
  })
})

describe('clients that cannot register themselves', () => {
  test('are added with a secret that is shown once, needed at each exchange, and kept by hash', async () => {
    await using open = await openOAuthGateway({ platformAdmin: true })
    const admin = await signIn(open, EMAIL)
    const added = await admin('POST', '/api/v1/admin/clients', {
      name: 'Our chat',
      redirect_uris: [REDIRECT],
      confidential: true,
    })
    expect(added.status).toBe(201)
    const { client_id: id = '', client_secret: secret = '' } = added.body
    const listed = await admin('GET', '/api/v1/admin/clients')
    expect(listed.body).toMatchObject({ items: [{ client_id: id, name: 'Our chat', kind: 'added', expires_at: null }] })
    expect(JSON.stringify(listed.body)).not.toContain(secret)

    const client = createRawClient(open.gateway)
    const code = async () => codeOf(await open.person().open(client.authorization({ client_id: id })))
    expect((await client.exchange(await code(), { client_id: id })).status).toBe(401)
    expect((await client.exchange(await code(), { client_id: id, client_secret: `${secret}x` })).status).toBe(401)
    const { status, body } = await client.exchange(await code(), { client_id: id, client_secret: secret })
    expect(status).toBe(200)

    expect((await admin('DELETE', `/api/v1/admin/clients/${id}`)).status).toBe(204)
    await until(
      'its token is refused',
      async () => (await probeAuth(open.gateway.url, body['access_token'])).status === 401,
    )
    expect((await open.person().open(client.authorization({ client_id: id }))).back).toBeUndefined()
  })

  test('are the business of platform administrators alone', async () => {
    await using open = await openOAuthGateway({ role: 'tenant_admin' })
    const admin = await signIn(open, EMAIL)
    expect((await admin('GET', '/api/v1/admin/clients')).status).toBe(403)
    expect((await admin('POST', '/api/v1/admin/clients', { name: 'x', redirect_uris: [REDIRECT] })).status).toBe(403)
  })
})
