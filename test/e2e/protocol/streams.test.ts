/**
 * Messages beside a result, and in the opposite direction: progress under the client's own token, cancellation down to the
 * upstream, log lines, watched resources, lists that change. In both eras and across them.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient, KINDS } from '../peers/clients/client.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import type { ProbeServer } from '../peers/probes/probe-server.ts'
import { ask, callTool, openSession, start, tell } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire, probeProcess, processOf } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import type { Recorder } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probes: Record<Era, ProbeServer>
let recorders: Record<Era, Recorder>

beforeAll(async () => {
  probes = {
    modern: parts.use(await startProbe({ era: 'modern' })),
    legacy: parts.use(await startProbe({ era: 'legacy' })),
  }
  recorders = {
    modern: parts.use(await startRecorder(probes.modern.url)),
    legacy: parts.use(await startRecorder(probes.legacy.url)),
  }
  const modern = parts.use(await startEverythingServer({ era: 'modern' }))
  const legacy = parts.use(await startEverythingServer({ era: 'legacy' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(recorders.modern.url) },
        { alias: 'legacy', wire: httpWire(recorders.legacy.url) },
        { alias: 'child', wire: probeProcess('child') },
        { alias: 'every', wire: processOf('everything') },
        { alias: 'modern_all', wire: httpWire(modern.url) },
        { alias: 'legacy_all', wire: httpWire(legacy.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const peerOf = (era: Era, alias: string): Promise<RawPeer> | RawPeer => {
  const url = gateway.connectionUrl(alias)
  return era === 'legacy' ? openSession(url, gateway.key) : { url, key: gateway.key, era }
}

const STEPS = { duration: 0.06, steps: 3 }

describe('progress', () => {
  const ways = ERAS.flatMap((client) => ERAS.map((server) => ({ client, server })))
  test.each(ways)('of a $server server carries the token that a $client client chose', async ({ client, server }) => {
    const peer = await peerOf(client, `${server}_all`)
    for (const progressToken of ['mine', 0]) {
      const { messages, answer } = await callTool(peer, 'test_tool_with_progress', {}, { meta: { progressToken } })
      const tokens = messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)
      expect(tokens.map((params) => params?.['progressToken'])).toEqual([progressToken, progressToken, progressToken])
      expect(answer.result?.isError ?? false).toBe(false)
    }
  })

  test.each(ERAS)('of a child carries the token of each of ten %s calls at once', async (era) => {
    const peer = await peerOf(era, 'every')
    const calls = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        callTool(peer, 'trigger-long-running-operation', STEPS, { id: at, meta: { progressToken: `token ${at}` } }),
      ),
    )
    for (const [at, { messages }] of calls.entries()) {
      const heard = messages
        .slice(0, -1)
        .map(({ params }) => ({ token: params?.['progressToken'], step: params?.['progress'] }))
      expect(heard).toEqual([1, 2, 3].map((step) => ({ token: `token ${at}`, step })))
    }
  })

  test('is sent to nobody who did not ask for it', async () => {
    const { messages } = await callTool(await peerOf('legacy', 'legacy_all'), 'test_tool_with_progress')
    expect(messages).toHaveLength(1)
  })
})

describe('a call that is cancelled', () => {
  const servers = ['modern', 'legacy', 'child'] as const
  const eventsOf = async (alias: (typeof servers)[number]) => {
    if (alias !== 'child') return probes[alias].state.events
    const { answer } = await callTool({ url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' }, 'events')
    return answer.result?.content?.[0]?.text.split('\n') ?? []
  }
  const happened = (alias: (typeof servers)[number], event: string) =>
    until(`${alias}: ${event}`, async () => (await eventsOf(alias)).includes(event))

  test.each(servers)('by a notification of a legacy client ends at the %s server', async (alias) => {
    const peer = await peerOf('legacy', alias)
    const label = `legacy to ${alias}`
    const calling = start(peer, 'tools/call', { name: 'hang', arguments: { label } }, { id: 0 })
    await happened(alias, `hang ${label}`)
    expect((await tell(peer, 'notifications/cancelled', { requestId: 0 })).status).toBe(202)
    await happened(alias, `cancelled ${label}`)
    // Its own request ends too, without an answer: the client said that it wants none.
    const text = await (await calling).text()
    expect(text).not.toContain('"result"')
  })

  /** A modern client calls, the call is there, the client hangs up, the server knows. */
  async function cancelled(peer: RawPeer, alias: (typeof servers)[number], label: string): Promise<void> {
    const leaving = new AbortController()
    const calling = start(peer, 'tools/call', { name: 'hang', arguments: { label } }, { signal: leaving.signal })
    await happened(alias, `hang ${label}`)
    leaving.abort()
    await expect(calling.then((response) => response.text())).rejects.toThrow(/abort/i)
    await happened(alias, `cancelled ${label}`)
  }
  const hangsAt = (era: Era, label: string) =>
    recorders[era].of('tools/call').filter(({ body }) => body.includes(`"${label}"`))

  test.each(servers)('by a modern client that hangs up ends at the %s server', async (alias) => {
    await cancelled(await peerOf('modern', alias), alias, `modern to ${alias}`)
  })

  test('is said to a legacy server under the id that the gateway gave the request there', async () => {
    const peer = await peerOf('modern', 'legacy')
    await cancelled(peer, 'legacy', 'said to legacy')
    const [sent] = hangsAt('legacy', 'said to legacy')
    expect(sent?.message?.id).toEqual(expect.any(Number))
    const said = recorders.legacy.of('notifications/cancelled').map(({ message }) => message?.params?.['requestId'])
    expect(said.filter((id) => id === sent?.message?.id)).toHaveLength(1)
  })

  test('is said to a modern server by hanging up, and by nothing else', async () => {
    const peer = await peerOf('modern', 'modern')
    await cancelled(peer, 'modern', 'said to modern')
    expect(hangsAt('modern', 'said to modern').map(({ cutOff }) => cutOff)).toEqual([true])
    expect(recorders.modern.of('notifications/cancelled')).toEqual([])
  })

  test.each(KINDS)('by %s ends at both servers', async (kind) => {
    for (const alias of ERAS) {
      const label = `${kind} to ${alias}`
      const leaving = new AbortController()
      await using client = await connectClient({ kind, url: gateway.connectionUrl(alias), key: gateway.key })
      const calling = client.call('hang', { label }, { signal: leaving.signal })
      const ended = calling.then(
        () => 'answered',
        () => 'given up',
      )
      await happened(alias, `hang ${label}`)
      leaving.abort()
      expect(await ended).toBe('given up')
      await happened(alias, `cancelled ${label}`)
    }
  })

  test('leaves other calls of the same session and the same upstream alone', async () => {
    const peer = await peerOf('legacy', 'legacy')
    const calls = ['first', 'second'].map((label, id) =>
      start(peer, 'tools/call', { name: 'hang', arguments: { label } }, { id }),
    )
    await happened('legacy', 'hang first')
    await happened('legacy', 'hang second')
    await tell(peer, 'notifications/cancelled', { requestId: 0 })
    await happened('legacy', 'cancelled first')
    expect(await eventsOf('legacy')).not.toContain('cancelled second')
    await tell(peer, 'notifications/cancelled', { requestId: 1 })
    await happened('legacy', 'cancelled second')
    await Promise.all(calls)
  })

  test('of a legacy client is not cancelled by losing its connection', async () => {
    const peer = await peerOf('legacy', 'legacy')
    const label = 'connection lost'
    const leaving = new AbortController()
    const calling = start(peer, 'tools/call', { name: 'hang', arguments: { label } }, { id: 7, signal: leaving.signal })
    await happened('legacy', `hang ${label}`)
    leaving.abort()
    await calling.catch(() => undefined)
    await callTool(peer, 'echo', { text: 'still here' })
    expect(await eventsOf('legacy')).not.toContain(`cancelled ${label}`)
    await tell(peer, 'notifications/cancelled', { requestId: 7 })
    await happened('legacy', `cancelled ${label}`)
  })

  test('cannot be cancelled from another session', async () => {
    const [one, other] = [await peerOf('legacy', 'legacy'), await peerOf('legacy', 'legacy')]
    const label = 'not yours'
    const calling = start(one, 'tools/call', { name: 'hang', arguments: { label } }, { id: 0 })
    await happened('legacy', `hang ${label}`)
    await tell(other, 'notifications/cancelled', { requestId: 0 })
    await callTool(other, 'echo', { text: 'after' })
    expect(await eventsOf('legacy')).not.toContain(`cancelled ${label}`)
    await tell(one, 'notifications/cancelled', { requestId: 0 })
    await happened('legacy', `cancelled ${label}`)
    await calling
  })
})

