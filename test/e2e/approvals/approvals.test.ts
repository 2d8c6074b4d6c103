/** A call that a rule wants somebody's word for: asked in a client that keeps nothing, answered elsewhere, and made once. */
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient, textOf, type Kind } from '../peers/clients/client.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { connectLegacyTaskClient, connectTaskClient } from '../peers/clients/task-clients.ts'
import { answerOnPage, APPROVALS, LINK, startApprovalStory, type ApprovalStory } from '../peers/approval-story.ts'
import { until } from '../peers/until.ts'

let story: ApprovalStory
beforeAll(async () => {
  story = await startApprovalStory()
})
afterAll(() => story[Symbol.asyncDispose]())

const calls = (tool: string) => story.upstream.called.filter((name) => name === tool).length

describe('a stateless client', () => {
  test('U-07, S3-AUD-04: is told who is asked, and its very same call runs once when that is granted in another window', async () => {
    await using _ = await story.rule('look-first', { by: { roles: ['tenant_admin'] } })
    const { bob, eve } = story.people
    const asked = await story.call('write_note', { text: 'hello', to: 'all\u200b\u202e' })
    expect(asked).toMatchObject({ isError: true, code: 'APPROVAL_REQUIRED' })
    expect(asked.text).toContain('Somebody looks first')
    const id = asked.id ?? ''
    // Asked again it is the same question, whoever writes the arguments in whatever order.
    expect((await story.call('write_note', { to: 'all\u200b\u202e', text: 'hello' })).id).toBe(id)
    expect(calls('write_note')).toBe(0)

    // A member who is not asked sees nothing of it.
    expect((await eve.admin(`GET ${APPROVALS}/${id}`)).status).toBe(404)
    expect((await answerOnPage(story.gateway, `/approvals/${id}`, eve.email)).status).toBe(404)
    const seen = await answerOnPage(story.gateway, `/approvals/${id}`, bob.email)
    for (const text of [
      'write_note',
      'work',
      '&quot;text&quot;: &quot;hello&quot;',
      // Invisible characters are shown.
      'all⟨U+200B⟩⟨U+202E⟩',
      'Somebody looks first',
      'look-first',
    ])
      expect(seen.html).toContain(text)

    const granted = await answerOnPage(story.gateway, `/approvals/${id}`, bob.email, 'grant', 'fine with me')
    expect(granted.html).toContain('approved, not used yet')
    // One other byte is another call.
    const other = await story.call('write_note', { text: 'hello!', to: 'all\u200b\u202e' })
    expect(other.code).toBe('APPROVAL_REQUIRED')
    expect(other.id).not.toBe(id)
    expect(calls('write_note')).toBe(0)
    const ran = await story.call('write_note', { text: 'hello', to: 'all\u200b\u202e' })
    expect(ran).toMatchObject({ isError: false, text: 'did write_note' })
    expect(calls('write_note')).toBe(1)
    // The grant is used: the same once more is asked anew.
    const again = await story.call('write_note', { text: 'hello', to: 'all\u200b\u202e' })
    expect(again.code).toBe('APPROVAL_REQUIRED')
    expect([id, other.id]).not.toContain(again.id)
    expect(calls('write_note')).toBe(1)
    expect(await story.records(id)).toEqual(['approval.request', 'approval.grant', 'approval.use'])
  })
})

