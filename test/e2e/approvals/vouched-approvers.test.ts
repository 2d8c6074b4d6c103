/**
 * An answer "always" outlives whoever says who is speaking. So whoever another system vouches for (a key that calls on behalf of
 * members, a token of an issuer) answers for one call, and leaves no grant behind for the calls after it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { APPROVALS, startApprovalStory, type ApprovalStory } from '../peers/approval-story.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { createAsk } from '../peers/people/administrators.ts'
import { AUDIENCE, startIssuer, type Issuer } from '../peers/people/issuer.ts'
import { until } from '../peers/until.ts'

const LASTING = '/api/v1/organizations/default/lasting-approvals'
const FORM = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }

const parts = new AsyncDisposableStack()
let story: ApprovalStory
let issuer: Issuer
/** The same installation, which believes the tokens of an issuer. */
let outside: { address: string }
let behalf: string
beforeAll(async () => {
  story = parts.use(await startApprovalStory())
  issuer = parts.use(await startIssuer())
  outside = parts.use(
    await story.gateway.another({ TOOLWAY_JWT_ISSUER: issuer.address, TOOLWAY_JWT_AUDIENCE: AUDIENCE }),
  )
  const made = await story.platform('POST /api/v1/admin/tenants/default/keys', {
    ...{ name: 'chat', scope: 'tenant_member', trusted: true },
  })
  behalf = String(made.body['key'])
  await story.rule('own', { by: { roles: ['tenant_admin'], self: true }, always: true }, { tools: ['write_note'] })
})
afterAll(() => parts.disposeAsync())

const lasting = async () => (await story.platform(`GET ${LASTING}`)).body['items'] as unknown[]
const pending = async () =>
  (await story.platform(`GET ${APPROVALS}?state=pending`)).body['items'] as { id: string; caller: string }[]
const tokenOf = (email: string) => issuer.mint({ sub: email, email, email_verified: true, org_id: 'default' })
let turn = 0

interface Caller {
  readonly key: string
  readonly address?: string
  readonly headers?: Record<string, string>
}

/** A modern call whose person is asked in the client, and what the call ends with. */
async function call(
  { key, address = story.gateway.address, headers = {} }: Caller,
  text: string,
  more: Record<string, unknown> = {},
) {
  const url = story.url.replace(story.gateway.address, address)
  const params = { name: 'write_note', arguments: { text }, ...more }
  const { answer } = await ask({ url, key, era: 'modern' }, 'tools/call', params, { meta: FORM, headers })
  return { shown: JSON.stringify(answer), requestState: answer.result?.['requestState'] }
}

const ALWAYS = { approve: { action: 'accept', content: { for: 'always for this tool' } } }

test('a person who calls by themselves may say "always" in the client', async () => {
  const ada = { key: story.people.ada.token }
  const text = `turn ${++turn}`
  const { shown, requestState } = await call(ada, text)
  expect(shown).toContain('always for this tool')
  expect((await call(ada, text, { requestState, inputResponses: ALWAYS })).shown).toContain('did write_note')
  expect(await lasting()).toHaveLength(1)
})

test.each([
  [
    'whose token an issuer signed',
    async (): Promise<Caller> => ({ key: await tokenOf('bob@example.com'), address: outside.address }),
  ],
  [
    'for whom a trusted key calls',
    async (): Promise<Caller> => ({ key: behalf, headers: { 'x-on-behalf-of': 'bob@example.com' } }),
  ],
])('a caller %s is not offered "always", and says it in vain', async (_, callerOf) => {
  const before = await lasting()
  const caller = await callerOf()
  const text = `turn ${++turn}`
  const first = await call(caller, text)
  expect(first.shown).not.toContain('"enum":["this call"')
  // It says so all the same: that is an answer for this call at most.
  if (first.requestState !== undefined)
    await call(caller, text, { requestState: first.requestState, inputResponses: ALWAYS })
  expect(await lasting()).toEqual(before)
  const next = await call(caller, `turn ${++turn}`)
  expect(next.shown).not.toContain('did write_note')
})

test('an approver for whom somebody vouches answers nothing over the admin interface, and leaves nothing behind', async () => {
  const before = await lasting()
  await call({ key: story.people.eve.token }, `turn ${++turn}`)
  const open = await until('the request is there', async () =>
    (await pending()).find(({ caller }) => caller.includes('eve')),
  )
  const path = `POST ${APPROVALS}/${open.id}/answer`
  const bob = createAsk({ ...story.gateway, address: outside.address }, await tokenOf('bob@example.com'))
  const key = createAsk(story.gateway, behalf)
  for (const answer of ['always', 'grant'])
    for (const vouched of [bob, key]) expect((await vouched(path, { answer })).status).toBeGreaterThanOrEqual(403)
  expect((await pending()).map(({ id }) => id)).toContain(open.id)
  expect(await lasting()).toEqual(before)
  // Who has signed in answers it.
  const { bob: himself } = story.people
  expect((await himself.admin(path, { answer: 'always' })).body).toMatchObject({ lasting: expect.any(String) })
})
