/**
 * Permission to approve a call: the number of approvers, the time limit, loss of the permission, and the ways to answer other
 * than a page.
 */
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  APPROVALS,
  answerOnPage,
  becomes,
  startApprovalStory,
  type ApprovalStory,
  type Approver,
} from '../peers/approval-story.ts'
import { ask, callTool } from '../peers/clients/raw-client.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'

let story: ApprovalStory
beforeAll(async () => {
  story = await startApprovalStory()
})
afterAll(() => story[Symbol.asyncDispose]())

const Nothing = z.object({})
const calls = (tool = 'write_note') => story.upstream.called.filter((name) => name === tool).length
const answer = ({ admin }: Pick<Approver, 'admin'>, id: string | undefined, said: object = { answer: 'grant' }) =>
  admin(`POST ${APPROVALS}/${id}/answer`, said)
let last = 0
/** A call that nobody made before. */
const fresh = () => ({ number: ++last })

describe('a quorum', () => {
  beforeAll(async () => void (await story.rule('two', { by: { roles: ['tenant_admin'] }, quorum: 2 })))
  afterAll(() => story.unrule('two'))

  test('is of different people: one who says yes twice is one', async () => {
    const { bob, cleo } = story.people
    const given = fresh()
    const { id } = await story.call('write_note', given)
    expect((await answer(bob, id)).body).toEqual({ state: 'pending', missing: 1 })
    expect((await answer(bob, id)).body).toEqual({ state: 'pending', missing: 1 })
    expect((await story.call('write_note', given)).code).toBe('APPROVAL_REQUIRED')
    const shown = (await cleo.admin(`GET ${APPROVALS}/${id}`)).body
    expect(shown).toMatchObject({
      yours: true,
      rules: [{ quorum: 2, granted: 1 }],
      answers: [{ by: bob.email, way: 'api' }],
    })
    expect((await answer(cleo, id)).body).toEqual({ state: 'granted', missing: 0 })
    const before = calls()
    expect((await story.call('write_note', given)).isError).toBe(false)
    expect(calls()).toBe(before + 1)
  })

  test('counts those who may still say it when the call is made, and nobody who was demoted meanwhile', async () => {
    const { bob, cleo } = story.people
    const given = fresh()
    const { id } = await story.call('write_note', given)
    await answer(bob, id)
    await answer(cleo, id)
    await becomes(story, id ?? '', 'granted')
    const role = (to: string) =>
      story.gateway.db.system((sql) => sql(Nothing)`update members set role = ${to} where user_id = ${cleo.id}`)
    await role('tenant_member')
    // She sees it no more, which is when the gateway knows.
    await until('cleo is a member', async () => (await cleo.admin(`GET ${APPROVALS}/${id}`)).status === 404)
    const before = calls()
    expect(await story.call('write_note', given)).toMatchObject({ code: 'APPROVAL_REQUIRED', id })
    expect(calls()).toBe(before)
    expect((await story.platform(`GET ${APPROVALS}/${id}`)).body).toMatchObject({
      state: 'pending',
      rules: [{ granted: 1 }],
    })
    await role('tenant_admin')
    await until('cleo administers again', async () => (await cleo.admin(`GET ${APPROVALS}/${id}`)).status === 200)
    expect((await story.call('write_note', given)).isError).toBe(false)
    expect(calls()).toBe(before + 1)
  })

  test('one no is a no, also after a yes', async () => {
    const { bob, cleo } = story.people
    const given = fresh()
    const { id } = await story.call('write_note', given)
    await answer(bob, id)
    expect((await answer(cleo, id, { answer: 'deny', note: 'too much' })).body).toEqual({ state: 'denied', missing: 0 })
    const told = await story.call('write_note', given)
    expect(told).toMatchObject({ isError: true, code: 'POLICY_VIOLATION' })
    expect(told.text).toContain('too much')
    expect((await answer(bob, id)).body).toMatchObject({ code: 'approval.over' })
    expect(await story.records(id ?? '')).toEqual(['approval.request', 'approval.grant', 'approval.deny'])
  })
})

