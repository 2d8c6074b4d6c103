/** Groups of members over HTTP: who may make them, who can be in them, and that they are known at once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserId } from '@toolway/contract'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, addMember, addUser, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'

const GROUPS = '/api/v1/admin/tenants/default/groups'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
let member: Ask
let [ada, eve]: UserId[] = []
beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  const { id } = gateway.organization
  ;[ada, eve] = [await addUser(gateway, 'ada@example.com'), await addUser(gateway, 'eve@example.com')]
  await addMember(gateway, id, ada, 'tenant_member')
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: id }))
  member = createAsk(gateway, await addKey(gateway, { role: 'tenant_member', organization: id }))
})
afterAll(() => parts.disposeAsync())

test('a group is made, joined, left and removed by an administrator of the organization, and each is on record', async () => {
  const made = await admin(`PUT ${GROUPS}/finance`, { title: 'Finance', members: ['Ada@example.com'] })
  expect(made).toMatchObject({ status: 200, body: { slug: 'finance', members: [{ email: 'ada@example.com' }] } })
  expect((await admin(`DELETE ${GROUPS}/finance/members/${ada}`)).body).toMatchObject({ members: [] })
  expect((await admin(`PUT ${GROUPS}/finance/members/${ada}`)).body).toMatchObject({ members: [{ user_id: ada }] })
  // Fields that the request does not name are unchanged.
  expect((await admin(`PUT ${GROUPS}/finance`, {})).body).toEqual(made.body)
  expect((await admin(`GET ${GROUPS}`)).body).toMatchObject({ items: [made.body], total: 1 })
  expect((await admin(`DELETE ${GROUPS}/finance`)).status).toBe(204)
  expect((await admin(`GET ${GROUPS}`)).body).toMatchObject({ items: [], total: 0 })
  const changes = (await changesIn(gateway)).map(({ method }) => method)
  expect(changes.filter((method) => method.startsWith('group.'))).toEqual([
    'group.put',
    'group.leave',
    'group.join',
    'group.put',
    'group.remove',
  ])
})

test('nobody but a member of the organization is in its groups, and only administrators see them', async () => {
  await admin(`PUT ${GROUPS}/crew`, {})
  expect(await admin(`PUT ${GROUPS}/crew`, { members: ['eve@example.com'] })).toMatchObject({
    status: 422,
    body: { code: 'body.shape', detail: expect.stringContaining('/members/0') },
  })
  for (const at of [`PUT ${GROUPS}/crew/members/${eve}`, `PUT ${GROUPS}/none/members/${ada}`, `DELETE ${GROUPS}/none`])
    expect(await admin(at), at).toMatchObject({ status: 404, body: { code: 'thing.unknown' } })
  expect(await admin(`PUT ${GROUPS}/No%20slug`, {})).toMatchObject({ status: 422 })
  expect((await member(`GET ${GROUPS}`)).status).toBe(403)
})
