/** Resource notifications that modern and legacy clients receive from a child, which has one channel for all of them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { join } from 'node:path'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient } from '../peers/clients/client.ts'
import { startListening } from '../peers/clients/listener.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { until } from '../peers/until.ts'

const ERAS = ['modern', 'legacy'] as const
const OTHER_KEY = `uru_${'fedcba9876543210'.repeat(4)}`
const parts = new AsyncDisposableStack()
let gateway: TestGateway

beforeAll(async () => {
  const args = [
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, '../peers/servers/watched.script.ts'),
  ]
  const wire = { kind: 'process' as const, command: process.execPath, args, environment: {} }
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire, revision: '2026-07-28' },
        { alias: 'legacy', wire, revision: '2025-11-25' },
      ],
      keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (alias: string, key = gateway.key): RawPeer => ({ url: gateway.connectionUrl(alias), key, era: 'modern' })
const touch = (alias: string, uri: string) => callTool(at(alias), 'touch', { uri })

describe.each(ERAS)('a %s child', (era) => {
  test('tells each listener of what it named, and nobody of what another named', async () => {
    await using one = await startListening(at(era), { resourceSubscriptions: ['test://one'] })
    await using two = await startListening(at(era, OTHER_KEY), { resourceSubscriptions: ['test://two'] })
    expect([one.honoured, two.honoured]).toEqual([
      { resourceSubscriptions: ['test://one'] },
      { resourceSubscriptions: ['test://two'] },
    ])
    await touch(era, 'test://one')
    await touch(era, 'test://two')
    await until('both are told', () => one.updates().length > 0 && two.updates().length > 0)
    expect([new Set(one.updates()), new Set(two.updates())]).toEqual([new Set(['test://one']), new Set(['test://two'])])
  })

  test.each(['SDK 1', 'SDK 2 legacy'] as const)('tells %s of what its session watches', async (kind) => {
    await using client = await connectClient({ kind, url: gateway.connectionUrl(era), key: gateway.key })
    expect(client.capabilities).toMatchObject({ resources: { subscribe: true } })
    await client.subscribe('test://one')
    await until('the update arrives', async () => {
      await touch(era, 'test://one')
      return client.heard.some(({ method }) => method === 'notifications/resources/updated')
    })
  })

  test('that follows another is listened to like the first, and whoever listens is told', async () => {
    await using listener = await startListening(at(era), { resourceSubscriptions: ['test://one'] })
    await callTool(at(era), 'exit').catch(() => undefined)
    await until('another is there', async () => {
      const { answer } = await touch(era, 'test://nothing')
      return answer.result?.content?.[0]?.text === 'touched'
    })
    await until('it is told that it may have missed something', () => listener.updates().length > 0)
    const before = listener.updates().length
    await until('updates arrive again', async () => {
      await touch(era, 'test://one')
      return listener.updates().length > before
    })
  })
})

test('a legacy child is subscribed to once for all, and no more when nobody listens', async () => {
  const told = async () => {
    const { answer } = await callTool(at('legacy'), 'subscribed')
    return (answer.result?.content?.[0]?.text.split(' ') ?? []).filter((one) => one.endsWith('test://two'))
  }
  const before = (await told()).length
  const one = await startListening(at('legacy'), { resourceSubscriptions: ['test://two'] })
  const other = await startListening(at('legacy', OTHER_KEY), { resourceSubscriptions: ['test://two'] })
  await one[Symbol.asyncDispose]()
  expect((await told()).slice(before)).toEqual(['+test://two'])
  await other[Symbol.asyncDispose]()
  await until('it is told', async () => String((await told()).slice(before)) === '+test://two,-test://two')
})