describe('whoever calls', () => {
  test('grants nothing of their own, whatever their role is, unless the rule says so', async () => {
    await using _ = await story.rule('others', { by: { roles: ['tenant_admin'] } })
    const { bob, cleo } = story.people
    const given = fresh()
    const { id } = await story.call('write_note', given, { key: bob.token })
    const refused = await answer(bob, id)
    expect(refused).toMatchObject({ status: 403, body: { code: 'approval.forbidden' } })
    expect((await answerOnPage(story.gateway, `/approvals/${id}`, bob.email)).html).toContain(
      'someone else has to approve it',
    )
    // The grant of somebody else is for bob's call and nobody else's.
    await answer(cleo, id)
    expect((await story.call('write_note', given)).code).toBe('APPROVAL_REQUIRED')
    expect((await story.call('write_note', given, { key: bob.token })).isError).toBe(false)
  })

  test('grants nothing of a key that they made, and a key that was made with such a key is theirs too', async () => {
    await using _ = await story.rule('makers', { by: { roles: ['tenant_admin'] } })
    const { bob, cleo } = story.people
    const keys = 'POST /api/v1/admin/tenants/default/keys'
    const made = await bob.admin(keys, { name: 'helper', scope: 'tenant_admin' })
    expect(made.status, made.text).toBe(201)
    const first = String(made.body['key'])
    const again = await createAsk(story.gateway, first)(keys, { name: 'second helper' })
    expect(again.status, again.text).toBe(201)
    for (const key of [first, String(again.body['key'])]) {
      const given = fresh()
      const { id } = await story.call('write_note', given, { key })
      const refused = await answer(bob, id)
      expect(refused).toMatchObject({ status: 403, body: { code: 'approval.forbidden' } })
      expect(refused.body['detail']).toContain('nobody can approve their own call')
      expect((await answer(cleo, id)).status).toBe(200)
      expect((await story.call('write_note', given, { key })).isError).toBe(false)
    }
  })

  test('answers by no key: programs may look, and people answer', async () => {
    await using _ = await story.rule('people', {})
    const { id } = await story.call('write_note', fresh())
    const key = createAsk(story.gateway, await addKey(story.gateway, { role: 'platform_admin' }))
    expect((await key(`GET ${APPROVALS}/${id}`)).status).toBe(200)
    expect(await answer({ admin: key }, id)).toMatchObject({ status: 403, body: { code: 'approval.forbidden' } })
  })

  test('needs no new grant for the very same call while a rule lets it repeat', async () => {
    await using _ = await story.rule('hour', { repeat: 3600 })
    const given = fresh()
    const { id } = await story.call('write_note', given)
    await answer(story.people.bob, id)
    const before = calls()
    for (let times = 0; times < 3; times++) expect((await story.call('write_note', given)).isError).toBe(false)
    expect(calls()).toBe(before + 3)
    expect((await story.call('write_note', { ...given, more: 1 })).code).toBe('APPROVAL_REQUIRED')
    await story.gateway.db.system((sql) => sql(Nothing)`update approvals set good_until = now() where id = ${id}`)
    const { id: next } = await story.call('write_note', given)
    expect(next).not.toBe(id)
    expect(calls()).toBe(before + 3)
    // A grant for a period of time can be revoked, also after it was used.
    await answer(story.people.bob, next)
    expect((await story.call('write_note', given)).isError).toBe(false)
    expect(
      (await answerOnPage(story.gateway, `/approvals/${next}`, 'bob@example.com', 'deny', 'enough')).html,
    ).toContain('denied')
    expect((await story.call('write_note', given)).text).toContain('enough')
    expect(calls()).toBe(before + 4)
  })
})

test('a grant that was taken back carries no answer to a question of the server either', async () => {
  await using _ = await story.rule('hourly', { repeat: 3600 })
  const given = fresh()
  const { id = '' } = await story.call('write_note', given)
  await answer(story.people.bob, id)
  expect((await story.call('write_note', given)).isError).toBe(false)
  // As where the call ended with questions.
  await story.gateway.db.system((sql) => sql(Nothing)`update approvals set rounds = 2 where id = ${id}`)
  const goOn = async () => {
    const params = { name: 'write_note', arguments: given, inputResponses: { name: { action: 'accept', content: {} } } }
    const { answer: said } = await ask({ url: story.url, key: story.agent, era: 'modern' }, 'tools/call', params)
    return said.result?.content?.[0]?.text
  }
  expect(await goOn()).toBe('did write_note')
  await answer(story.people.bob, id, { answer: 'deny', note: 'enough' })
  const before = calls()
  expect(await goOn()).toContain('enough')
  expect(calls()).toBe(before)
})

