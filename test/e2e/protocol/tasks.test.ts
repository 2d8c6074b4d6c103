/**
 * Tests that a call that becomes a task completes, regardless of which side manages the task. Within each era and across them, on
 * one connection's endpoint and on the joined one; no other caller gets access to it.
 */
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { CreateTaskResultSchema as CREATED, ListTasksResultSchema as LISTED } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '@toolway/contract'
import { createAccessTokens } from '../../../packages/gateway/src/identity/access-tokens.ts'
import { createTestVault } from '../../../packages/gateway/src/testing/gateway.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { startExtensionsServer } from '../../conformance/extensions-server.ts'
import type { ExtensionsServer } from '../../conformance/extensions-server.ts'
import { startLegacyTasks } from '../peers/servers/legacy-tasks.ts'
import type { LegacyTasks } from '../peers/servers/legacy-tasks.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { connectLegacyTaskClient, connectTaskClient, KNOWS_TASKS } from '../peers/clients/task-clients.ts'
import { until } from '../peers/until.ts'

const OTHER_KEY = `uru_${'fedcba9876543210'.repeat(4)}`
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let modern: ExtensionsServer
let legacy: LegacyTasks
beforeAll(async () => {
  modern = parts.use(await startExtensionsServer())
  legacy = parts.use(await startLegacyTasks())
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(modern.url) },
        { alias: 'legacy', wire: httpWire(legacy.url) },
      ],
      keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const meta = { 'io.modelcontextprotocol/clientCapabilities': KNOWS_TASKS }
const place = (alias: string, joined: boolean) => ({
  url: joined ? gateway.url : gateway.connectionUrl(alias),
  key: gateway.key,
})
const named = (alias: string, name: string, joined: boolean) => (joined ? `${alias}__${name}` : name)
const peerOf = (alias: string, key = gateway.key): RawPeer => ({
  url: gateway.connectionUrl(alias),
  key,
  era: 'modern',
})
const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text

