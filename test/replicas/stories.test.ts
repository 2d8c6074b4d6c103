/** What clients do, at three gateways behind a real round-robin balancer, where each request may reach another gateway. */
// @module-tag long
import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, askAdmin, createBrowser, PASSWORD, signIn } from '../../packages/gateway/src/testing/people.ts'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { startExtensionsServer } from '../conformance/extensions-server.ts'
import { connectClient, KINDS, textOf, type Kind } from '../e2e/peers/clients/client.ts'
import { connectWithOAuth, createStore } from '../e2e/peers/clients/oauth-client.ts'
import { ask, callTool, openSession, start, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { KNOWS_TASKS } from '../e2e/peers/clients/task-clients.ts'
import { startAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected } from '../e2e/peers/authorities/protected-server.ts'
import { walkThrough } from '../e2e/peers/people/identity-provider.ts'
import { createPerson, formIn } from '../e2e/peers/people/oauth-person.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { until } from '../e2e/peers/until.ts'
import { startCluster, type Cluster, type ClusterOptions } from './cluster.ts'

const EMAIL = 'ada@example.com'

/** One cluster and its servers for all stories of a variant. */
async function town(options: ClusterOptions) {
  await using parts = new AsyncDisposableStack()
  const modern = parts.use(await startEverythingServer({ era: 'modern' }))
  const legacy = parts.use(await startEverythingServer({ era: 'legacy' }))
  const tasks = parts.use(await startExtensionsServer())
  const effects = parts.use(await startEffects())
  const declared = {
    connections: {
      modern: { url: modern.url },
      legacy: { url: legacy.url },
      tasks: { url: tasks.url },
      effects: { url: effects.url, trusted: true },
    },
  }
  const cluster = parts.use(await startCluster({ ...options, declared }))
  await addPerson(cluster.db, { email: EMAIL, platformAdmin: true })
  await until('each gateway knows her', async () => {
    const told = await Promise.all(
      cluster.members.map(({ address }) =>
        askAdmin(address, 'POST /auth/login', { body: { email: EMAIL, password: PASSWORD } }),
      ),
    )
    return told.every(({ status }) => status === 200)
  })
  const owned = parts.move()
  return { cluster, effects, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

interface Variant extends ClusterOptions {
  readonly name: string
}

/** `TEST_REPLICAS=all` adds HAProxy, which CI does not install. */
const ALL = process.env['TEST_REPLICAS'] === 'all'

const ROUND_ROBIN: readonly Variant[] = [
  { name: 'nginx, round robin', balancer: 'nginx' },
  {
    name: 'nginx, round robin, with Redis and PgBouncer in transaction mode',
    balancer: 'nginx',
    redis: true,
    pgbouncer: true,
  },
  ...(ALL ? [{ name: 'HAProxy, round robin', balancer: 'haproxy' } as const] : []),
]

describe.each(ROUND_ROBIN)('S0-ARC-04, S3-DEP-02: three gateways behind $name', (variant) => {
  let cluster: Cluster
  let effects: EffectsServer
  let all: Awaited<ReturnType<typeof town>>
  beforeAll(async () => {
    all = await town(variant)
    ;({ cluster, effects } = all)
  })
  afterAll(() => all[Symbol.asyncDispose]())
  const modern = (alias: string): RawPeer => ({ url: cluster.connectionUrl(alias), key: cluster.key, era: 'modern' })

  test('each gateway takes its share, and says what it keeps and where', async () => {
    const states = await Promise.all(
      cluster.members.map(async ({ address }) => (await fetch(`${address}/health/ready`)).json() as Promise<object>),
    )
    const state = variant.redis === true ? 'database and redis' : 'database'
    const limits = variant.redis === true ? 'redis' : 'database'
    for (const one of states) expect(one).toMatchObject({ status: 'ready', checks: { state, limits } })
    const before = await callsOf(cluster)
    for (let turn = 0; turn < 30; turn++) await callTool(modern('effects'), 'look_up')
    const after = await callsOf(cluster)
    for (const [at, count] of after.entries()) expect(count - (before[at] ?? 0)).toBeGreaterThanOrEqual(5)
  })

  test.each(KINDS)('%s lists, calls, reads and is told of progress', async (kind: Kind) => {
    await using client = await connectClient({ kind, url: cluster.url, key: cluster.key })
    expect((await client.tools()).map(({ name }) => name)).toContain('effects__look_up')
    for (let turn = 0; turn < 12; turn++) expect(textOf(await client.call('effects__look_up'))).toBe('did look_up')
    const told: number[] = []
    await client.call('modern__test_tool_with_progress', {}, { onprogress: ({ progress }) => told.push(progress) })
    expect(told.length).toBeGreaterThan(0)
    expect((await client.resources()).length).toBeGreaterThan(0)
  })

  test('a legacy session goes on at every gateway from its first moment', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const peer = await openSession(cluster.url, cluster.key)
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask(peer, 'tools/list')))
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200))
    }
  })

  test('a task is made, followed and ended', async () => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': KNOWS_TASKS }
    const peer = modern('tasks')
    const made = await callTool(peer, 'slow_compute', { seconds: 60, label: 'x' }, { meta })
    const taskId = String(made.answer.result?.['taskId'])
    for (let turn = 0; turn < 6; turn++)
      expect((await ask(peer, 'tasks/get', { taskId }, { meta })).answer.result).toMatchObject({ taskId })
    await ask(peer, 'tasks/cancel', { taskId }, { meta })
    const after = async () => (await ask(peer, 'tasks/get', { taskId }, { meta })).answer.result?.['status']
    await expect.poll(after).toBe('cancelled')
  })

  test('a modern server asks, and the answer counts wherever it arrives', async () => {
    const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } }
    for (let turn = 0; turn < 4; turn++) {
      const call = { name: 'test_input_required_result_elicitation', arguments: {} }
      const asked = (await ask(modern('modern'), 'tools/call', call, { meta })).answer.result ?? {}
      const [question = ''] = Object.keys(asked['inputRequests'] as object)
      const inputResponses = { [question]: { action: 'accept', content: { name: 'Ada' } } }
      const again = { ...call, requestState: asked['requestState'], inputResponses }
      const answer = (await ask(modern('modern'), 'tools/call', again, { meta })).answer.result
      expect(answer?.content?.[0]?.text).toContain('Ada')
    }
  })

  test('a call that needs an approval runs once when it is granted', async () => {
    const { access_token: token } = await signIn(cluster.address, EMAIL)
    const rules = '/organizations/default/rules' as const
    const rule = {
      name: 'ask',
      action: 'approve',
      reason: 'look first',
      match: { tools: ['effects__write_note'] },
      parameters: {},
    }
    const added = await askAdmin(cluster.address, `POST ${rules}`, { token, body: rule })
    expect(added.status).toBe(201)
    const call = () => callTool(modern('effects'), 'write_note', { text: 'granted' })
    const ran = () => effects.called.filter((name) => name === 'write_note').length
    const idIn = (text: string) => /approvals\/(apr_[a-z0-9]{26})/.exec(text)?.[1]
    let id: string | undefined
    // In force at each gateway: the same question six times in a row.
    await until('each gateway asks', async () => {
      const ids: (string | undefined)[] = []
      for (let turn = 0; turn < 6; turn++) ids.push(idIn((await call()).text))
      id = ids[0]
      return id !== undefined && ids.every((one) => one === id)
    })
    const began = ran()
    const answered = await askAdmin(cluster.address, `POST /organizations/default/approvals/${id}/answer`, {
      token,
      body: { answer: 'grant', note: '' },
    })
    expect([answered.status, JSON.stringify(answered.body)]).toEqual([200, expect.any(String)])
    expect((await call()).text).toContain('did write_note')
    expect(ran()).toBe(began + 1)
    expect((await askAdmin(cluster.address, `DELETE ${rules}/${String(added.body.id)}`, { token })).status).toBe(204)
  })

  test('WebSocket stays with the gateway that took it up', async () => {
    for (const kind of ['SDK 1', 'SDK 2 by discovery'] as const) {
      await using client = await connectClient({
        kind,
        way: 'socket',
        url: cluster.connectionUrl('legacy'),
        key: cluster.key,
        answers: true,
      })
      expect(textOf(await client.call('test_elicitation', { message: 'Who?' }))).toContain('action=accept')
      expect(client.asked.length).toBeGreaterThan(0)
    }
  })

  test('a client signs its person in with OAuth and is renewed', async () => {
    const store = createStore()
    const person = createPerson(cluster.address, { email: EMAIL })
    for (const [turn, kind] of (['SDK 1', 'SDK 2'] as const).entries()) {
      await using client = await connectWithOAuth(kind, cluster.url, person, { store })
      for (let call = 0; call < 4; call++) expect(await client.call('effects__look_up')).toBe('did look_up')
      expect(turn).toBeLessThan(2)
    }
    expect(store.tokens?.refresh_token).toBeDefined()
    const before = store.tokens?.refresh_token
    store.tokens = { ...store.tokens!, access_token: 'eyJhbGciOiJFZERTQSJ9.e30.AAAA' }
    await using again = await connectWithOAuth('SDK 2', cluster.url, person, { store })
    expect(await again.call('effects__look_up')).toBe('did look_up')
    expect(store.tokens.refresh_token).not.toBe(before)
  })

  test('a file is uploaded in pieces and downloaded', async () => {
    const bytes = randomBytes(200_000)
    const own = { authorization: `Bearer ${cluster.key}`, 'content-type': 'application/json' }
    const files = `${cluster.address}/api/v1/organizations/default/files`
    const body = JSON.stringify({ name: 'report.pdf', size: bytes.length, sha256: hashOf(bytes) })
    const answer = await fetch(files, { method: 'POST', headers: own, body })
    expect(answer.status).toBe(201)
    const made = (await answer.json()) as { id: string; upload: { url: string } }
    for (let offset = 0; offset < bytes.length; offset += 50_000) {
      const sent = await fetch(made.upload.url, {
        method: 'PATCH',
        headers: {
          'tus-resumable': '1.0.0',
          'upload-offset': String(offset),
          'content-type': 'application/offset+octet-stream',
        },
        body: bytes.subarray(offset, offset + 50_000),
      })
      expect([offset, sent.status]).toEqual([offset, 204])
    }
    const link = await fetch(`${files}/${made.id}/download`, { method: 'POST', headers: own })
    const { url } = (await link.json()) as { url: string }
    expect(hashOf(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe(hashOf(bytes))
  })
})