test('a group is asked, and whoever is in it answers', async () => {
  const { bob, eve } = story.people
  const groups = '/api/v1/admin/tenants/default/groups'
  expect((await story.platform(`PUT ${groups}/on-call`, { title: 'On call' })).status).toBeLessThan(300)
  expect((await story.platform(`PUT ${groups}/on-call/members/${eve.id}`)).status).toBeLessThan(300)
  await using _ = await story.rule('grouped', { by: { groups: ['on-call'] } })
  const given = fresh()
  const { id } = await story.call('write_note', given)
  expect(await answer(bob, id)).toMatchObject({ status: 403 })
  await until('eve is in the group', async () => (await answer(eve, id)).status === 200)
  const before = calls()
  expect((await story.call('write_note', given)).isError).toBe(false)
  expect(calls()).toBe(before + 1)
})

describe('a question', () => {
  beforeAll(async () => void (await story.rule('plain', {})))
  afterAll(() => story.unrule('plain'))

  test('U-07: that nobody answers in time is a no, on record, and its caller hears of it once', async () => {
    const given = fresh()
    const { id } = await story.call('write_note', given)
    const before = calls()
    await story.gateway.db.system((sql) => sql(Nothing)`update approvals set expires_at = now() where id = ${id}`)
    await becomes(story, id ?? '', 'expired')
    await until('it is on record', async () => (await story.records(id ?? '')).includes('approval.expire'))
    expect(await answer(story.people.bob, id)).toMatchObject({ status: 409, body: { code: 'approval.over' } })
    expect((await story.call('write_note', given)).text).toMatch(
      /^POLICY_VIOLATION: The approval request for this call to write_note expired/,
    )
    const anew = await story.call('write_note', given)
    expect(anew.code).toBe('APPROVAL_REQUIRED')
    expect(anew.id).not.toBe(id)
    expect(calls()).toBe(before)
  })

  test('is another one when the tool is: a grant is for what was looked at', async () => {
    const given = fresh()
    const { id } = await story.call('write_note', given)
    await answer(story.people.bob, id)
    await story.gateway.db.system(
      (sql) => sql(Nothing)`
        update catalogs set digest = null, tools = (
          select jsonb_agg(case when t ->> 'name' = 'write_note' then t || '{"description": "Now it sends mail, too"}' else t end)
            from jsonb_array_elements(tools::jsonb) t)`,
    )
    await until(
      'the gateway lists the other tool',
      async () =>
        JSON.stringify((await callTool({ url: story.url, key: story.agent, era: 'modern' }, 'nothing')).answer) !==
          '' && (await story.call('write_note', given)).id !== undefined,
    )
    const told = await story.call('write_note', given)
    expect(told.code).toBe('APPROVAL_REQUIRED')
    expect(told.id).not.toBe(id)
    // As its server has it again: whichever gateway asks it next would change the tool under the next question.
    const connectors = '/api/v1/admin/tenants/default/connectors'
    const [work] = (await story.platform(`GET ${connectors}`)).body['items'] as { id: string }[]
    expect((await story.platform(`POST ${connectors}/${work?.id}/tools/sync`)).body).toMatchObject({ ok: true })
  })

  test('that was granted lets one call through, however many gateways it comes to at once', async () => {
    await using other = await story.gateway.another()
    const given = fresh()
    const { id } = await story.call('write_note', given)
    await answer(story.people.bob, id)
    const url = story.url.replace(story.gateway.address, other.address)
    await until('the other gateway knows the tool', async () => !(await story.call('look_up', {}, { url })).isError)
    const before = calls()
    const both = [story.url, url, story.url, url, story.url, url, story.url, url]
    const told = await Promise.all(both.map((at) => story.call('write_note', given, { url: at })))
    expect(told.filter(({ isError }) => !isError)).toHaveLength(1)
    expect(calls()).toBe(before + 1)
  })

  test('is bounded for each caller: too many that wait are refused', async () => {
    const { ada } = story.people
    const told = []
    for (let at = 0; at < 22; at++) told.push(await story.call('drop_all', fresh(), { key: ada.token }))
    expect(told.filter(({ code }) => code === 'APPROVAL_REQUIRED')).toHaveLength(20)
    expect(told.at(-1)).toMatchObject({ isError: true, code: 'RATE_LIMITED' })
  })

  test('is seen by who may answer and by who calls, and by nobody else; the list says the same', async () => {
    const { id } = await story.call('write_note', fresh(), { key: story.people.eve.token })
    const { ada, bob, eve } = story.people
    const ids = async ({ admin }: Approver) =>
      ((await admin(`GET ${APPROVALS}?state=pending&limit=200`)).body['items'] as { id: string }[]).map((one) => one.id)
    expect(await ids(bob)).toContain(id)
    expect(await ids(eve)).toEqual([id])
    expect(await ids(ada)).not.toContain(id)
    expect((await ada.admin(`GET ${APPROVALS}/${id}`)).status).toBe(404)
    expect((await answer(ada, id)).status).toBe(404)
    expect((await eve.admin(`GET ${APPROVALS}/${id}`)).body).toMatchObject({ yours: false })
    // The list of people is the console's, which asks the same.
    expect((await answerOnPage(story.gateway, `/approvals/${id}`, eve.email)).html).toContain(
      'someone else has to approve it',
    )
  })
})