describe('a legacy session', () => {
  const kinds = KINDS.filter((kind) => kind === 'SDK 1' || kind === 'SDK 2 legacy')

  test.each(kinds)('of %s gets the log lines of its own calls from the level it set', async (kind) => {
    await using client = await connectClient({ kind, url: gateway.connectionUrl('legacy_all'), key: gateway.key })
    const lines = () => client.heard.filter(({ method }) => method === 'notifications/message')
    await client.setLevel('warning')
    await client.call('test_tool_with_logging')
    expect(lines()).toEqual([])
    await client.setLevel('debug')
    await client.call('test_tool_with_logging')
    expect(lines().map(({ params }) => params?.['data'])).toEqual([
      'Tool execution started',
      'Tool processing data',
      'Tool execution completed',
    ])
  })

  test('does not change the level of another session', async () => {
    const [quiet, chatty] = [await peerOf('legacy', 'legacy_all'), await peerOf('legacy', 'legacy_all')]
    await ask(quiet, 'logging/setLevel', { level: 'error' })
    await ask(chatty, 'logging/setLevel', { level: 'debug' })
    const [silent, told] = [await callTool(quiet, 'test_logging_tool'), await callTool(chatty, 'test_logging_tool')]
    expect([silent.messages.length, told.messages.length]).toEqual([1, 2])
  })

  test('that set a level gets log lines from a modern server too', async () => {
    const peer = await peerOf('legacy', 'modern_all')
    await ask(peer, 'logging/setLevel', { level: 'debug' })
    const { messages } = await callTool(peer, 'test_logging_tool')
    expect(messages.map(({ method }) => method)).toEqual(['notifications/message', undefined])
  })

  const watches = kinds.flatMap((kind) => ['legacy_all', 'modern_all'].map((alias) => [kind, alias] as const))
  test.each(watches)('of %s hears that a resource of %s that it watches was updated', async (kind, alias) => {
    for (const joined of [false, true]) {
      const url = joined ? gateway.url : gateway.connectionUrl(alias)
      const uri = joined ? `toolway://${alias}/test://watched-resource` : 'test://watched-resource'
      await using client = await connectClient({ kind, url, key: gateway.key })
      expect(client.capabilities).toMatchObject({ resources: { subscribe: true } })
      const updates = () => client.heard.filter(({ method }) => method === 'notifications/resources/updated')
      await client.subscribe(uri)
      const trigger = joined ? `${alias}__test_trigger_resource_update` : 'test_trigger_resource_update'
      await until('the update arrives', async () => {
        await client.call(trigger)
        return updates().length > 0
      })
      expect(updates()[0]?.params?.['uri']).toBe(uri)
    }
  })

  test('hears of no resource that only another session watches', async () => {
    const url = gateway.connectionUrl('legacy_all')
    await using watching = await connectClient({ kind: 'SDK 2 legacy', url, key: gateway.key })
    await using other = await connectClient({ kind: 'SDK 2 legacy', url, key: gateway.key })
    await watching.subscribe('test://watched-resource')
    await until('the update arrives', async () => {
      await other.call('test_trigger_resource_update')
      return watching.heard.some(({ method }) => method === 'notifications/resources/updated')
    })
    expect(other.heard.filter(({ method }) => method === 'notifications/resources/updated')).toEqual([])
  })
})