describe('a client that can ask its person', () => {
  beforeAll(async () => void (await story.rule('own', { by: { self: true } })))
  afterAll(() => story.unrule('own'))
  const KINDS: readonly Kind[] = ['SDK 2 pinned to 2026-07-28', 'SDK 2 legacy', 'SDK 1']

  test.each(KINDS)('puts the question to whoever calls, and the call goes on by itself: %s', async (kind) => {
    const before = calls('write_note')
    const { token } = story.people.ada
    await using client = await connectClient({ kind, url: story.url, key: token, answers: true })
    expect(textOf(await client.call('write_note', { text: kind }))).toBe('did write_note')
    expect(client.asked).toHaveLength(1)
    expect(String(client.asked[0]?.params?.['message'])).toContain(`"text": "${kind}"`)
    expect(calls('write_note')).toBe(before + 1)
    // Each call is asked about.
    await client.call('write_note', { text: kind })
    expect(client.asked).toHaveLength(2)
  })

  test('is not believed where a program calls: nobody is behind a key of nobody', async () => {
    const before = calls('write_note')
    await using client = await connectClient({
      kind: 'SDK 2 pinned to 2026-07-28',
      url: story.url,
      key: story.agent,
      answers: true,
    })
    const result = await client.call('write_note', { text: 'program' })
    expect(textOf(result)).toMatch(/^APPROVAL_REQUIRED/)
    expect(client.asked).toEqual([])
    expect(calls('write_note')).toBe(before)
  })

  test('a state of a question is good for nobody else, for no other call, and a no is a no', async () => {
    const FORM = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const before = calls('write_note')
    const { ada, eve } = story.people
    const callAs = (key: string, more: Record<string, unknown> = {}, given: object = { text: 'by hand' }) =>
      ask(
        { url: story.url, key, era: 'modern' },
        'tools/call',
        { name: 'write_note', arguments: given, ...more },
        { meta: FORM },
      )
    const first = (await callAs(ada.token)).answer.result ?? {}
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { approve: { method: 'elicitation/create' } },
    })
    const back = { requestState: first['requestState'], inputResponses: { approve: { action: 'accept', content: {} } } }
    for (const { answer } of [
      await callAs(eve.token, back),
      await callAs(ada.token, back, { text: 'by hand!' }),
      await callAs(ada.token, { ...back, requestState: `${String(back.requestState).slice(0, -3)}AAA` }),
    ])
      expect(answer.error?.data).toMatchObject({ fault: 'state.unknown' })
    const declined = { ...back, inputResponses: { approve: { action: 'decline' } } }
    expect((await callAs(ada.token, declined)).answer.result?.['_meta']).toMatchObject({
      'dev.toolway/fault': { code: 'POLICY_VIOLATION', fault: 'approval.denied' },
    })
    // A caller whose call was denied is notified, and no approval is requested again at once.
    expect((await callAs(ada.token)).answer.result?.['_meta']).toMatchObject({
      'dev.toolway/fault': { fault: 'approval.denied' },
    })
    expect((await callAs(ada.token, back)).answer.result?.['_meta']).toMatchObject({
      'dev.toolway/fault': { fault: 'approval.denied' },
    })
    expect(calls('write_note')).toBe(before)
  })

  test('an old answer starts no second call: the state of a question that is used up asks anew', async () => {
    const FORM = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const { ada } = story.people
    const before = calls('write_note')
    const callIt = async (more: Record<string, unknown> = {}) =>
      (
        await ask(
          { url: story.url, key: ada.token, era: 'modern' },
          'tools/call',
          { name: 'write_note', arguments: { text: 'twice' }, ...more },
          { meta: FORM },
        )
      ).answer.result ?? {}
    const { requestState } = await callIt()
    const back = { requestState, inputResponses: { approve: { action: 'accept', content: { note: 'mine' } } } }
    expect(JSON.stringify(await callIt(back))).toContain('did write_note')
    expect(await callIt(back)).toMatchObject({ resultType: 'input_required' })
    expect(calls('write_note')).toBe(before + 1)
  })
})

