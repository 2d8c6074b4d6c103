/** Tests who may vouch for an account. An organization's assignment is valid in that organization only. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, askAdmin, PASSWORD, signIn } from '../../../packages/gateway/src/testing/people.ts'

const [ADA, MALLORY, BETTY, VICTIM] = ['ada', 'mallory', 'betty', 'victim'].map((name) => `${name}@example.com`) as [
  string,
  string,
  string,
  string,
]

const idOf = async ({ db }: TestGateway, slug: string) => {
  const Row = z.object({ id: z.string() })
  const [row] = await db.system((sql) => sql(Row)`select id from organizations where slug = ${slug}`)
  return (row?.id ?? '') as TestGateway['organization']['id']
}

/** Ada has the platform, Mallory `default`, Betty `beta`. */
async function start() {
  const others = [{ slug: 'beta', name: 'Beta', connections: [], toolsets: [], keys: [] }]
  const gateway = await startTestGateway({ others })
  await addPerson(gateway.db, { email: ADA, platformAdmin: true })
  await addPerson(gateway.db, { email: MALLORY, roles: [[gateway.organization.id, 'tenant_admin']] })
  await addPerson(gateway.db, { email: BETTY, roles: [[await idOf(gateway, 'beta'), 'tenant_admin']] })
  await gateway.restart()
  const add = async (by: string, slug: string, more: object = {}) => {
    const { access_token: token } = await signIn(gateway.address, by)
    const body = { email: VICTIM, role: 'tenant_admin', ...more }
    return askAdmin(gateway.address, `POST /admin/tenants/${slug}/members`, { token, body })
  }
  const claim = (code: string) =>
    askAdmin(gateway.address, 'POST /auth/password-code', { body: { code, password: PASSWORD } })
  return { gateway, add, claim, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

test('an account that one organization made comes into another only when the platform vouches for it', async () => {
  await using here = await start()
  const made = await here.add(MALLORY, 'default')
  expect(made.status).toBe(201)
  // Before it is claimed and after, it is whose Mallory chose; Betty's organization would be theirs.
  const early = await here.add(BETTY, 'beta')
  expect([early.status, early.body.code]).toEqual([409, 'person.unproven'])
  expect((await here.claim(made.body.invitation.code)).status).toBe(204)
  const late = await here.add(BETTY, 'beta')
  expect([late.status, late.body.code]).toEqual([409, 'person.unproven'])
  // Word for word the same: whether it was claimed is nobody's business there.
  expect(late.body.detail).toBe(early.body.detail)
  expect((await here.add(BETTY, 'beta', { vouch: true })).status).toBe(409)
  expect((await here.add(ADA, 'beta')).status).toBe(409)

  const vouched = await here.add(ADA, 'beta', { vouch: true })
  expect([vouched.status, vouched.body.invitation]).toEqual([201, null])
})

test('whoever did not make an account is given no code for it', async () => {
  await using here = await start()
  const { access_token: token } = await signIn(here.gateway.address, ADA)
  const added = await askAdmin(here.gateway.address, 'POST /admin/users', { token, body: { email: VICTIM } })
  expect(added.status).toBe(201)
  const joined = await here.add(MALLORY, 'default')
  expect([joined.status, joined.body.invitation]).toEqual([201, null])
})