describe('a webhook that the rule names', () => {
  let secret = ''
  let hook = ''
  const heard: { type: string; data: { detail: Record<string, unknown> } }[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      heard.push(JSON.parse(Buffer.concat(chunks).toString()))
      response.writeHead(204).end()
    })
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const added = await story.platform('POST /api/v1/admin/tenants/default/webhooks', {
      url,
      private: true,
      events: ['approval.requested', 'approval.granted', 'approval.denied', 'approval.expired'],
    })
    if (added.status !== 201) throw new Error(`the webhook was not added: ${added.text}`)
    secret = String(added.body['secret'])
    hook = String(added.body['id'])
    await story.rule('hooked', { by: { webhooks: [hook] } })
  })
  afterAll(async () => {
    await story.unrule('hooked')
    await new Promise((resolve) => server.close(resolve))
  })

  interface Message {
    readonly id?: string
    readonly at?: number
    readonly key?: string
    readonly body?: object
  }
  async function send(approval: string, { id = `msg_${++last}`, at = Date.now(), key = secret, body }: Message = {}) {
    const text = JSON.stringify(body ?? { approval, answer: 'grant' })
    const seconds = Math.floor(at / 1000)
    const signature = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'))
      .update(`${id}.${seconds}.${text}`)
      .digest('base64')
    const response = await fetch(`${story.gateway.address}/api/v1/approvals/${approval}/answer`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,AAAA v1,${signature}`,
      },
      body: text,
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('is told of the question, and its signed answer counts, once, while it is fresh', async () => {
    const given = fresh()
    const { id = '' } = await story.call('write_note', given)
    const told = await until('the webhook is told', () => heard.find(({ data }) => data.detail['approval'] === id))
    expect(told).toMatchObject({
      type: 'approval.requested',
      data: { detail: { tool: 'write_note', link: expect.stringContaining(`/approvals/${id}`) } },
    })
    // Arguments are in no message.
    expect(JSON.stringify(told)).not.toContain(`"number":${last}`)

    for (const [refused, status] of [
      [await send(id, { key: `whsec_${Buffer.alloc(32).toString('base64')}` }), 401],
      [await send(id, { at: Date.now() - 6 * 60_000 }), 401],
      [await send(id, { at: Date.now() + 6 * 60_000 }), 401],
      [await send(id, { body: { approval: `apr_${'0'.repeat(26)}`, answer: 'grant' } }), 422],
      [await send(id, { body: { approval: id, answer: 'maybe' } }), 422],
      [await send(`apr_${'0'.repeat(26)}`), 401],
    ] as const)
      expect(refused.status, JSON.stringify(refused.body)).toBe(status)
    expect((await story.platform(`GET ${APPROVALS}/${id}`)).body['state']).toBe('pending')

    const message = { id: 'msg_once' }
    expect(await send(id, message)).toEqual({ status: 200, body: { state: 'granted', missing: 0 } })
    expect(await send(id, message)).toMatchObject({ status: 401, body: { code: 'approval.signature' } })
    const before = calls()
    expect((await story.call('write_note', given)).isError).toBe(false)
    expect(calls()).toBe(before + 1)
    await until('the webhook is told of the end', () =>
      heard.some(({ type, data }) => type === 'approval.granted' && data.detail['approval'] === id),
    )
  })

  test('answers nothing that no rule names it for', async () => {
    await story.unrule('hooked')
    await using _ = await story.rule('not-hooked', {})
    const { id = '' } = await story.call('write_note', fresh())
    expect(await send(id)).toMatchObject({ status: 403, body: { code: 'approval.forbidden' } })
    expect((await story.platform(`GET ${APPROVALS}/${id}`)).body['state']).toBe('pending')
    await story.rule('hooked', { by: { webhooks: [hook] } })
  })
})