describe('a client that opens pages', () => {
  beforeAll(async () => void (await story.rule('page', { by: { members: ['bob@example.com'] } })))
  afterAll(() => story.unrule('page'))
  const KINDS: readonly Kind[] = ['SDK 2 pinned to 2026-07-28', 'SDK 2 legacy', 'SDK 1']

  test.each(KINDS)('is sent to the page, and goes on once somebody said yes there: %s', async (kind) => {
    const before = calls('drop_all')
    await using client = await connectClient({
      kind,
      url: story.url,
      key: story.agent,
      opens: (link) => answerOnPage(story.gateway, new URL(link).pathname, 'bob@example.com', 'grant'),
    })
    expect(textOf(await client.call('drop_all', { what: kind }))).toBe('did drop_all')
    expect(client.asked).toMatchObject([{ params: { mode: 'url', url: expect.stringMatching(LINK) } }])
    expect(calls('drop_all')).toBe(before + 1)
  })

  test.each(KINDS)('hears of a no that is said there, with its reason: %s', async (kind) => {
    const before = calls('drop_all')
    await using client = await connectClient({
      kind,
      url: story.url,
      key: story.agent,
      opens: (link) => answerOnPage(story.gateway, new URL(link).pathname, 'bob@example.com', 'deny', 'not today'),
    })
    const result = await client.call('drop_all', { no: kind })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('not today')
    expect(calls('drop_all')).toBe(before)
  })
})

/** Each decision of a rule on each effect, told by a client of each era. */
describe('U-07: an effect under a decision', () => {
  const EFFECTS = { read: 'look_up', write: 'write_note', destructive: 'drop_all' } as const
  const ERAS = ['modern', 'legacy'] as const
  const each = Object.keys(EFFECTS).flatMap((effect) =>
    (['allow', 'approve', 'hide'] as const).flatMap((decision) => ERAS.map((era) => [effect, decision, era] as const)),
  )
  test.each(each)('%s, %s, %s client', async (effect, decision, era) => {
    const tool = EFFECTS[effect as keyof typeof EFFECTS]
    const rules = '/api/v1/organizations/default/rules'
    const action = decision === 'allow' ? 'warn' : decision
    const said = { name: 'one', action, reason: 'As it is tried', match: { effects: [effect] } }
    const added = await story.platform(`POST ${rules}`, decision === 'approve' ? { ...said, parameters: {} } : said)
    expect(added.status, added.text).toBe(201)
    const before = calls(tool)
    const kind = era === 'modern' ? 'SDK 2 pinned to 2026-07-28' : 'SDK 1'
    await using client = await connectClient({ kind, url: story.url, key: story.agent })
    const given = { try: `${effect} ${decision} ${era}` }
    const listed = (await client.tools()).map(({ name }) => name)
    expect(listed.includes(tool)).toBe(decision !== 'hide')
    if (decision === 'hide') await expect(client.call(tool, given)).rejects.toThrow(/Unknown tool/)
    else if (decision === 'approve') {
      const text = textOf(await client.call(tool, given))
      expect(text).toMatch(/^APPROVAL_REQUIRED/)
      const granted = await story.people.bob.admin(`POST ${APPROVALS}/${LINK.exec(text)?.[1]}/answer`, {
        answer: 'grant',
      })
      expect(granted.body).toEqual({ state: 'granted', missing: 0 })
      expect(textOf(await client.call(tool, given))).toBe(`did ${tool}`)
    } else expect(textOf(await client.call(tool, given))).toBe(`did ${tool}`)
    expect(calls(tool) - before).toBe(decision === 'hide' ? 0 : 1)
    await story.platform(`DELETE ${rules}/${String(added.body['id'])}`)
  })
})

