/**
 * Resource notifications on the listen streams of modern clients, from servers of both eras: only their own, over one upstream
 * stream, through interruptions and changes.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { putToolset } from '../../../packages/gateway/src/toolsets/toolsets.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient } from '../peers/clients/client.ts'
import { putConnection, removeFrom } from '../peers/connections.ts'
import { startListening } from '../peers/clients/listener.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import type { Recorder, Seen } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]
const OTHER_KEY = `uru_${'fedcba9876543210'.repeat(4)}`
const WATCHED = 'test://watched-resource'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let recorders: Record<Era, Recorder>

beforeAll(async () => {
  const behind = async (era: Era) => {
    const server = parts.use(await startEverythingServer({ era }))
    return parts.use(await startRecorder(server.url))
  }
  recorders = { modern: await behind('modern'), legacy: await behind('legacy') }
  gateway = parts.use(
    await openGateway({
      connections: ERAS.map((era) => ({ alias: era, wire: httpWire(recorders[era].url) })),
      keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (alias: string, key = gateway.key): RawPeer => ({ url: gateway.connectionUrl(alias), key, era: 'modern' })
const everywhere = (key = gateway.key): RawPeer => ({ url: gateway.url, key, era: 'modern' })
const joined = (alias: string, uri = WATCHED) => `toolway://${alias}/${uri}`
const update = (alias: string, key = gateway.key) => callTool(at(alias, key), 'test_trigger_resource_update')
const openNow = (seen: readonly Seen[]) => seen.filter(({ cutOff }) => !cutOff)
const namedBy = ({ message }: Seen): unknown =>
  (message?.params?.['notifications'] as Record<string, unknown> | undefined)?.['resourceSubscriptions']

describe('a listen stream', () => {
  test.each(ERAS)('hears that a resource of a %s server changed, each message under its own id', async (era) => {
    await using listener = await startListening(at(era), { resourceSubscriptions: [WATCHED] }, 'mine')
    expect(listener.honoured).toEqual({ resourceSubscriptions: [WATCHED] })
    await update(era)
    await until('the update arrives', () => listener.updates().length > 0)
    expect(new Set(listener.updates())).toEqual(new Set([WATCHED]))
    const ids = listener.heard.map(
      ({ params }) => (params?.['_meta'] as Record<string, unknown>)?.['io.modelcontextprotocol/subscriptionId'],
    )
    expect(new Set(ids)).toEqual(new Set(['mine']))
  })

  test('of a joined endpoint hears all its servers under the addresses of the endpoint', async () => {
    const uris = ERAS.map((era) => joined(era))
    await using listener = await startListening(everywhere(), { resourceSubscriptions: uris, toolsListChanged: true })
    expect(listener.honoured).toEqual({ resourceSubscriptions: uris, toolsListChanged: true })
    for (const era of ERAS) {
      await update(era)
      await until('the update arrives', () => listener.updates().includes(joined(era)))
    }
  })

  test('is acknowledged without what the caller cannot see', async () => {
    const uris = [joined('modern'), joined('nobody'), WATCHED]
    await using listener = await startListening(everywhere(), { resourceSubscriptions: uris })
    expect(listener.honoured).toEqual({ resourceSubscriptions: [joined('modern')] })
    await using deaf = await startListening(everywhere(), { resourceSubscriptions: [joined('nobody')] })
    expect(deaf.honoured).toEqual({})
  })

  test('is announced as possible, and SDK 2 hears by it', async () => {
    for (const era of ERAS) {
      await using client = await connectClient({
        kind: 'SDK 2 by discovery',
        url: gateway.connectionUrl(era),
        key: gateway.key,
      })
      expect(client.capabilities).toMatchObject({ resources: { subscribe: true } })
      const listening = await client.listen({ resourceSubscriptions: [WATCHED] })
      await client.call('test_trigger_resource_update')
      await until('the update arrives', () => client.heard.length > 0)
      expect(client.heard[0]).toMatchObject({ method: 'notifications/resources/updated', params: { uri: WATCHED } })
      await listening.close()
    }
  })

  test.each(ERAS)('hears nothing that another principal named at a %s server', async (era) => {
    await using mine = await startListening(at(era), { resourceSubscriptions: [WATCHED] })
    await using other = await startListening(at(era, OTHER_KEY), { resourceSubscriptions: ['test://static-text'] })
    expect(other.honoured).toEqual({ resourceSubscriptions: ['test://static-text'] })
    await update(era, OTHER_KEY)
    await until('the update arrives', () => mine.updates().length > 0)
    expect(other.updates()).toEqual([])
  })

  test('that names too much, or nothing that is an address, is refused', async () => {
    const uris = Array.from({ length: 1_001 }, (_, at) => `test://${at}`)
    for (const resourceSubscriptions of [uris, 'test://one', [1]]) {
      const { answer } = await ask(at('modern'), 'subscriptions/listen', { notifications: { resourceSubscriptions } })
      expect(answer.error).toMatchObject({ code: -32602 })
    }
  })

  test('is one of at most a hundred of its principal, whose others are not touched', async () => {
    await using many = new AsyncDisposableStack()
    const open = (id: number, key = gateway.key) => startListening(everywhere(key), { toolsListChanged: true }, id)
    for (const one of await Promise.all(Array.from({ length: 100 }, (_, id) => open(id)))) many.use(one)
    await expect(open(100)).rejects.toThrow(/limit of 100 open listen streams/)
    await using other = await open(0, OTHER_KEY)
    expect(other.honoured).toEqual({ toolsListChanged: true })
  })
})

describe('a modern server', () => {
  test('is listened to on one stream for all, which names what they named between them', async () => {
    const listens = () => openNow(recorders.modern.of('subscriptions/listen'))
    await using _mine = await startListening(at('modern'), { resourceSubscriptions: [WATCHED] })
    await using other = await startListening(at('modern', OTHER_KEY), {
      resourceSubscriptions: ['test://static-text', WATCHED],
    })
    const session = await openSession(gateway.connectionUrl('modern'), gateway.key)
    await ask(session, 'resources/subscribe', { uri: 'test://static-binary' })
    await until('one stream is left', () => listens().length === 1)
    const [only] = listens()
    expect(only === undefined ? [] : namedBy(only)).toEqual(
      expect.arrayContaining([WATCHED, 'test://static-text', 'test://static-binary']),
    )
    expect(only?.message?.params?.['notifications']).toMatchObject({ toolsListChanged: true })
    await other[Symbol.asyncDispose]()
    await ask(session, 'resources/unsubscribe', { uri: 'test://static-binary' })
    await until('the stream names less', () => listens().length === 1 && String(listens().map(namedBy)) === WATCHED)
  })

  test('loses no update while the stream is changed for another', async () => {
    await using listener = await startListening(at('modern'), { resourceSubscriptions: [WATCHED] })
    for (let round = 0; round < 5; round++) {
      const before = listener.updates().length
      const coming = startListening(at('modern', OTHER_KEY), {
        resourceSubscriptions: [`test://template/${round}/data`],
      })
      await update('modern')
      await until('the update arrives', () => listener.updates().length > before)
      await (await coming)[Symbol.asyncDispose]()
    }
  })
})

describe('a legacy server', () => {
  test('is told of a resource once for all listeners of a principal, and when the last of them leaves', async () => {
    const uri = 'test://template/shared/data'
    const told = (method: string) =>
      recorders.legacy.of(method).filter(({ message }) => message?.params?.['uri'] === uri).length
    const one = await startListening(at('legacy'), { resourceSubscriptions: [uri] })
    const two = await startListening(at('legacy'), { resourceSubscriptions: [uri] })
    expect(told('resources/subscribe')).toBe(1)
    await one[Symbol.asyncDispose]()
    expect(told('resources/unsubscribe')).toBe(0)
    await two[Symbol.asyncDispose]()
    await until('it is told', () => told('resources/unsubscribe') === 1)
  })
})

describe('after a break', () => {
  test.each(ERAS)('of the %s server whoever listens is told that it may have missed something', async (era) => {
    await using listener = await startListening(at(era), { resourceSubscriptions: [WATCHED] })
    await recorders[era].leave()
    expect(listener.updates()).toEqual([])
    await recorders[era].comeBack()
    // Some servers notice only when they write to it that a stream of theirs is gone.
    await until('it is told', async () => {
      await update(era)
      return listener.updates().includes(WATCHED)
    })
    const before = listener.updates().length
    await until('the next update arrives', async () => {
      await update(era)
      return listener.updates().length > before
    })
  })
})

describe('a toolset that changes', () => {
  test('ends the stream of whoever listened to a resource that it shows no more', async () => {
    const { id } = gateway.organization
    const select = (include: string[]) => ({
      organizationId: id,
      origin: 'test',
      slug: 'narrow',
      title: 'Narrow',
      settings: { include, exclude: [] },
    })
    const change = (include: string[]) => gateway.db.organization(id, (sql) => putToolset(sql, select(include)))
    await change(['modern__*', 'legacy__*'])
    const peer: RawPeer = { url: `${gateway.address}/o/default/t/narrow/mcp`, key: gateway.key, era: 'modern' }
    await until('it is there', async () => (await ask(peer, 'tools/list')).answer.result !== undefined)
    await using listener = await startListening(peer, { resourceSubscriptions: [joined('modern')] })
    expect(listener.honoured).toEqual({ resourceSubscriptions: [joined('modern')] })
    await change(['legacy__*', 'modern__test_simple_text'])
    expect(await listener.ended).toMatchObject({ result: { resultType: 'complete' } })
  })
})

describe('a connection that changes', () => {
  test('is listened to as it is now, and one that is removed ends the stream with its result', async () => {
    const there = () => putConnection(gateway, { alias: 'late', wire: httpWire(recorders.modern.url) })
    await there()
    await until('it is offered', async () => (await ask(at('late'), 'tools/list')).answer.result !== undefined)
    await until('its resources are known', async () => {
      const { answer } = await ask(at('late'), 'resources/list')
      return (answer.result?.['resources'] as unknown[] | undefined)?.length !== 0 && answer.result !== undefined
    })
    await using listener = await startListening(everywhere(), { resourceSubscriptions: [joined('late')] })
    expect(listener.honoured).toEqual({ resourceSubscriptions: [joined('late')] })
    await putConnection(gateway, { alias: 'late', timeout: 11, wire: httpWire(recorders.modern.url) })
    await until('it is told that it may have missed something', () => listener.updates().length > 0)
    const before = listener.updates().length
    await until('updates arrive again', async () => {
      await update('modern')
      return listener.updates().length > before
    })
    await removeFrom(gateway, 'late')
    expect(await listener.ended).toMatchObject({ id: 7, result: { resultType: 'complete' } })
  })
})
