/**
 * Tests the behaviour towards clients when a server is away, silent, broken or switched off. Its last good tools stay listed and
 * marked, its calls are answered with an error text, calls of other servers do not wait, and it is used again when it is back.
 */
// @module-tag long
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient } from '../peers/clients/client.ts'
import type { Result } from '../peers/clients/client.ts'
import { putConnection, removeFrom, stateOf } from '../peers/connections.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { OWN_TOOL_COUNT } from '../peers/probes/probe.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import type { ProbeServer } from '../peers/probes/probe-server.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import type { Recorder, Seen } from '../peers/recorder.ts'
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
  const fine = parts.use(await startProbe({ name: 'fine' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(recorders.modern.url) },
        { alias: 'legacy', wire: httpWire(recorders.legacy.url) },
        { alias: 'child', wire: probeProcess('child') },
        { alias: 'fine', wire: httpWire(fine.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const peersAt = async (url = gateway.url): Promise<RawPeer[]> => [
  { url, key: gateway.key, era: 'modern' },
  await openSession(url, gateway.key),
]
const faultOf = (result: unknown) => (result as Result | undefined)?._meta?.['dev.toolway/fault']
const textOf = async (peer: RawPeer, name: string, given = {}) =>
  (await callTool(peer, name, given)).answer.result?.content?.[0]?.text
const joined = (): RawPeer => ({ url: gateway.url, key: gateway.key, era: 'modern' })

describe.each(ERAS)('a %s server that is gone', (alias) => {
  beforeAll(() => recorders[alias].leave())
  afterAll(() => recorders[alias].comeBack())

  test('is named in the result of a call to it, with what to do, and its address is not', async () => {
    for (const peer of await peersAt()) {
      const { status, text, answer } = await callTool(peer, `${alias}__echo`, { text: 'x' })
      expect(status).toBe(200)
      expect(answer.result?.isError).toBe(true)
      expect(answer.result?.content?.[0]?.text).toContain(`The connection ${alias} is not available`)
      expect(faultOf(answer.result)).toMatchObject({
        code: 'UNAVAILABLE',
        retryable: true,
        correlation_id: expect.any(String),
      })
      expect(text).not.toContain(new URL(recorders[alias].url).port)
    }
  })

  test('takes nothing from anybody else', async () => {
    for (const peer of await peersAt()) {
      expect(await textOf(peer, 'fine__echo', { text: 'still here' })).toBe('still here')
      expect(await textOf(peer, 'child__echo', { text: 'me too' })).toBe('me too')
    }
  })

  test('keeps its last good tools, marked stale with the reason', async () => {
    const { tools } = (await stateOf(gateway, alias)) ?? { tools: [] }
    expect(tools.length).toBeGreaterThanOrEqual(OWN_TOOL_COUNT)
    // A changed connection is contacted anew.
    await putConnection(gateway, { alias, title: 'Away', wire: httpWire(recorders[alias].url) })
    const state = await until('the failure is noted', async () => {
      const now = await stateOf(gateway, alias)
      return now?.staleSince === null || now?.status !== 'error' ? undefined : now
    })
    expect(state.tools).toEqual(tools)
    expect(state.staleReason).toMatch(/is not available: nothing is listening there/)
    expect(state.reason).toBe(state.staleReason)
    expect(await toolNames(gateway, gateway.url)).toEqual(expect.arrayContaining([`${alias}__echo`, 'fine__echo']))
    expect(await toolNames(gateway, gateway.connectionUrl(alias))).toEqual(tools)
  })
})

describe('a server that comes back', () => {
  test.each(ERAS)('(%s) is used again as soon as it is let try, and is no longer marked', async (alias) => {
    await recorders[alias].leave()
    expect((await callTool(joined(), `${alias}__echo`, { text: 'x' })).answer.result?.isError).toBe(true)
    await recorders[alias].comeBack()
    // The tries of the call before have opened the breaker.
    const isServed = async () => {
      const { answer } = await callTool(joined(), `${alias}__echo`, { text: 'again' })
      return answer.result?.isError !== true
    }
    await until('it is let try', isServed)
    for (const peer of await peersAt()) expect(await textOf(peer, `${alias}__echo`, { text: 'back' })).toBe('back')
    await until('the mark is gone', async () => {
      const state = await stateOf(gateway, alias)
      return state?.status === 'connected' && state.staleSince === null
    })
  })

  test.each(ERAS)('(%s) with other tools has them listed without anybody asking for it', async (era) => {
    await using first = await startProbe({ era })
    await using next = await startProbe({ era, name: 'next', padding: 3 })
    await using recorder = await startRecorder(first.url)
    const alias = `swapped_${era}`
    await putConnection(gateway, { alias, wire: httpWire(recorder.url) })
    const names = () => toolNames(gateway, gateway.connectionUrl(alias))
    await until('its tools are listed', async () => (await names()).length > 0)
    await until('its changes are listened to', () => recorder.seen.some(isListening))
    await recorder.leave()
    await recorder.comeBack(next.url)
    await until('its new tools are listed', async () => (await names()).includes('padding_0002'))
  })

  test('and has forgotten its sessions is opened anew, for the same client session', async () => {
    await using first = await startProbe({ era: 'legacy', name: 'first' })
    await using next = await startProbe({ era: 'legacy', name: 'next' })
    await using recorder = await startRecorder(first.url)
    await putConnection(gateway, { alias: 'forgetful', wire: httpWire(recorder.url) })
    const url = gateway.connectionUrl('forgetful')
    await until('its tools are listed', async () => (await toolNames(gateway, url)).length > 0)
    const peer = await openSession(url, gateway.key)
    expect(await textOf(peer, 'echo', { text: 'before' })).toBe('before')
    await recorder.leave()
    await recorder.comeBack(next.url)
    expect(await textOf(peer, 'echo', { text: 'after' })).toBe('after')
    expect(next.sessions.size).toBeGreaterThan(0)
  })
})

const isListening = ({ method, message }: Seen) => method === 'GET' || message?.method === 'subscriptions/listen'

describe('a call', () => {
  test.each(ERAS)('whose %s server dies in the middle of it says that it may have acted', async (alias) => {
    const label = `dies ${alias}`
    const calling = callTool(joined(), `${alias}__hang`, { label })
    await until('the call is there', () => probes[alias].state.events.includes(`hang ${label}`))
    await recorders[alias].leave()
    const { answer } = await calling
    await recorders[alias].comeBack()
    expect(answer.result?.isError).toBe(true)
    expect(faultOf(answer.result)).toMatchObject({ code: 'EXECUTION_ERROR', fault: 'upstream.lost', retryable: false })
  })

  test.each([...ERAS, 'child'] as const)(
    'to a %s server that takes too long ends at the limit, and the server is told',
    async (alias) => {
      const wire = alias === 'child' ? probeProcess('slow') : httpWire(recorders[alias].url)
      await putConnection(gateway, { alias: `slow_${alias}`, timeout: 0.5, wire })
      const url = gateway.connectionUrl(`slow_${alias}`)
      await until('it is listed', async () => (await toolNames(gateway, url)).includes('hang'))
      const label = `slow ${alias}`
      const { answer } = await callTool({ url, key: gateway.key, era: 'modern' }, 'hang', { label })
      expect(answer.result?.isError).toBe(true)
      expect(faultOf(answer.result)).toMatchObject({ code: 'TIMEOUT', fault: 'upstream.timeout' })
      expect(answer.result?.content?.[0]?.text).toContain('did not respond within 0.5 s')
      await until('the server has been told', async () => {
        if (alias !== 'child') return probes[alias].state.events.includes(`cancelled ${label}`)
        return (await textOf({ url, key: gateway.key, era: 'modern' }, 'events'))?.includes(`cancelled ${label}`)
      })
    },
  )
})

describe('a child', () => {
  test('S3-EXT-06: stays between calls', async () => {
    const processes = new Set<string | undefined>()
    for (const peer of [...(await peersAt()), ...(await peersAt())]) {
      for (let at = 0; at < 5; at++) processes.add(await textOf(peer, 'child__process'))
    }
    expect([...processes]).toEqual([expect.stringMatching(/^\d+$/)])
    await using client = await connectClient({ kind: 'SDK 1', url: gateway.url, key: gateway.key })
    expect((await client.call('child__process')).content[0]?.text).toBe([...processes][0])
  })

  test('that ends in the middle of a call says so, and is started again by the next', async () => {
    const peer = joined()
    const first = await textOf(peer, 'child__process')
    const { answer } = await callTool(peer, 'child__exit')
    expect(answer.result?.isError).toBe(true)
    expect(faultOf(answer.result)).toMatchObject({ code: 'EXECUTION_ERROR', fault: 'upstream.lost' })
    const second = await textOf(peer, 'child__process')
    expect(second).toMatch(/^\d+$/)
    expect(second).not.toBe(first)
    expect(await textOf(peer, 'fine__echo', { text: 'untouched' })).toBe('untouched')
  })

  test('that was started again still announces its changes', async () => {
    await using client = await connectClient({
      kind: 'SDK 2 by discovery',
      url: gateway.connectionUrl('child'),
      key: gateway.key,
    })
    const listening = await client.listen({ toolsListChanged: true })
    await callTool(joined(), 'child__exit')
    await callTool(joined(), 'child__grow', { name: 'grown_by_the_second' })
    await until('the new tool is listed', async () =>
      (await toolNames(gateway, gateway.connectionUrl('child'))).includes('grown_by_the_second'),
    )
    await until('the change is announced', () => client.heard.length > 0)
    await listening.close()
  })

  test('that cannot start is an error with its reason, and takes nothing from others', async () => {
    await putConnection(gateway, {
      alias: 'broken',
      wire: { kind: 'process', command: '/nonexistent/program', args: [], environment: {} },
    })
    const state = await until('the failure is noted', async () => {
      const now = await stateOf(gateway, 'broken')
      return now?.status === 'error' ? now : undefined
    })
    expect(state.reason).toContain('The connection broken is not available')
    expect(state.tools).toEqual([])
    expect(await toolNames(gateway, gateway.connectionUrl('broken'))).toEqual([])
    expect(await toolNames(gateway, gateway.url)).toContain('fine__echo')
    await removeFrom(gateway, 'broken')
  })
})

describe('S2-BRG-01: a connection', () => {
  const url = () => gateway.connectionUrl('later')
  let server: ProbeServer
  beforeAll(async () => {
    server = parts.use(await startProbe({ era: 'legacy', name: 'later' }))
  })
  beforeEach(() => putConnection(gateway, { alias: 'later', wire: httpWire(server.url) }))
  const listed = () =>
    until('it is listed', async () => (await toolNames(gateway, gateway.url)).includes('later__echo'))
  const gone = () =>
    until('it is listed no more', async () => !(await toolNames(gateway, gateway.url)).includes('later__echo'))

  test('that is added while the gateway runs offers one tool for each of its server’s', async () => {
    await listed()
    const names = (await toolNames(gateway, gateway.url)).filter((name) => name.startsWith('later__'))
    expect(names).toHaveLength(OWN_TOOL_COUNT)
    for (const peer of await peersAt()) expect(await textOf(peer, 'later__echo', { text: 'new' })).toBe('new')
  })

  test('that is disabled is nowhere, and its server’s sessions end', async () => {
    await listed()
    const session = await openSession(gateway.url, gateway.key)
    await callTool(session, 'later__echo', { text: 'x' })
    expect(server.sessions.size).toBeGreaterThan(0)
    await putConnection(gateway, { alias: 'later', enabled: false, wire: httpWire(server.url) })
    await gone()
    for (const peer of [...(await peersAt()), session]) {
      const { answer } = await callTool(peer, 'later__echo', { text: 'x' })
      expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('Unknown tool') })
    }
    expect((await ask({ url: url(), key: gateway.key, era: 'modern' }, 'tools/list')).status).toBe(404)
    await until('its sessions have ended', () => server.sessions.size === 0)
  })

  test('that is removed is nowhere, and its server’s sessions end', async () => {
    await listed()
    await removeFrom(gateway, 'later')
    await gone()
    expect((await ask({ url: url(), key: gateway.key, era: 'modern' }, 'tools/list')).status).toBe(404)
    await until('its sessions have ended', () => server.sessions.size === 0)
    expect(await stateOf(gateway, 'later')).toBeUndefined()
  })
})

describe('a credential', () => {
  test('S2-SES-05: goes with every request as it stands now; a server that has none gets no header', async () => {
    const header = (value: string) => ({ authorization: value })
    await using server = await startProbe({ era: 'legacy' })
    await using seen = await startRecorder(server.url)
    const url = gateway.connectionUrl('guarded')
    const used = async (wire: ReturnType<typeof httpWire>) => {
      const before = seen.seen.length
      await putConnection(gateway, { alias: 'guarded', wire })
      await until('it is contacted', async () => (await stateOf(gateway, 'guarded'))?.status === 'connected')
      // The gateway's own requests must be made before the next change.
      await until('it is listened to', () => seen.seen.slice(before).some(({ method }) => method === 'GET'))
      await until('it is listed', async () => (await toolNames(gateway, url)).includes('echo'))
      for (const peer of await peersAt(url)) expect(await textOf(peer, 'echo', { text: 'x' })).toBe('x')
      return seen.seen.slice(before).filter(({ method, message }) => method === 'POST' && message?.method !== undefined)
    }
    const first = await used(httpWire(seen.url, header('Bearer first')))
    expect(new Set(first.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer first']))
    const second = await used(httpWire(seen.url, header('Bearer second')))
    expect(new Set(second.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer second']))
    const none = await used(httpWire(seen.url))
    expect(new Set(none.map(({ headers }) => headers.authorization))).toEqual(new Set([undefined]))
    await removeFrom(gateway, 'guarded')
  })
})
