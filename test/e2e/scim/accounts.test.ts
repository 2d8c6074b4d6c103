/** What SCIM may do to accounts: their addresses and texts are bounded, an administrator's address stays, and passwords are kept. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, addMember, addUser, changesIn, createAsk } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { createScim, GROUP, patch, tokenFor, USER, type Scim } from './scim-client.ts'

const Nothing = z.object({})
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let scim: Scim
beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  scim = createScim(gateway.address, 'default', await tokenFor(platform, 'default'))
})
afterAll(() => parts.disposeAsync())

const person = (userName: string, more: object = {}) => ({ schemas: [USER], userName, ...more })
async function add(userName: string, more: object = {}): Promise<string> {
  const made = await scim('POST /Users', person(userName, more))
  expect(made.status, made.text).toBe(201)
  return String(made.body['id'])
}
const addressOf = async (id: string) => {
  const Row = z.object({ email: z.string(), name: z.string() })
  const [row] = await gateway.db.system((sql) => sql(Row)`select email, name from users where id = ${id}`)
  return row
}
const renameTo = (value: string) =>
  patch(
    { op: 'replace', path: 'emails', value: [{ value, primary: true }] },
    { op: 'replace', path: 'displayName', value },
  )

test('addresses and texts that an account cannot have are refused', async () => {
  const id = await add('bounds@example.com')
  const group = String((await scim('POST /Groups', { schemas: [GROUP], displayName: 'Bounds' })).body['id'])
  const long = 'x'.repeat(257)
  const bad = [
    { emails: [{ value: 'no address' }] },
    { emails: [{ value: 'good@example.com', primary: true }, { value: 'a@b\nBcc: c@example.com' }] },
    { emails: [{ value: `${'x'.repeat(250)}@example.com` }] },
    { displayName: long },
    { externalId: long },
    { userName: long },
  ]
  const answers = []
  for (const more of bad) {
    answers.push(await scim('POST /Users', { ...person('bounds-2@example.com'), ...more }))
    answers.push(await scim(`PUT /Users/${id}`, { ...person('bounds@example.com'), ...more }))
    answers.push(await scim(`PATCH /Users/${id}`, patch({ op: 'replace', value: more })))
  }
  answers.push(await scim('POST /Groups', { schemas: [GROUP], displayName: 'Bounds 2', externalId: long }))
  answers.push(await scim(`PUT /Groups/${group}`, { schemas: [GROUP], displayName: 'Bounds', externalId: long }))
  answers.push(await scim(`PATCH /Groups/${group}`, patch({ op: 'replace', path: 'externalId', value: long })))
  for (const answer of answers)
    expect(answer, answer.text).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } })
  // The name of the account is cut, and no character of it in two.
  const cut = await add('cut@example.com', { displayName: `${'x'.repeat(99)}😀` })
  expect((await addressOf(cut))?.name).toBe('x'.repeat(99))
})

test('an organization has so many groups by SCIM, and no more', async () => {
  const { id } = gateway.organization
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`
      insert into groups (organization_id, slug, title, origin)
      select ${id}, 'many-' || at, 'Many', 'scim' from generate_series(1, 5000) as at`
    await sql(Nothing)`
      insert into scim_groups (organization_id, id, slug, display_name)
      select ${id}, 'scg_many' || at, 'many-' || at, 'Many ' || at from generate_series(1, 5000) as at`
  })
  const refusal = { status: 400, body: { scimType: 'tooMany' } }
  expect(await scim('POST /Groups', { schemas: [GROUP], displayName: 'More' })).toMatchObject(refusal)
  await gateway.db.system((sql) => sql(Nothing)`delete from groups where slug like 'many-%'`)
})

test('the address of an administrator stays, and every other new address is on record', async () => {
  const [admin, member] = [await add('admin@example.com'), await add('member@example.com')]
  await gateway.db.system((sql) => sql(Nothing)`update members set role = 'tenant_admin' where user_id = ${admin}`)
  for (const [id, value] of [
    [admin, 'taken-over@example.com'],
    [member, 'renamed@example.com'],
  ] as const)
    expect((await scim(`PATCH /Users/${id}`, renameTo(value))).body).toMatchObject({ displayName: value })
  expect(await addressOf(admin)).toEqual({ email: 'admin@example.com', name: 'taken-over@example.com' })
  expect(await addressOf(member)).toEqual({ email: 'renamed@example.com', name: 'renamed@example.com' })
  const renames = (await changesIn(gateway)).filter(({ method }) => method === 'member.change')
  expect(renames.map(({ resource_id: id, detail }) => [id, detail])).toEqual([
    [member, { email: 'renamed@example.com', before: 'member@example.com', by: 'SCIM' }],
  ])
})

test('whoever has a password or another provider keeps the account', async () => {
  const ids = [await add('password@example.com'), await add('provider@example.com'), await add('plain@example.com')]
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`update users set password = 'a hash' where id = ${ids[0] ?? ''}`
    await sql(
      Nothing,
    )`update users set provider = 'https://idp.example', provider_subject = 'x' where id = ${ids[1] ?? ''}`
  })
  for (const id of ids) expect((await scim(`DELETE /Users/${id}`)).status).toBe(204)
  expect((await Promise.all(ids.map((id) => addressOf(id)))).map((row) => row?.email)).toEqual([
    'password@example.com',
    'provider@example.com',
    undefined,
  ])
})

test('a change whose switch of active is refused changes nothing', async () => {
  const admin = await add('only-admin@example.com', { displayName: 'Before' })
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`update members set role = 'tenant_member' where role = 'tenant_admin'`
    await sql(Nothing)`update members set role = 'tenant_admin' where user_id = ${admin}`
  })
  const words = patch(
    { op: 'replace', path: 'displayName', value: 'After' },
    { op: 'replace', path: 'active', value: false },
  )
  expect((await scim(`PATCH /Users/${admin}`, words)).body).toMatchObject({ status: '409', scimType: 'mutability' })
  expect((await scim(`GET /Users/${admin}`)).body).toMatchObject({ displayName: 'Before', active: true })
  const other = await addUser(gateway, 'other-admin@example.com')
  await addMember(gateway, gateway.organization.id, other, 'tenant_admin')
  expect((await scim(`PATCH /Users/${admin}`, words)).body).toMatchObject({ displayName: 'After', active: false })
})