/** The calls that each gateway has taken. */
const callsOf = (cluster: Cluster): Promise<number[]> =>
  Promise.all(
    cluster.members.map(async ({ address }) => {
      const text = await (
        await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${cluster.key}` } })
      ).text()
      const counts = [...text.matchAll(/^toolway_calls_total\{[^}]*\} (\d+)/gm)]
      return counts.reduce((sum, [, count]) => sum + Number(count), 0)
    }),
  )

describe('three gateways behind nginx, by the header Authorization', () => {
  let cluster: Cluster
  let all: Awaited<ReturnType<typeof town>>
  beforeAll(async () => {
    all = await town({ balancer: 'nginx', affinity: 'authorization' })
    ;({ cluster } = all)
  })
  afterAll(() => all[Symbol.asyncDispose]())

  test.each(KINDS)('%s is asked what a legacy server wants to know', async (kind: Kind) => {
    await using client = await connectClient({
      kind,
      url: cluster.connectionUrl('legacy'),
      key: cluster.key,
      answers: true,
    })
    for (let turn = 0; turn < 3; turn++)
      expect(textOf(await client.call('test_elicitation', { message: 'Who?' }))).toContain('action=accept')
  })

  test.each(['SDK 1', 'SDK 2 legacy'] as const)('%s speaks HTTP+SSE', async (kind) => {
    await using client = await connectClient({
      kind,
      way: 'sse',
      url: cluster.connectionUrl('effects'),
      key: cluster.key,
    })
    for (let turn = 0; turn < 5; turn++) expect(textOf(await client.call('look_up'))).toBe('did look_up')
  })

  test('the stream of a call is resumed with Last-Event-ID', async () => {
    const peer = await openSession(cluster.connectionUrl('legacy'), cluster.key)
    const call = await start(
      peer,
      'tools/call',
      { name: 'test_tool_with_progress', arguments: {} },
      { meta: { progressToken: 1 } },
    )
    const [, event = ''] = /^id: (\S+)$/m.exec(await call.text()) ?? []
    const resumed = await fetch(peer.url, {
      headers: {
        authorization: `Bearer ${cluster.key}`,
        accept: 'text/event-stream',
        'mcp-session-id': peer.session,
        'mcp-protocol-version': '2025-11-25',
        'last-event-id': event,
      },
    })
    expect(resumed.status).toBe(200)
    expect(await resumed.text()).toContain('"result"')
  })
})

test('an account is connected in a browser whose requests reach three gateways in turn', async () => {
  const callback: string[] = []
  await using authority = await startAuthority('registers', { redirectUris: callback })
  await using server = await startProtected(authority)
  await using cluster = await startCluster({ declared: {} })
  await addPerson(cluster.db, {
    email: EMAIL,
    platformAdmin: true,
    roles: [[cluster.organization.id, 'tenant_admin']],
  })
  const { access_token: token } = await signIn(cluster.address, EMAIL)
  const made = await askAdmin(cluster.address, 'POST /admin/tenants/default/connectors', {
    token,
    body: { alias: 'docs', title: 'Docs', url: server.url },
  })
  expect([made.status, JSON.stringify(made.body)]).toEqual([201, expect.any(String)])
  const browser = createBrowser(cluster.address)
  await browser.submit('/sign-in', { email: EMAIL, password: PASSWORD })
  const link = await askAdmin(cluster.address, 'POST /admin/tenants/default/connectors/docs/link', { token, body: {} })
  const path = new URL(String(link.body.url)).pathname
  const { action, fields } = formIn(await (await browser.ask(path)).text()) ?? { action: path, fields: {} }
  const html = await (await browser.submit(action, fields)).text()
  const onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? ''
  const back = new URL(await walkThrough(onward.replaceAll('&amp;', '&'), `${cluster.address}/`))
  const answer = await browser.ask(back.pathname + back.search, { headers: { 'sec-fetch-site': 'cross-site' } })
  expect([answer.status < 400, await answer.text()]).toEqual([true, expect.any(String)])
  await until('the tools are there', async () => {
    const peer: RawPeer = { url: cluster.connectionUrl('docs'), key: cluster.key, era: 'modern' }
    const listed = await ask(peer, 'tools/list')
    return ((listed.answer.result?.['tools'] as unknown[] | undefined)?.length ?? 0) > 0
  })
})
