/**
 * Tests that real clients get access with the address alone, each with its own OAuth, on a real port, with a user who has a
 * browser.
 */
// @module-tag long
import { describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { startEffects } from '../peers/servers/effects-server.ts'
import { connectWithOAuth, createStore, OAUTH_KINDS } from '../peers/clients/oauth-client.ts'
import { createPerson, type Answers } from '../peers/people/oauth-person.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { until } from '../peers/until.ts'

const EMAIL = 'ada@example.com'

/** A gateway with one connection, `effects`, and a member who has an account. */
async function openWithPerson(settings: Record<string, string> = {}) {
  const effects = await startEffects()
  const wire = { kind: 'http', url: effects.url, private: true, headers: {} } as const
  const gateway = await openGateway({ connections: [{ alias: 'effects', wire }], settings })
  const user = await addPerson(gateway.db, { email: EMAIL, roles: [[gateway.organization.id, 'tenant_member']] })
  return {
    gateway,
    effects,
    user,
    person: (answers: Partial<Answers> = {}) => createPerson(gateway.address, { email: EMAIL, ...answers }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await effects[Symbol.asyncDispose]()
    },
  }
}

describe.each(OAUTH_KINDS)('%s, given nothing but an address', (kind) => {
  test('gets in, calls, and is renewed without its person', async () => {
    await using open = await openWithPerson()
    const store = createStore()
    {
      await using client = await connectWithOAuth(kind, open.gateway.url, open.person(), { store })
      expect(await client.tools()).toContain('effects__look_up')
      expect(await client.call('effects__look_up')).toBe('did look_up')
      expect(await client.call('effects__write_note')).toBe('did write_note')
    }
    expect(store.sent).toHaveLength(1)
    expect(store.tokens?.scope).toBe('tools:read tools:write')
    // A token that is not good any more: the client renews it by itself.
    const before = store.tokens?.refresh_token
    store.tokens = { ...store.tokens!, access_token: 'eyJhbGciOiJFZERTQSJ9.e30.AAAA' }
    await using again = await connectWithOAuth(kind, open.gateway.url, open.person(), { store })
    expect(await again.call('effects__look_up')).toBe('did look_up')
    expect(store.sent).toHaveLength(1)
    expect(store.tokens.refresh_token).not.toBe(before)
  })

  test('asks its person for more when a tool destroys, and nothing has run before that', async () => {
    await using open = await openWithPerson()
    const more: { access?: 'read' | 'execute' } = { access: 'read' }
    const answers = {
      email: EMAIL,
      get access() {
        return more.access!
      },
    }
    const person = createPerson(open.gateway.address, answers)
    // With a refresh token SDK 1 renews instead of asking its person, and stays as far as it was.
    const grants = kind === 'SDK 1' ? ['authorization_code'] : ['authorization_code', 'refresh_token']
    await using client = await connectWithOAuth(kind, open.gateway.url, person, { grants })
    expect(client.store.tokens?.scope).toBe('tools:read')
    more.access = 'execute'
    expect(await client.call('effects__drop_all')).toBe('did drop_all')
    expect(open.effects.called).toEqual(['drop_all'])
    expect(client.store.sent[1]?.searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['tools:read', 'tools:write', 'tools:execute']),
    )
  })

  test('is told when its person does not allow it', async () => {
    await using open = await openWithPerson()
    await expect(connectWithOAuth(kind, open.gateway.url, open.person({ answer: 'refuse' }))).rejects.toThrow(
      'refused: access_denied',
    )
  })

  test.each([
    ['a toolset of an organization', (gateway: TestGateway) => `${gateway.address}/o/default/t/default/mcp`],
    ['one connection', (gateway: TestGateway) => gateway.connectionUrl('effects')],
    ['a slash at the end', (gateway: TestGateway) => `${gateway.url}/`],
    ['localhost', (gateway: TestGateway) => gateway.url.replace('127.0.0.1', 'localhost')],
  ])('gets in at %s', async (_, addressOf) => {
    await using open = await openWithPerson()
    await using client = await connectWithOAuth(kind, addressOf(open.gateway), open.person())
    expect((await client.tools()).join()).toContain('look_up')
  })
})

test('what a person ends is ended for the client at once', async () => {
  await using open = await openWithPerson()
  const person = open.person()
  await using client = await connectWithOAuth('SDK 2', open.gateway.url, person)
  const list = async () =>
    (await (await person.browser.ask('/api/v1/auth/grants')).json()) as {
      items: { id: string; client_name: string; limit: string }[]
    }
  const {
    items: [grant],
  } = await list()
  expect(grant).toMatchObject({ client_name: 'Test client', limit: 'write' })
  const csrf = person.browser.jar.get('toolway_csrf')?.value ?? ''
  const ended = await person.browser.ask(`/api/v1/auth/grants/${grant?.id}`, {
    method: 'DELETE',
    headers: { 'x-csrf-token': csrf },
  })
  expect(ended.status).toBe(204)
  expect((await list()).items).toEqual([])
  await until('its token is refused', async () => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${client.store.tokens?.access_token}` }
    return (await fetch(open.gateway.url, { method: 'POST', headers })).status === 401
  })
  client.store.sent.length = 0
  // Neither is it renewed: its person is asked.
  await client.call('effects__look_up')
  expect(client.store.sent).toHaveLength(1)
})