describe('a modern request', () => {
  test('gets log lines when it asks for them, and none otherwise', async () => {
    for (const server of ERAS) {
      const peer = await peerOf('modern', `${server}_all`)
      const silent = await callTool(peer, 'test_logging_tool')
      expect(silent.messages, server).toHaveLength(1)
    }
    const meta = { 'io.modelcontextprotocol/logLevel': 'debug' }
    const told = await callTool(await peerOf('modern', 'modern_all'), 'test_logging_tool', {}, { meta })
    expect(told.messages.map(({ method }) => method)).toEqual(['notifications/message', undefined])
  })
})

describe('a list that changes', () => {
  const servers = ['modern', 'legacy', 'child'] as const
  const ways = KINDS.flatMap((kind) => servers.map((server) => ({ kind, server })))

  test.each(ways)(
    'at a $server server is announced to $kind, and is new when it is listed',
    async ({ kind, server }) => {
      await using client = await connectClient({ kind, url: gateway.url, key: gateway.key })
      const changes = () => client.heard.filter(({ method }) => method === 'notifications/tools/list_changed').length
      const isLegacy = kind === 'SDK 1' || kind === 'SDK 2 legacy'
      const listening = isLegacy ? undefined : await client.listen({ toolsListChanged: true })
      const name = `late_${kind.replaceAll(/\W/g, '')}`
      await client.call(`${server}__grow`, { name })
      if (!isLegacy) await until('the change is announced', () => changes() > 0)
      await until('the new tool is listed', async () =>
        (await client.tools()).some((tool) => tool.name === `${server}__${name}`),
      )
      // A legacy client opens its own stream after its first answer, so that the first change may come too early for it.
      if (isLegacy) {
        let more = 0
        await until('a change is announced', async () => {
          await client.call(`${server}__grow`, { name: `${name}_${++more}` })
          return changes() > 0
        })
      }
      expect(await client.call(`${server}__${name}`)).toMatchObject({ content: [{ type: 'text' }] })
      await listening?.close()
    },
  )

  test('is announced to nobody who does not see that connection', async () => {
    await using seeing = await connectClient({ kind: KINDS[0], url: gateway.connectionUrl('modern'), key: gateway.key })
    await using other = await connectClient({
      kind: KINDS[0],
      url: gateway.connectionUrl('legacy_all'),
      key: gateway.key,
    })
    const [listening, deaf] = [
      await seeing.listen({ toolsListChanged: true }),
      await other.listen({ toolsListChanged: true }),
    ]
    await seeing.call('grow', { name: 'unseen_by_others' })
    await until('the change is announced', () => seeing.heard.length > 0)
    expect(other.heard).toEqual([])
    expect(await toolNames(gateway, gateway.connectionUrl('modern'))).toContain('unseen_by_others')
    await Promise.all([listening.close(), deaf.close()])
  })
})
