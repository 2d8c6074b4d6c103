/**
 * Approval follows the tool (ledger S2-QRK-05): what reads goes on where its server is trusted, what writes is asked about once, always
 * for this tool, or not at all, and what destroys is asked about each time.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectClient, textOf } from '../peers/clients/client.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { answerOnPage, APPROVALS, startApprovalStory, type ApprovalStory } from '../peers/approval-story.ts'

const LASTING = '/api/v1/organizations/default/lasting-approvals'
const RULES = '/api/v1/organizations/default/rules'
const SETTINGS = 'PUT /api/v1/admin/tenants/default/settings'

let story: ApprovalStory
beforeAll(async () => {
  story = await startApprovalStory()
})
afterAll(() => story[Symbol.asyncDispose]())

const calls = (tool: string) => story.upstream.called.filter((name) => name === tool).length
const answer = (id: string | undefined, said: object) => story.people.bob.admin(`POST ${APPROVALS}/${id}/answer`, said)
async function lasting(): Promise<Record<string, unknown>[]> {
  const { status, text, body } = await story.platform(`GET ${LASTING}`)
  expect(status, text).toBe(200)
  return body['items']
}
let turn = 0
/** Other arguments each time: a grant for one call is good for no other. */
const fresh = () => ({ text: `turn ${++turn}` })

async function trust(trusted: boolean) {
  const connection = (await story.platform('GET /api/v1/admin/tenants/default/connectors')).body['items'] as {
    id: string
  }[]
  const { status, text } = await story.platform(
    `PUT /api/v1/admin/tenants/default/connectors/${connection[0]?.id}/lock`,
    { mode: 'off', trusted },
  )
  expect(status, text).toBe(200)
}

describe('an organization that has what writes asked about', () => {
  beforeAll(async () => void (await story.platform(SETTINGS, { approvals: 'ask-writes' })))
  afterAll(async () => void (await story.platform(SETTINGS, { approvals: 'none' })))

  test('S2-QRK-05, S2-BRG-05: read-only of a trusted server goes on, writes are asked about once, always or denied, what destroys always', async () => {
    await trust(false)
    // A server's own hints relax nothing until the server is trusted.
    expect((await story.call('look_up', fresh())).code).toBe('APPROVAL_REQUIRED')
    await trust(true)
    expect((await story.call('look_up', fresh())).text).toBe('did look_up')

    // Once: this very call, and the next is asked about.
    const given = fresh()
    const once = await story.call('write_note', given)
    expect(once.code).toBe('APPROVAL_REQUIRED')
    expect((await answer(once.id, { answer: 'grant' })).body).toEqual({ state: 'granted', missing: 0 })
    expect((await story.call('write_note', given)).text).toBe('did write_note')
    const next = await story.call('write_note', fresh())
    expect(next.code).toBe('APPROVAL_REQUIRED')

    // Deny: told to who calls.
    expect((await answer(next.id, { answer: 'deny', note: 'not now' })).body).toMatchObject({ state: 'denied' })

    // Always for this tool: whatever the arguments, without a question.
    const third = fresh()
    const asked = await story.call('write_note', third)
    expect((await story.platform(`GET ${APPROVALS}/${asked.id}`)).body['always']).toBe(true)
    const always = await answer(asked.id, { answer: 'always', note: 'notes are fine' })
    expect(always.body).toMatchObject({ state: 'granted', lasting: expect.stringMatching(/^lgr_/) })
    for (const more of [third, fresh(), fresh()])
      expect((await story.call('write_note', more)).text).toBe('did write_note')
    expect(await lasting()).toMatchObject([{ tool: 'write_note', granted_by: 'bob@example.com', uses: 2, ended: null }])

    // A destructive tool gets no standing grant.
    const drop = await story.call('drop_all', fresh())
    expect(drop.code).toBe('APPROVAL_REQUIRED')
    expect((await answer(drop.id, { answer: 'always' })).status).toBe(403)
    expect((await answer(drop.id, { answer: 'grant' })).status).toBe(200)
    expect((await story.call('drop_all', fresh())).code).toBe('APPROVAL_REQUIRED')

    // It is for that caller alone, and ends when somebody ends it.
    const other = await story.call('write_note', fresh(), { key: story.people.eve.token })
    expect(other.code).toBe('APPROVAL_REQUIRED')
    const [row] = await lasting()
    expect((await story.people.eve.admin(`DELETE ${LASTING}/${String(row?.['id'])}`)).status).toBe(404)
    expect((await story.people.bob.admin(`DELETE ${LASTING}/${String(row?.['id'])}`)).status).toBe(204)
    expect((await story.call('write_note', fresh())).code).toBe('APPROVAL_REQUIRED')
  })

  test('the person behind a call says always in their own client, and on the page of the question', async () => {
    const FORM = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const { ada } = story.people
    const before = calls('write_note')
    const callAs = async (more: Record<string, unknown> = {}, text = `by form ${++turn}`) =>
      (
        await ask(
          { url: story.url, key: ada.token, era: 'modern' },
          'tools/call',
          { name: 'write_note', arguments: { text }, ...more },
          { meta: FORM },
        )
      ).answer.result ?? {}
    const first = await callAs({}, 'form')
    expect(JSON.stringify(first)).toContain('always for this tool')
    const back = {
      requestState: first['requestState'],
      inputResponses: { approve: { action: 'accept', content: { for: 'always for this tool' } } },
    }
    expect(JSON.stringify(await callAs(back, 'form'))).toContain('did write_note')
    expect(JSON.stringify(await callAs())).toContain('did write_note')
    expect(calls('write_note')).toBe(before + 2)

    const asked = await story.call('write_note', fresh())
    const page = await answerOnPage(story.gateway, `/approvals/${asked.id}`, 'bob@example.com')
    expect(page.html).toContain('Always for this tool')
    expect((await answer(asked.id, { answer: 'always' })).status).toBe(200)
    await using client = await connectClient({ kind: 'SDK 1', url: story.url, key: story.agent })
    // Another client of the same key says its own name, and is the same caller: a key of nobody has no other.
    expect(textOf(await client.call('write_note', fresh()))).toBe('did write_note')
    for (const { id } of await lasting()) await story.platform(`DELETE ${LASTING}/${String(id)}`)
  })
})

