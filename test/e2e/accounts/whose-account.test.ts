/**
 * The choice of the credential for a call, where several members, the organization and the caller could each have one: at a real
 * authorization server, with a server that records the token of every call.
 */
import { newId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startAuthority } from '../peers/authorities/authority.ts'
import { startProtected } from '../peers/authorities/protected-server.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { createConnectingPerson } from '../peers/people/connecting-person.ts'
import { join } from '../peers/people/people.ts'
import { until } from '../peers/until.ts'

type Name = 'admin' | 'ada' | 'bob' | 'cy'
const LINK = /http:\/\/127\.0\.0\.1:\d+\/connect\/[\w.-]+/
const CONNECTOR = '/api/v1/admin/tenants/default/connectors/docs'

test('U-24, S3-OAU-06: a call uses what it brings, else its own account, else the shared one, else there is a link for this person', async () => {
  await using authority = await startAuthority('registers')
  await using server = await startProtected(authority)
  const wire = { kind: 'http', url: server.url, headers: {}, auth: { brought: true } as never } as const
  await using gateway = await startTestGateway({ connections: [{ alias: 'docs', title: 'Docs', wire }] })
  const { address, organization } = gateway
  const enter = (name: Name) =>
    join(`${name}@example.com`, {
      ...gateway,
      roles: [[organization.id, name === 'admin' ? 'tenant_admin' : 'tenant_member']],
    })
  const people = {
    admin: await enter('admin'),
    ada: await enter('ada'),
    bob: await enter('bob'),
    cy: await enter('cy'),
  }
  const visit = (name: Name, link: string) =>
    createConnectingPerson(address, { email: `${name}@example.com` }).open(link)
  const connect = async (name: Name, owner: 'member' | 'organization' = 'member') => {
    const { url } = (await people[name].client(`POST ${CONNECTOR}/link`, { owner })).body
    expect((await visit(name, url)).url.searchParams.has('connected')).toBe(true)
  }
  const call = async (key: string, headers: Record<string, string> = {}) => {
    const before = server.used.length
    const { answer, text } = await callTool(
      { url: gateway.connectionUrl('docs'), key, era: 'modern' },
      'write_note',
      {},
      { headers: { ...headers, 'x-correlation-id': newId('rec') } },
    )
    const account = (answer.result?.['_meta'] as Record<string, { owner?: string }> | undefined)?.[
      'dev.toolway/account'
    ]
    return { owner: account?.owner, used: server.used.slice(before), link: LINK.exec(text)?.[0] }
  }
  const as = (name: Name, headers?: Record<string, string>) => call(people[name].token, headers)

  // The tools are known by an account that is gone by now.
  await connect('cy')
  await until('the tools are listed', async () => (await gateway.settled('docs')).status === 'connected')
  const [cys] = (await as('cy')).used
  const [{ id }] = (await people.cy.client(`GET ${CONNECTOR}/accounts`)).body.items as [{ id: string }]
  expect((await people.cy.client(`DELETE ${CONNECTOR}/accounts/${id}`)).status).toBe(200)

  // No account is connected: each user gets a link that is valid for that user only.
  const [ada, bob] = [await as('ada'), await as('bob')]
  expect([ada.used, bob.used]).toEqual([[], []])
  expect(ada.link).toMatch(LINK)
  expect(bob.link).not.toBe(ada.link)
  const stranger = await visit('bob', ada.link ?? '')
  expect([stranger.status, stranger.url.searchParams.has('connected')]).toEqual([403, false])
  expect((await visit('ada', ada.link ?? '')).url.searchParams.has('connected')).toBe(true)
  await connect('bob')

  // Each member has their own, and who has none is still told so.
  const own = [await as('ada'), await as('bob')]
  expect(own.map(({ owner }) => owner)).toEqual(['member', 'member'])
  expect((await as('cy')).used).toEqual([])
  expect((await call(gateway.key)).used).toEqual([])

  // One for everybody is used by who has none, and by callers who are nobody's.
  await connect('admin', 'organization')
  const shared = [await as('cy'), await call(gateway.key)]
  expect(shared.map(({ owner }) => owner)).toEqual(['organization', 'organization'])
  expect(shared[0]?.used).toEqual(shared[1]?.used)
  const again = [await as('ada'), await as('bob')]
  expect(again).toEqual(own)
  const tokens = [cys, ...own.flatMap(({ used }) => used), ...(shared[0]?.used ?? [])]
  expect(new Set(tokens).size).toBe(4)

  // A pass-through token takes precedence over the user's own account, for this one call.
  const [bobs = ''] = own[1]?.used ?? []
  expect(await as('ada', { 'x-user-oauth-token': bobs })).toMatchObject({ owner: 'caller', used: [bobs] })
  expect(await as('ada')).toEqual(own[0])
})
