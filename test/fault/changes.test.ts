/** Changes by an operator while clients listen: each open stream of an affected endpoint is notified, in both eras. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { putToolset } from '../../packages/gateway/src/toolsets/toolsets.ts'
import type { TestConnection, TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { putConnection, removeFrom } from '../e2e/peers/connections.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { ask, openSession, start } from '../e2e/peers/clients/raw-client.ts'
import { startScriptedUpstream, type ScriptedUpstream } from './scripted-upstream.ts'

const NARROW = `uru_${'ef'.repeat(32)}`
const STEADY = 'steady__first'
const patiently = { interval: 20 }
const parts = new AsyncDisposableStack()
let [first, second]: ScriptedUpstream[] = []
let gateway: TestGateway

const serverOf = async (name: string) =>
  parts.use(
    await startScriptedUpstream({
      era: 'modern',
      results: {
        'tools/list': { tools: [{ name, inputSchema: { type: 'object' } }], ttlMs: 0, cacheScope: 'private' },
      },
    }),
  )
const at = (alias: string, { url }: ScriptedUpstream): TestConnection => ({
  alias,
  revision: '2026-07-28',
  timeout: 10,
  wire: { kind: 'http', url, headers: {} },
})
const toolset = (include: string[]) => ({ slug: 'narrow', title: 'Narrow', settings: { include, exclude: [] } })

beforeAll(async () => {
  first = await serverOf('first')
  second = await serverOf('second')
  gateway = parts.use(
    await openGateway({
      connections: [at('steady', first)],
      toolsets: [toolset(['steady__*'])],
      keys: [{ name: 'narrow', value: NARROW, toolset: 'narrow' }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

/** How many changes of tools each of two clients has heard of, one of each era. */
async function listeners(key: string, signal: AbortSignal) {
  const count = [0, 0]
  const hear = async (at: number, opening: Promise<Response>) => {
    const response = await opening
    expect(response.status).toBe(200)
    void (async () => {
      for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
        count[at] = (count[at] ?? 0) + text.split('notifications/tools/list_changed').length - 1
    })().catch(() => {})
  }
  const notifications = { toolsListChanged: true }
  const peer = { url: gateway.url, key, era: 'modern' as const }
  await hear(0, start(peer, 'subscriptions/listen', { notifications }, { signal }))
  const { session } = await openSession(gateway.url, key)
  const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session, accept: 'text/event-stream' }
  await hear(1, fetch(gateway.url, { headers, signal }))
  return count
}

test('a connection that is added, changed, switched off and on, and removed is announced each time', async () => {
  const leaving = new AbortController()
  const heard = await listeners(gateway.key, leaving.signal)
  const listed = async () => {
    const { answer } = await ask({ url: gateway.url, key: gateway.key, era: 'modern' }, 'tools/list')
    const tools = (answer.result?.['tools'] ?? []) as { name: string }[]
    return tools.map(({ name }) => name).filter((name) => name !== STEADY)
  }
  // A change that is undone before anybody could list it is none: each one is waited for in the list before the next is made.
  const announced = async (what: string, names: string[], change: () => Promise<unknown>) => {
    const before = [...heard]
    await change()
    await expect.poll(listed, { ...patiently, message: what }).toEqual(names)
    await expect
      .poll(() => heard.map((count, at) => count > (before[at] ?? 0)), { ...patiently, message: what })
      .toEqual([true, true])
  }
  const [one, other] = [first, second]
  if (one === undefined || other === undefined) throw new Error('nothing was started')
  await announced('added', ['late__first'], () => putConnection(gateway, at('late', one)))
  await announced('changed', ['late__second'], () => putConnection(gateway, at('late', other)))
  await announced('off', [], () => putConnection(gateway, { ...at('late', other), enabled: false }))
  await announced('on', ['late__second'], () => putConnection(gateway, at('late', other)))
  await announced('removed', [], () => removeFrom(gateway, 'late'))
  leaving.abort()
})

test('a toolset that selects otherwise is announced to those who stand in it', async () => {
  const leaving = new AbortController()
  const heard = await listeners(NARROW, leaving.signal)
  const { id } = gateway.organization
  await gateway.db.organization(id, (sql) =>
    putToolset(sql, { organizationId: id, origin: 'test', ...toolset(['nothing__*']) }),
  )
  await expect.poll(() => heard.map((count) => count > 0), patiently).toEqual([true, true])
  leaving.abort()
})
