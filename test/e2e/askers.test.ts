/**
 * Questions that a legacy server asks beside its calls' own streams, as most servers do: each finds the client whose call it is
 * about, in both eras, and none finds anybody else.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { startAsker } from './peers/asker-server.ts'
import { connectClient, KINDS, type Kind, type Result } from './peers/client.ts'
import { openGateway, toolNames } from './peers/open-gateway.ts'
import { httpWire } from './peers/real-servers.ts'
import { until } from './peers/until.ts'

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
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const connected = (kind: Kind, alias: string, answers = true) =>
  connectClient({ kind, url: gateway.connectionUrl(alias), key: gateway.key, answers })
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
      return JSON.stringify(told instanceof Error ? told.message : told).includes('2 calls are under way')
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

test('a tool that a server lists only for clients that can answer is in the catalog', async () => {
  expect(await toolNames(gateway, gateway.connectionUrl('asker'))).toContain('only_for_askable')
})

test.each(['SDK 1', 'SDK 2 legacy'] as const)(
  'that its folders changed, %s says to the servers of its session',
  async (kind) => {
    await using client = await connected(kind, 'asker')
    expect(textOf(await client.call('roots_changes'))).toBe('0')
    await client.changeRoots()
    await until('the server has heard it', async () => textOf(await client.call('roots_changes')) === '1')
  },
)
