/**
 * The two persistent transports, the pair of 2024-11-05 and WebSocket: tests that everything that works over Streamable HTTP
 * works over them, for common clients, in both eras, with servers of both.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient, eraOfKind, KINDS, textOf } from '../peers/clients/client.ts'
import type { Kind, McpClient } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import type { ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire, processOf } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probes: Record<Era, ProbeServer>

beforeAll(async () => {
  probes = {
    modern: parts.use(await startProbe({ era: 'modern' })),
    legacy: parts.use(await startProbe({ era: 'legacy' })),
  }
  const modern = parts.use(await startEverythingServer({ era: 'modern' }))
  const legacy = parts.use(await startEverythingServer({ era: 'legacy' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(probes.modern.url) },
        { alias: 'legacy', wire: httpWire(probes.legacy.url) },
        { alias: 'modern_all', wire: httpWire(modern.url) },
        { alias: 'legacy_all', wire: httpWire(legacy.url) },
        { alias: 'every', wire: processOf('everything') },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

/** A client of the modern era finds no such server behind the old pair, and opens with `initialize` if it may. */
const ways: { kind: Kind; way: 'sse' | 'socket'; era: Era }[] = [
  { kind: 'SDK 1', way: 'sse', era: 'legacy' },
  { kind: 'SDK 2 legacy', way: 'sse', era: 'legacy' },
  { kind: 'SDK 2 by discovery', way: 'sse', era: 'legacy' },
  ...KINDS.map((kind) => ({ kind, way: 'socket' as const, era: eraOfKind(kind) })),
]
const connected = ({ kind, way }: (typeof ways)[number], alias: string, answers = false): Promise<McpClient> =>
  connectClient({ kind, way, url: gateway.connectionUrl(alias), key: gateway.key, answers })
describe.each(ways)('$kind over $way', (one) => {
  test.each(ERAS)('lists and calls the tools of a %s server', async (alias) => {
    await using client = await connected(one, alias)
    expect(client.revision).toBe(one.era === 'modern' ? '2026-07-28' : '2025-11-25')
    expect((await client.tools()).map(({ name }) => name)).toContain('echo')
    expect(textOf(await client.call('echo', { text: 'hello' }))).toBe('hello')
    await expect(client.call('nothing')).rejects.toThrow('Unknown tool: nothing')
  })

  test.each(ERAS)('has a call to a %s server cancelled', async (alias) => {
    await using client = await connected(one, alias)
    const leaving = new AbortController()
    const label = `${one.kind} over ${one.way} to ${alias}`
    const hanging = client.call('hang', { label }, { signal: leaving.signal }).catch(() => 'left')
    await until('the call hangs', () => probes[alias].state.events.includes(`hang ${label}`))
    leaving.abort()
    expect(await hanging).toBe('left')
    await until('the server hears of it', () => probes[alias].state.events.includes(`cancelled ${label}`))
    expect(textOf(await client.call('echo', { text: 'still here' }))).toBe('still here')
  })

  test.each(ERAS)('is asked what a %s server wants to know', async (era) => {
    await using client = await connected(one, `${era}_all`, true)
    const asking =
      era === 'modern'
        ? ['test_input_required_result_elicitation', 'test_input_required_result_sampling']
        : ['test_elicitation', 'test_sampling']
    const told = await client.call(asking[0] ?? '', { message: 'Who are you?' })
    expect(textOf(told)).toMatch(/Hello, Ada!|action=accept.*"username":"ada"/)
    expect(textOf(await client.call(asking[1] ?? '', { prompt: 'The capital of France?' }))).toContain('Paris')
    expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage'])
  })

  test('hears of progress', async () => {
    await using client = await connected(one, 'every')
    const heard: number[] = []
    await client.call(
      'trigger-long-running-operation',
      { duration: 0.3, steps: 3 },
      { onprogress: ({ progress }) => void heard.push(progress) },
    )
    expect(heard.slice(0, 2)).toEqual([1, 2])
  })

  test('hears that a list has changed', async () => {
    await using client = await connected(one, 'modern')
    const listening = one.era === 'modern' ? await client.listen({ toolsListChanged: true }) : undefined
    const name = `came_by_${one.kind}_${one.way}`.replaceAll(/\W/g, '_')
    await client.call('grow', { name })
    await until('it is told', () => client.heard.some(({ method }) => method === 'notifications/tools/list_changed'))
    expect((await client.tools()).map((tool) => tool.name)).toContain(name)
    await listening?.close()
  })
})

describe.each(ways.filter(({ era }) => era === 'legacy'))('a session of $kind over $way', (one) => {
  test.each(ERAS)(
    'hears that a resource of a %s server that it watches was updated, and no other does',
    async (era) => {
      await using client = await connected(one, `${era}_all`)
      await using other = await connected(one, `${era}_all`)
      const updates = ({ heard }: McpClient) =>
        heard.filter(({ method }) => method === 'notifications/resources/updated')
      await client.subscribe('test://watched-resource')
      await until('the update arrives', async () => {
        await other.call('test_trigger_resource_update')
        return updates(client).length > 0
      })
      expect(updates(client)[0]?.params?.['uri']).toBe('test://watched-resource')
      expect(updates(other)).toEqual([])
    },
  )

  test('gets the log lines of its own calls from the level that it set', async () => {
    await using client = await connected(one, 'legacy_all')
    const lines = () => client.heard.filter(({ method }) => method === 'notifications/message')
    await client.setLevel('warning')
    await client.call('test_tool_with_logging')
    expect(lines()).toEqual([])
    await client.setLevel('debug')
    await client.call('test_tool_with_logging')
    await until('the lines arrive', () => lines().length === 3)
  })
})