describe('always', () => {
  test('is for a rule to allow, ends with the rule as it was, and with the role of who said it', async () => {
    await using _ = await story.rule('each-time')
    const asked = await story.call('write_note', fresh())
    expect((await story.platform(`GET ${APPROVALS}/${asked.id}`)).body['always']).toBe(false)
    expect((await answer(asked.id, { answer: 'always' })).status).toBe(403)
    await story.unrule('each-time')

    await using __ = await story.rule('may-last', { by: { roles: ['tenant_admin'] }, always: true })
    const next = await story.call('write_note', fresh())
    expect((await answer(next.id, { answer: 'always' })).status).toBe(200)
    expect((await story.call('write_note', fresh())).text).toBe('did write_note')

    const member = `PATCH /api/v1/admin/tenants/default/members/${story.people.bob.id}`
    expect((await story.platform(member, { role: 'tenant_member' })).status).toBe(200)
    expect((await story.call('write_note', fresh())).code).toBe('APPROVAL_REQUIRED')
    expect(await lasting()).toMatchObject([{ ended: 'giver' }])
    await story.platform(member, { role: 'tenant_admin' })
    expect((await story.call('write_note', fresh())).text).toBe('did write_note')

    const rules = (await story.platform(`GET ${RULES}`)).body['items'] as { id: string; name: string }[]
    const id = rules.find(({ name }) => name === 'may-last')?.id
    expect((await story.platform(`PUT ${RULES}/${id}`, { match: { tools: ['write_*'] } })).status).toBe(200)
    expect((await story.call('write_note', fresh())).code).toBe('APPROVAL_REQUIRED')
    expect(await lasting()).toMatchObject([{ ended: 'rule' }])
  })
})
