/**
 * Questions that a legacy server asks beside its calls' own streams, as most servers do: each finds the client whose call it is
 * about, in both eras, and none finds anybody else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { startAsker } from '../peers/servers/asker-server.ts'
import { connectClient, KINDS, type Kind, type Result } from '../peers/clients/client.ts'
import type { Way } from '../peers/clients/lasting-transports.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { askerProcess, httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const OTHER_KEY = `uru_${'fedcba9876543210'.repeat(4)}`
const parts = new AsyncDisposableStack()
let gateway: TestGateway

beforeAll(async () => {
  const asker = parts.use(await startAsker())
  const everything = parts.use(await startEverythingServer({ era: 'legacy' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'asker', wire: httpWire(asker.url) },
        { alias: 'every', wire: httpWire(everything.url) },
        { alias: 'child', wire: askerProcess() },
      ],
      keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const connected = (kind: Kind, alias: string, answers = true, key = gateway.key, way: Way = 'http') =>
  connectClient({ kind, url: gateway.connectionUrl(alias), key, answers, way })
const textOf = ({ content }: Result) => content[0]?.text ?? ''

describe('a question on the session’s own stream', () => {
  test.each(KINDS)('of an SDK 1 server reaches %s: input, a model’s answer, folders', async (kind) => {
    await using client = await connected(kind, 'asker')
    expect(textOf(await client.call('ask_user', { message: 'Who?' }))).toMatch(/accept .*Ada/)
    expect(textOf(await client.call('ask_model', { message: 'The capital?' }))).toContain('Paris')
    expect(textOf(await client.call('ask_roots'))).toContain('file:///work')
    expect(client.asked.map(({ method }) => method)).toEqual([
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
    ])
  })

  test.each(KINDS)('of an SDK 2 server reaches %s', async (kind) => {
    await using client = await connected(kind, 'every')
    const told = await client.call('test_elicitation_on_session_stream', { message: 'Who are you?' })
    expect(textOf(told)).toMatch(/action=accept.*"username":"ada"/)
    expect(client.asked).toMatchObject([{ params: { message: 'Who are you?' } }])
  })

  test.each(KINDS)('is refused in words while %s has several calls under way', async (kind) => {
    await using client = await connected(kind, 'asker')
    const leaving = new AbortController()
    const waiting = client.call('wait', {}, { signal: leaving.signal }).catch(() => 'given up')
    await until('the other call is there', async () => {
      const told = await client.call('ask_user', { message: 'Who?' }).catch((thrown: unknown) => thrown)
      return JSON.stringify(told instanceof Error ? told.message : told).includes('2 calls are in progress')
    })
    leaving.abort()
    expect(await waiting).toBe('given up')
    await until('it is asked again once its call is the only one', async () =>
      textOf(await client.call('ask_user', { message: 'Who?' })).includes('Ada'),
    )
  })

  test.each(KINDS)('is not put to %s when it never said that it can answer', async (kind) => {
    await using client = await connected(kind, 'asker', false)
    const told = await client.call('ask_user', { message: 'Anyone?' }).catch((thrown: unknown) => String(thrown))
    expect(JSON.stringify(told)).toMatch(/not support/i)
    expect(client.asked).toEqual([])
  })

  test('reaches the client whose call it is about, of two that are asked at the same time', async () => {
    await using one = await connected('SDK 1', 'asker')
    await using other = await connected('SDK 2 legacy', 'asker')
    for (let round = 0; round < 5; round++) {
      await Promise.all([
        one.call('ask_user', { message: `one ${round}` }),
        other.call('ask_user', { message: `other ${round}` }),
      ])
    }
    const rounds = [0, 1, 2, 3, 4]
    expect(one.asked.map(({ params }) => params?.['message'])).toEqual(rounds.map((at) => `one ${at}`))
    expect(other.asked.map(({ params }) => params?.['message'])).toEqual(rounds.map((at) => `other ${at}`))
  })
})

describe('a child', () => {
  test.each(KINDS)('asks %s for input and for a model’s answer, in the middle of a call', async (kind) => {
    await using client = await connected(kind, 'child')
    expect(textOf(await client.call('ask_user', { message: 'Who?' }))).toMatch(/accept .*Ada/)
    expect(textOf(await client.call('ask_model', { message: 'The capital?' }))).toContain('Paris')
    expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage'])
  })

  test('of a caller who can be asked is that caller’s own; all others share one', async () => {
    const kinds = ['SDK 2 pinned to 2026-07-28', 'SDK 1'] as const
    const pidOf = async (kind: Kind, answers: boolean, key: string) => {
      await using client = await connected(kind, 'child', answers, key)
      return textOf(await client.call('process'))
    }
    const own = await Promise.all(kinds.map((kind) => pidOf(kind, true, gateway.key)))
    const others = await Promise.all(kinds.map((kind) => pidOf(kind, true, OTHER_KEY)))
    const shared = await Promise.all([gateway.key, OTHER_KEY].map((key) => pidOf(kinds[0], false, key)))
    expect(new Set(own).size).toBe(1)
    expect(new Set(others).size).toBe(1)
    expect(new Set(shared).size).toBe(1)
    expect(new Set([...own, ...others, ...shared]).size).toBe(3)
  })

  test('is not told of a client’s folders, which would take the place of the operator’s', async () => {
    await using client = await connected('SDK 1', 'child')
    const told = await client.call('ask_roots').catch((thrown: unknown) => String(thrown))
    expect(JSON.stringify(told)).toMatch(/not available/i)
  })
})

describe('log lines that a server sends beside its calls', () => {
  const ways = ['asker', 'child'].flatMap((alias) =>
    (['SDK 1', 'SDK 2 legacy'] as const).map((kind) => [alias, kind] as const),
  )
  test.each(ways)('of %s reach %s from the level that it set', async (alias, kind) => {
    await using client = await connected(kind, alias)
    const lines = () => client.heard.filter(({ method }) => method === 'notifications/message')
    await client.setLevel('warning')
    await until('a line arrives', async () => {
      await client.call('log', { message: 'line' })
      return lines().length > 0
    })
    expect(lines().every(({ params }) => params?.['data'] === 'warning line')).toBe(true)
    await client.setLevel('debug')
    await until('the others arrive too', async () => {
      await client.call('log', { message: 'line' })
      return lines().some(({ params }) => params?.['data'] === 'debug line')
    })
  })

  test.each(['asker', 'child'])(
    'of %s reach a modern request that asks for them, from its level, and no other',
    async (alias) => {
      const peer = { url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' as const }
      const log = async (level?: string) => {
        const meta = level === undefined ? {} : { 'io.modelcontextprotocol/logLevel': level }
        const { messages } = await callTool(peer, 'log', { message: 'line' }, { meta })
        return messages.slice(0, -1).map(({ params }) => params?.['data'])
      }
      expect(await log()).toEqual([])
      expect(await log('warning')).toEqual(['warning line'])
      expect(await log('debug')).toEqual(['debug line', 'warning line'])
      expect(await log('warning')).toEqual(['warning line'])
      expect(await log('error')).toEqual([])
      expect(await log()).toEqual([])
    },
  )
})

test('a tool that a server lists only for clients that can answer is in the catalog', async () => {
  expect(await toolNames(gateway, gateway.connectionUrl('asker'))).toContain('only_for_askable')
})

test.each([
  ['SDK 1', 'http'],
  ['SDK 2 legacy', 'http'],
  ['SDK 1', 'sse'],
  ['SDK 2 legacy', 'socket'],
] as const)('that its folders changed, %s over %s says to the servers of its session', async (kind, way) => {
  await using client = await connected(kind, 'asker', true, gateway.key, way)
  expect(textOf(await client.call('roots_changes'))).toBe('0')
  await client.changeRoots()
  await until('the server has heard it', async () => textOf(await client.call('roots_changes')) === '1')
})

// The last of all: for a while after a call was given up, a child's question may be about that one, and is refused.
describe('a child with several calls', () => {
  test.each(KINDS)('is refused in words when it asks while %s has several calls under way', async (kind) => {
    await using client = await connected(kind, 'child')
    const leaving = new AbortController()
    const waiting = client.call('wait', {}, { signal: leaving.signal }).catch(() => 'given up')
    await until('the question is refused', async () => {
      const told = await client.call('ask_user', { message: 'Who?' }).catch((thrown: unknown) => thrown)
      return JSON.stringify(told instanceof Error ? told.message : told).includes('Not available')
    })
    leaving.abort()
    expect(await waiting).toBe('given up')
  })
})
