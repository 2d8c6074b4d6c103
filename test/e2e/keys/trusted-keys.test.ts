/** Keys that call on behalf of members: who may make them, what they reach, and who is behind a call that they make. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hintOf, mintKey } from '../../../packages/gateway/src/identity/keys/key-forms.ts'
import { addKey as storeKey } from '../../../packages/gateway/src/identity/keys/keys.ts'
import { createTestVault } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { APPROVALS, startApprovalStory, type ApprovalStory, type Approver } from '../peers/approval-story.ts'
import { createAsk } from '../peers/people/administrators.ts'
import { tokenOf } from '../peers/people/people.ts'
import { requestOf } from '../../fault/caller.ts'

const KEYS = '/api/v1/admin/tenants/default/keys'
const WISH = { name: 'chat', scope: 'tenant_member', trusted: true }
const Row = z.object({ id: z.string() })

let story: ApprovalStory
let root: Approver
beforeAll(async () => {
  story = await startApprovalStory()
  const { gateway } = story
  const user = await addPerson(gateway.db, { email: 'root@example.com', platformAdmin: true })
  const token = await tokenOf(user.id, gateway)
  root = { email: user.email, id: user.id, token, admin: createAsk(gateway, token) }
})
afterAll(() => story[Symbol.asyncDispose]())

/** As a version stored it in which administrators of organizations could make such keys. */
async function storedBy(maker: string, name: string): Promise<{ id: string; key: string }> {
  const { gateway } = story
  const key = mintKey()
  const hash = createTestVault().hash(key)
  const row = await gateway.db.organization(gateway.organization.id, (sql) =>
    storeKey(sql, {
      ...{ organizationId: gateway.organization.id, name, hint: hintOf(key), hash, toolset: undefined },
      ...{ origin: 'admin', createdBy: maker, trustedBy: maker },
    }),
  )
  await gateway.db.system((sql) => sql(Row)`update keys set trusted_by = null where name = ${name} returning id`)
  return { id: row?.id ?? '', key }
}

const callFor = async (key: string, email: string | undefined, name: string, given: object = {}) => {
  const { headers, body } = requestOf('tools/call', { name, arguments: given }, key)
  const more = email === undefined ? {} : { 'x-on-behalf-of': email }
  const response = await fetch(story.url, { method: 'POST', headers: { ...headers, ...more }, body })
  return { status: response.status, text: await response.text() }
}

describe('a key that calls on behalf of members', () => {
  test('is made by a platform administrator, and by no administrator of an organization', async () => {
    const { bob } = story.people
    const refused = await bob.admin(`POST ${KEYS}`, WISH)
    expect(refused).toMatchObject({ status: 403, body: { code: 'key.beyond' } })
    expect(refused.body['detail']).toContain('platform administrator')
    // Nor with a key of theirs.
    const own = await bob.admin(`POST ${KEYS}`, { name: 'of bob', scope: 'tenant_admin' })
    const again = await createAsk(story.gateway, String(own.body['key']))(`POST ${KEYS}`, WISH)
    expect(again).toMatchObject({ status: 403, body: { code: 'key.beyond' } })
    const made = await root.admin(`POST ${KEYS}`, WISH)
    expect(made).toMatchObject({ status: 201, body: { trusted: true, trust_waits: false } })
    expect((await callFor(String(made.body['key']), story.people.ada.email, 'look_up')).status).toBe(200)
  })

  test('that an administrator of the organization made earlier is refused with a member’s name until it is allowed', async () => {
    const { bob, ada } = story.people
    const { id, key } = await storedBy(bob.id, 'earlier')
    const refused = await callFor(key, ada.email, 'look_up')
    expect(refused).toMatchObject({ status: 403 })
    expect(refused.text).toContain('behalf.waits')
    // It is no longer Ada, and it is still itself.
    expect((await callFor(key, undefined, 'look_up')).status).toBe(200)
    const listed = (await bob.admin(`GET ${KEYS}`)).body['items'] as { id: string; trust_waits: boolean }[]
    expect(listed.find((one) => one.id === id)).toMatchObject({ trusted: true, trust_waits: true })

    expect((await bob.admin(`POST /api/v1/auth/keys/${id}/trust`)).status).toBe(403)
    const allowed = await root.admin(`POST /api/v1/auth/keys/${id}/trust`)
    expect(allowed).toMatchObject({ status: 200, body: { trust_waits: false } })
    expect((await callFor(key, ada.email, 'look_up')).status).toBe(200)
    expect((await root.admin(`POST /api/v1/auth/keys/${id}/trust`)).status).toBe(404)
  })

  test('gives its maker no second pair of eyes, whoever it names and whatever the rule says of callers', async () => {
    await using _ = await story.rule('eyes', { by: { roles: ['tenant_admin'], self: true } })
    const { ada, bob, cleo } = story.people
    const { id: keyId, key } = await storedBy(bob.id, 'eyes')
    expect((await root.admin(`POST /api/v1/auth/keys/${keyId}/trust`)).status).toBe(200)
    const given = { number: 70_001 }
    const asked = await callFor(key, ada.email, 'write_note', given)
    const id = /apr_[a-z0-9]{26}/.exec(asked.text)?.[0] ?? ''
    expect(id, asked.text).not.toBe('')
    const answer = { answer: 'grant' }
    expect(await bob.admin(`POST ${APPROVALS}/${id}/answer`, answer)).toMatchObject({
      status: 403,
      body: { code: 'approval.forbidden' },
    })
    expect((await cleo.admin(`POST ${APPROVALS}/${id}/answer`, answer)).body).toEqual({ state: 'granted', missing: 0 })
    expect((await callFor(key, ada.email, 'write_note', given)).text).not.toContain('APPROVAL_REQUIRED')
  })

  test('is under the rules of the member that it names', async () => {
    const { ada, eve } = story.people
    await using _ = await story.rule('ada', {}, { effects: ['read'], when: `principal.email == "${ada.email}"` })
    const made = await root.admin(`POST ${KEYS}`, { ...WISH, name: 'ruled' })
    const key = String(made.body['key'])
    expect((await callFor(key, ada.email, 'look_up')).text).toContain('APPROVAL_REQUIRED')
    expect((await callFor(key, eve.email, 'look_up')).text).not.toContain('APPROVAL_REQUIRED')
  })
})