describe('a client that keeps tasks', () => {
  beforeAll(async () => void (await story.rule('long', { wait: 86_400 })))
  afterAll(() => story.unrule('long'))

  const waiting = (given: object) =>
    until('the question is there', async () => {
      const { body } = await story.platform(`GET ${APPROVALS}?state=pending`)
      for (const { id } of body['items'] as { id: string }[]) {
        const { body: whole } = await story.platform(`GET ${APPROVALS}/${id}`)
        if (JSON.stringify(whole['arguments']) === JSON.stringify(given)) return id
      }
      return undefined
    })
  const answer = (id: string, said: object) => story.people.bob.admin(`POST ${APPROVALS}/${id}/answer`, said)

  test('is told by the endpoint that there are tasks, though its server has none', async () => {
    const { answer: told } = await ask({ url: story.url, key: story.agent, era: 'modern' }, 'server/discover')
    expect(told.result?.['capabilities']).toMatchObject({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
  })

  test('is given one that ends with the result of the call, which runs once', async () => {
    const before = calls('write_note')
    await using peer = await connectTaskClient({ url: story.url, key: story.agent })
    const given = { text: 'as a task' }
    const execution = await peer.session.callTool('write_note', given)
    const result = execution.result()
    const id = await waiting(given)
    expect(calls('write_note')).toBe(before)
    await answer(id, { answer: 'grant' })
    expect(JSON.stringify(await result)).toContain('did write_note')
    expect(calls('write_note')).toBe(before + 1)
    expect(await story.records(id)).toEqual(['approval.request', 'approval.grant', 'approval.use'])
  })

  const TASKS = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  }
  const modern = (method: string, params: Record<string, unknown>, key = story.agent, url = story.url) =>
    ask({ url, key, era: 'modern' }, method, params, { meta: TASKS })

  test('asks after it with whatever gateway, while others find no such task, and hears of a no as its end', async () => {
    await using other = await story.gateway.another()
    const elsewhere = story.url.replace(story.gateway.address, other.address)
    const given = { text: 'with another gateway' }
    const { answer: made } = await modern('tools/call', { name: 'write_note', arguments: given })
    expect(made.result).toMatchObject({
      resultType: 'task',
      status: 'working',
      statusMessage: expect.stringMatching(LINK),
    })
    const { taskId } = made.result ?? {}
    const stranger = await modern('tasks/get', { taskId }, story.people.ada.token)
    expect(JSON.stringify(stranger.answer)).not.toContain('working')
    const before = calls('write_note')
    await answer(await waiting(given), { answer: 'grant' })
    await until(
      'the other gateway knows the tool',
      async () => !(await story.call('look_up', {}, { url: elsewhere })).isError,
    )
    // Both are asked at once: the call is made by one of them.
    await Promise.all(
      [story.url, elsewhere, story.url, elsewhere].map((url) => modern('tasks/get', { taskId }, story.agent, url)),
    )
    const ended = await until('it is over', async () => {
      const { answer: told } = await modern('tasks/get', { taskId }, story.agent, elsewhere)
      return told.result?.['status'] === 'completed' && told.result
    })
    expect(JSON.stringify(ended['result'])).toContain('did write_note')
    expect(calls('write_note')).toBe(before + 1)

    const refused = { text: 'never' }
    const { answer: second } = await modern('tools/call', { name: 'write_note', arguments: refused })
    await answer(await waiting(refused), { answer: 'deny' })
    const { answer: told } = await modern('tasks/get', { taskId: second.result?.['taskId'] })
    expect(told.result).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(calls('write_note')).toBe(before + 1)
  })

  test('withdraws its question by ending the task', async () => {
    const given = { text: 'withdrawn' }
    const { answer: made } = await modern('tools/call', { name: 'write_note', arguments: given })
    const id = await waiting(given)
    await modern('tasks/cancel', { taskId: made.result?.['taskId'] })
    expect((await story.platform(`GET ${APPROVALS}/${id}`)).body).toMatchObject({ state: 'denied' })
    expect(await story.records(id)).toEqual(['approval.request', 'approval.withdraw'])
  })

  test('of 2025-11-25 is given one where it asks for one, and waits for its result', async () => {
    const before = calls('drop_all')
    await using peer = await connectLegacyTaskClient({ url: story.url, key: story.agent })
    const given = { text: 'legacy' }
    const created = await peer.client.request(
      { method: 'tools/call', params: { name: 'drop_all', arguments: given, task: { ttl: 60_000 } } },
      CreateTaskResultSchema,
    )
    expect(created.task).toMatchObject({ status: 'working' })
    const result = peer.tasks.getTaskResult(created.task.taskId, CallToolResultSchema)
    await answer(await waiting(given), { answer: 'grant' })
    expect(JSON.stringify(await result)).toContain('did drop_all')
    expect(calls('drop_all')).toBe(before + 1)
  })
})

describe('an organization that has what writes asked about', () => {
  const settle = (approvals: string) => story.platform('PUT /api/v1/admin/tenants/default/settings', { approvals })
  const trust = (trusted: boolean) =>
    story.platform('PUT /api/v1/admin/tenants/default/connectors/work/lock', { mode: 'off', trusted })
  const isAsked = async (tool: string) => (await story.call(tool, { when: `${tool} now` })).code === 'APPROVAL_REQUIRED'

  test('S2-BRG-05: is asked for every tool that is not known to read only; that it reads is believed of trusted servers', async () => {
    await trust(false)
    expect(await isAsked('write_note')).toBe(false)
    expect((await settle('ask-writes')).body).toMatchObject({ approvals: 'ask-writes' })
    await until('writing is asked about', () => isAsked('write_note'))
    expect([await isAsked('drop_all'), await isAsked('look_up')]).toEqual([true, true])
    await trust(true)
    await until('reading is believed', async () => !(await isAsked('look_up')))
    expect([await isAsked('drop_all'), await isAsked('write_note')]).toEqual([true, true])
    // The calling client gets the approval request where a user is behind the call.
    await using client = await connectClient({
      kind: 'SDK 2 legacy',
      url: story.url,
      key: story.people.ada.token,
      answers: true,
    })
    expect(textOf(await client.call('drop_all', { who: 'ada' }))).toBe('did drop_all')
    expect(client.asked).toHaveLength(1)
    await settle('off')
    await until('nobody is asked', async () => !(await isAsked('write_note')))
  })
})

test('the record of a call names the question that let it through, and that of a refused one the question it waits for', async () => {
  await using _ = await story.rule('named', {})
  const given = { text: 'recorded' }
  const { id } = await story.call('write_note', given)
  await story.people.bob.admin(`POST ${APPROVALS}/${id}/answer`, { answer: 'grant' })
  await story.call('write_note', given)
  const named = await until('both calls are on record', async () => {
    const rows = await story.gateway.db.system(
      (sql) => sql(z.object({ outcome: z.string(), code: z.string().nullable() }))`
        select outcome, code from records where kind = 'call' and detail::text like ${`%${id}%`} order by seq`,
    )
    return rows.length === 2 && rows
  })
  expect(named).toEqual([
    { outcome: 'refused', code: 'approval.required' },
    { outcome: 'ok', code: null },
  ])
  // The arguments of the call go into no record.
  const records = await story.gateway.db.system(
    (sql) =>
      sql(
        z.object({ count: z.int() }),
      )`select count(*)::int as count from records where detail::text like '%recorded%'`,
  )
  expect(records).toEqual([{ count: 0 }])
})

describe('a call whose server asks back', () => {
  test('goes on with its grant when that is answered, and an answer to nothing is another call', async () => {
    await using server = await startEverythingServer({ era: 'modern' })
    const gateway = story.gateway
    const added = await story.platform('POST /api/v1/admin/tenants/default/connectors', {
      alias: 'asks',
      connector: 'mcp.http',
      url: server.url,
      private: true,
    })
    expect(added.status, added.text).toBe(201)
    await gateway.settled('asks')
    await using _ = await story.rule('back', { by: { self: true } }, { tools: ['test_input_required_result_*'] })
    const { token } = story.people.ada
    const url = gateway.connectionUrl('asks')
    const kind = 'SDK 2 pinned to 2026-07-28'
    await using client = await connectClient({ kind, url, key: token, answers: true })
    expect(textOf(await client.call('test_input_required_result_elicitation'))).toBe('Hello, Ada!')
    // The approval, then the server's own question.
    expect(client.asked.map(({ params }) => String(params?.['message']).slice(0, 8))).toEqual(['Run test', 'What is '])
    expect(textOf(await client.call('test_input_required_result_multi_round'))).toBe('Both questions were answered.')
    const FORM = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } }
    const forged = {
      name: 'test_input_required_result_elicitation',
      arguments: {},
      inputResponses: { user_name: { action: 'accept', content: { name: 'Eve' } } },
    }
    const { answer } = await ask({ url, key: token, era: 'modern' }, 'tools/call', forged, { meta: FORM })
    expect(answer.result).toMatchObject({ resultType: 'input_required', inputRequests: { approve: {} } })
  })
})
