/** A group of more members than an answer shows: it is changed and found, and its members are left out. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { createScim, GROUP, patch, tokenFor, USER, type Scim } from './scim-client.ts'

const Nothing = z.object({})
const MEMBERS = 10_001
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let scim: Scim
beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  scim = createScim(gateway.address, 'default', await tokenFor(platform, 'default'))
})
afterAll(() => parts.disposeAsync())

test('a group of more than 10,000 members is changed, listed and found by a member', async () => {
  const { id: organization } = gateway.organization
  const made = await scim('POST /Users', { schemas: [USER], userName: 'ada@example.com' })
  const ada = String(made.body['id'])
  const named = { schemas: [GROUP], displayName: 'Everybody' }
  const group = String((await scim('POST /Groups', { ...named, members: [{ value: ada }] })).body['id'])
  await scim('POST /Groups', { schemas: [GROUP], displayName: 'Few' })
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`
      insert into users (id, email, name)
      select 'usr_large' || at, 'large' || at || '@example.com', 'Large' from generate_series(1, ${MEMBERS}::int) as at`
    await sql(Nothing)`
      insert into members (organization_id, user_id, role)
      select ${organization}, 'usr_large' || at, 'tenant_member' from generate_series(1, ${MEMBERS}::int) as at`
    await sql(Nothing)`
      insert into group_members (organization_id, group_slug, user_id, source)
      select ${organization}, 'everybody', 'usr_large' || at, 'scim' from generate_series(1, ${MEMBERS}::int) as at`
  })
  const step = patch({ op: 'replace', path: 'externalId', value: 'e' })
  const patched = await scim(`PATCH /Groups/${group}`, step)
  expect([patched.status, patched.text, patched.headers.get('etag')]).toEqual([204, '', 'W/"2"'])
  const asked = await scim(`PATCH /Groups/${group}?attributes=displayName,members`, step)
  expect(asked).toMatchObject({ status: 200, body: { displayName: 'Everybody' } })
  expect(await scim(`GET /Groups/${group}`)).toMatchObject({ status: 400, body: { scimType: 'tooMany' } })
  const listed = await scim('GET /Groups')
  expect(listed.body).toMatchObject({ totalResults: 2 })
  expect(listed.body['Resources'].some((item: object) => 'members' in item)).toBe(false)
  const found = async (filter: string) => {
    const { body } = await scim(`GET /Groups?filter=${encodeURIComponent(filter)}&attributes=displayName`)
    return (body['Resources'] as { displayName: string }[]).map(({ displayName }) => displayName)
  }
  expect(await found(`members eq "${ada}"`)).toEqual(['Everybody'])
  expect(await found(`members[value eq "${ada}"] and displayName eq "everybody"`)).toEqual(['Everybody'])
  expect(await found(`not (members.value eq "${ada}")`)).toEqual(['Few'])
  const members = Array.from({ length: MEMBERS }, (_, at) => ({ value: `usr_large${at + 1}` }))
  const put = await scim(`PUT /Groups/${group}`, { ...named, members })
  expect(put).toMatchObject({ status: 200, body: { displayName: 'Everybody' } })
  expect(put.body['members']).toBeUndefined()
})