describe.each([false, true])('a modern client (joined endpoint: %s)', (joined) => {
  const run = async (alias: string, name: string, given: Record<string, never> | Record<string, unknown>) => {
    await using peer = await connectTaskClient(place(alias, joined))
    const execution = await peer.session.callTool(named(alias, name, joined), given as never)
    const { outcome } = await execution.settle()
    return { kind: execution.kind, outcome, asked: peer.asked }
  }

  test('follows a modern server’s task to its result', async () => {
    const { kind, outcome } = await run('modern', 'slow_compute', { seconds: 0.3, label: 'it' })
    expect(kind).toBe('task')
    expect(textOf(resultFromTaskOutcome(outcome))).toBe('computed it')
  })

  test('answers what a modern server’s task asks, one thing or two at once', async () => {
    const one = await run('modern', 'confirm_delete', { filename: 'a.txt' })
    expect(textOf(resultFromTaskOutcome(one.outcome))).toBe('deleted a.txt')
    const two = await run('modern', 'multi_input', {})
    expect(textOf(resultFromTaskOutcome(two.outcome))).toBe('Ada Ada')
    expect(two.asked).toHaveLength(2)
  })

  test('hears how a task failed, as a tool and as a request', async () => {
    expect((await run('modern', 'failing_job', {})).outcome).toMatchObject({
      status: 'completed',
      result: { isError: true },
    })
    expect((await run('modern', 'protocol_error_job', {})).outcome).toMatchObject({ status: 'failed' })
  })

  test('follows a legacy server’s task, whose tool runs in no other way', async () => {
    const { kind, outcome } = await run('legacy', 'required_delay', { ms: 200 })
    expect(kind).toBe('task')
    expect(textOf(resultFromTaskOutcome(outcome))).toBe('waited 200')
    const failed = await run('legacy', 'required_delay', { ms: 50, fail: true })
    expect(failed.outcome).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  test('answers what a legacy server’s task asks', async () => {
    const { outcome, asked } = await run('legacy', 'ask_name', {})
    expect(textOf(resultFromTaskOutcome(outcome))).toBe('It is Ada')
    expect(asked).toMatchObject([{ kind: 'elicitation', params: { message: 'Who is it?' } }])
    expect(JSON.stringify(asked)).not.toContain('related-task')
  })
})

describe.each([false, true])('a legacy client (joined endpoint: %s)', (joined) => {
  const connect = (alias: string) => connectLegacyTaskClient(place(alias, joined))
  type Peer = Awaited<ReturnType<typeof connect>>

  /** Everything that SDK 1 sees of one call that it makes as a task. */
  async function run({ client, tasks }: Peer, name: string, given: Record<string, unknown> = {}) {
    await client.listTools()
    const seen: { type: string; task?: { taskId: string }; result?: unknown; error?: Error }[] = []
    const params = { name, arguments: given }
    for await (const message of tasks.callToolStream(params, undefined, { task: { ttl: 60_000 } })) seen.push(message)
    return { seen, taskId: seen.find(({ task }) => task !== undefined)?.task?.taskId ?? '', last: seen.at(-1) }
  }

  test('follows a legacy server’s task to its result, hears of its end, and lists it', async () => {
    await using peer = await connect('legacy')
    const { last, taskId } = await run(peer, named('legacy', 'optional_delay', joined), { ms: 200 })
    expect(last?.type).toBe('result')
    expect(textOf(last?.result)).toBe('waited 200')
    expect(legacy.made).not.toContain(taskId)
    const { tasks } = await peer.tasks.listTasks()
    expect(tasks.find((task) => task.taskId === taskId)).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(last)).toContain(taskId)
    await until('it hears of its end', async () => peer.heard.some(({ status }) => status === 'completed'))
    expect(new Set(peer.heard.map((task) => task.taskId))).toEqual(new Set([taskId]))
  })

  test('answers what a legacy server’s task asks, on the stream that waits for the result', async () => {
    await using peer = await connect('legacy')
    const { last, taskId } = await run(peer, named('legacy', 'ask_name', joined))
    expect(textOf(last?.result)).toBe('It is Ada')
    const related = { 'io.modelcontextprotocol/related-task': { taskId } }
    expect(peer.asked).toMatchObject([{ params: { message: 'Who is it?', _meta: related } }])
  })

  test('ends a legacy server’s task', async () => {
    await using peer = await connect('legacy')
    const made = await peer.client.request(
      {
        method: 'tools/call',
        params: { name: named('legacy', 'required_delay', joined), arguments: { ms: 60_000 }, task: {} },
      },
      CREATED,
    )
    const { taskId } = made.task
    expect(await peer.tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' })
    expect(await peer.tasks.getTask(taskId)).toMatchObject({ taskId, status: 'cancelled' })
  })

  test('follows a modern server’s task as one of its own', async () => {
    await using peer = await connect('modern')
    const { last, taskId } = await run(peer, named('modern', 'slow_compute', joined), { seconds: 0.3, label: 'it' })
    expect(textOf(last?.result)).toBe('computed it')
    expect((await peer.tasks.listTasks()).tasks.map((task) => task.taskId)).toContain(taskId)
  })

  test('answers what a modern server’s task asks', async () => {
    await using peer = await connect('modern')
    const { last, taskId } = await run(peer, named('modern', 'confirm_delete', joined), { filename: 'a.txt' })
    expect(textOf(last?.result)).toBe('deleted a.txt')
    const related = { 'io.modelcontextprotocol/related-task': { taskId } }
    expect(peer.asked).toMatchObject([{ params: { message: 'Delete a.txt?', _meta: related } }])
  })

  test('has a task that is over where a modern server answers at once', async () => {
    await using peer = await connect('modern')
    const { last, taskId } = await run(peer, named('modern', 'greet', joined), { name: 'Ada' })
    expect(textOf(last?.result)).toBe('Hello, Ada!')
    expect(await peer.tasks.getTask(taskId)).toMatchObject({ status: 'completed' })
    await expect(peer.tasks.cancelTask(taskId)).rejects.toThrow(/already ended/)
  })

  test('ends a modern server’s task', async () => {
    await using peer = await connect('modern')
    const params = { name: named('modern', 'slow_compute', joined), arguments: { seconds: 60, label: 'x' }, task: {} }
    const { taskId } = (await peer.client.request({ method: 'tools/call', params }, CREATED)).task
    expect(await peer.tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' })
    await until('the server ends it', async () => (await peer.tasks.getTask(taskId)).status === 'cancelled')
    await expect(peer.tasks.cancelTask(taskId)).rejects.toThrow(/already ended/)
  })
})

describe('a task', () => {
  const begin = async (alias = 'modern') => {
    const name = alias === 'modern' ? 'confirm_delete' : 'ask_name'
    const { answer } = await callTool(peerOf(alias), name, { filename: 'x' }, { meta })
    return String(answer.result?.['taskId'])
  }
  const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']

  test.each(['modern', 'legacy'])(
    'of a %s server is nobody’s but its caller’s, and of its connection’s',
    async (alias) => {
      const taskId = await begin(alias)
      const elsewhere = alias === 'modern' ? 'legacy' : 'modern'
      const raw = alias === 'modern' ? modern.tasks.ids.at(-1) : legacy.made.at(-1)
      const about = async (peer: RawPeer, id: string, method: string) => {
        const { status, answer } = await ask(peer, method, { taskId: id, inputResponses: {} }, { meta })
        return { status, code: answer.error?.code, message: answer.error?.message }
      }
      const unknown = { status: 200, code: -32602, message: 'Unknown task.' }
      for (const method of METHODS) {
        expect(await about(peerOf(alias), 'never-made', method)).toEqual(unknown)
        expect(await about(peerOf(alias, OTHER_KEY), taskId, method)).toEqual(unknown)
        expect(await about(peerOf(elsewhere), taskId, method)).toEqual(unknown)
        expect(await about(peerOf(alias), String(raw), method)).toEqual(unknown)
        expect(await about(peerOf(alias), `${taskId}x`, method)).toEqual(unknown)
      }
      const { answer } = await ask(peerOf(alias), 'tasks/get', { taskId }, { meta })
      expect(answer.result).toMatchObject({ taskId, resultType: 'complete' })
      await ask(peerOf(alias), 'tasks/cancel', { taskId }, { meta })
    },
  )

  test('is found under the same id on every endpoint of its caller that has its connection', async () => {
    const taskId = await begin()
    const { answer } = await ask(
      { url: gateway.url, key: gateway.key, era: 'modern' },
      'tasks/get',
      { taskId },
      { meta },
    )
    expect(answer.result).toMatchObject({ taskId })
    await ask(peerOf('modern'), 'tasks/cancel', { taskId }, { meta })
  })

  test('keeps its server’s hints, and hides its server’s id', async () => {
    const taskId = await begin()
    const { answer } = await ask(peerOf('modern'), 'tasks/get', { taskId }, { meta })
    expect(answer.result).toMatchObject({ ttlMs: 60_000, pollIntervalMs: 200 })
    expect(modern.tasks.ids).not.toContain(answer.result?.['taskId'])
    await ask(peerOf('modern'), 'tasks/cancel', { taskId }, { meta })
  })

  test('that was made as a legacy one is in no other principal’s list', async () => {
    const one = await openSession(gateway.connectionUrl('legacy'), gateway.key)
    const other = await openSession(gateway.connectionUrl('legacy'), OTHER_KEY)
    const params = { name: 'optional_delay', arguments: { ms: 10 }, task: { ttl: 60_000 } }
    const { answer } = await ask(one, 'tools/call', params)
    const { taskId } = CREATED.parse(answer.result).task
    const listOf = async (peer: RawPeer) => {
      const listed = await ask(peer, 'tasks/list')
      return LISTED.parse(listed.answer.result).tasks.map((task) => task.taskId)
    }
    expect(await listOf(one)).toContain(taskId)
    expect(await listOf(other)).toEqual([])
    // Its server keeps a task for the session that it was made in.
    const again = await openSession(gateway.connectionUrl('legacy'), gateway.key)
    expect(await listOf(again)).toEqual([])
    expect(await listOf(one)).toContain(taskId)
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
      const refused = await ask(other, method, { taskId })
      expect(refused.answer.error).toMatchObject({ code: -32602, message: 'Unknown task.' })
    }
  })

  test('of one client is in no list of another client of the same person', async () => {
    const url = gateway.connectionUrl('modern')
    const roles = [[gateway.organization.id, 'tenant_member']] as const
    const { id: sub } = await addPerson(gateway.db, { email: 'two-clients@example.com', roles })
    const tokens = createAccessTokens({
      issuer: () => gateway.address,
      keys: createTestVault().signingKeys('access tokens'),
      lifetime: 600,
      now: Date.now,
    })
    const said = { sub, org: gateway.organization.id, sid: newId('fam'), epoch: 0 }
    const far = await tokens.mint({ ...said, limit: 'execute', client_id: 'client_far', aud: url })
    const near = await tokens.mint({ ...said, limit: 'read', client_id: 'client_near', aud: url })
    await until('the person is known', async () => (await ask(peerOf('modern', near), 'tools/list')).status === 200)
    const [one, other] = [await openSession(url, far), await openSession(url, near)]
    const params = { name: 'slow_compute', arguments: { seconds: 5 }, task: { ttl: 60_000 } }
    const { taskId } = CREATED.parse((await ask(one, 'tools/call', params)).answer.result).task
    const listOf = async (peer: RawPeer) =>
      LISTED.parse((await ask(peer, 'tasks/list')).answer.result).tasks.map((task) => task.taskId)
    expect(await listOf(one)).toEqual([taskId])
    expect(await listOf(other)).toEqual([])
    expect((await ask(other, 'tasks/cancel', { taskId })).answer.error).toMatchObject({ message: 'Unknown task.' })
    expect((await ask(one, 'tasks/cancel', { taskId })).answer.error).toBeUndefined()
  })

  test('is not known to who did not say that it knows tasks, nor to older revisions, nor where no server has any', async () => {
    const silent = await ask(peerOf('modern'), 'tasks/get', { taskId: 'x' })
    expect({ status: silent.status, code: silent.answer.error?.code }).toEqual({ status: 400, code: -32021 })
    const old = await openSession(gateway.connectionUrl('legacy'), gateway.key, '2025-06-18')
    expect((await ask(old, 'tasks/get', { taskId: 'x' })).answer.error?.code).toBe(-32601)
    for (const method of ['tasks/result', 'tasks/list'])
      expect((await ask(peerOf('modern'), method, { taskId: 'x' }, { meta })).status).toBe(404)
  })

  test('is not made where nobody asked for one', async () => {
    const { answer } = await callTool(peerOf('modern'), 'slow_compute', { seconds: 0.1, label: 'now' })
    expect(answer.result).toMatchObject({ resultType: 'complete', content: [{ text: 'computed now' }] })
    const session = await openSession(gateway.connectionUrl('modern'), gateway.key)
    const sync = await callTool(session, 'slow_compute', { seconds: 0.1, label: 'now' })
    expect(textOf(sync.answer.result)).toBe('computed now')
  })
})

describe('tasks are announced', () => {
  const discovered = async (alias: string) => {
    const { answer } = await ask(peerOf(alias), 'server/discover')
    return answer.result?.['capabilities'] as Record<string, Record<string, unknown>>
  }
  const initialized = async (alias: string, protocolVersion: string) => {
    const peer: RawPeer = { url: gateway.connectionUrl(alias), key: gateway.key, era: 'legacy' }
    const { answer } = await ask(peer, 'initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    })
    return answer.result?.['capabilities'] as Record<string, unknown>
  }

  test.each(['modern', 'legacy'])(
    'at a %s server’s endpoint, in the form of the client’s own revision',
    async (alias) => {
      const capabilities = await discovered(alias)
      expect(capabilities['extensions']).toMatchObject({ 'io.modelcontextprotocol/tasks': {} })
      expect(capabilities['tasks']).toBeUndefined()
      expect(await initialized(alias, '2025-11-25')).toMatchObject({
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      })
      expect(await initialized(alias, '2025-06-18')).not.toHaveProperty('tasks')
    },
  )
})
