/**
 * Servers that speak both eras: a question that a tool pushes reaches a client that can answer it, whichever era that client speaks,
 * and a tool that asks by its result works as well. Nothing that may have run is sent again.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient, eraOfKind, KINDS, textOf } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startBothEras, type BothErasServer } from '../peers/servers/both-eras.ts'
import { bothErasProcess, httpWire } from '../peers/servers/real-servers.ts'

const parts = new AsyncDisposableStack()
let server: BothErasServer
let gateway: TestGateway

const connections = (revision: 'auto' | '2026-07-28') => [
  { alias: 'both', wire: httpWire(server.url), trusted: true, revision },
  { alias: 'child', wire: bothErasProcess(), trusted: true, revision },
]
const SETTINGS = { TOOLWAY_APPROVALS: 'off' }
const open = async (revision: 'auto' | '2026-07-28' = 'auto') =>
  openGateway({ connections: connections(revision), settings: SETTINGS })

beforeAll(async () => {
  server = parts.use(await startBothEras())
})
afterAll(() => parts.disposeAsync())
beforeEach(() => {
  server.legacy = 'served'
  server.heard.length = 0
  for (const name of Object.keys(server.runs)) delete server.runs[name]
})

const connect = (kind: (typeof KINDS)[number], alias: string, joined = false) =>
  connectClient({ kind, url: joined ? gateway.url : gateway.connectionUrl(alias), key: gateway.key, answers: true })

describe.each(['both', 'child'])('%s, a server of both eras', (alias) => {
  beforeAll(async () => {
    gateway = await open()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  test.each(KINDS.filter((kind) => eraOfKind(kind) === 'legacy'))('asks the user of %s in its era', async (kind) => {
    await using client = await connect(kind, alias)
    expect(textOf(await client.call('push_write'))).toMatch(/^run \d+: accept/)
    expect(client.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Who are you?' } }])
    expect(textOf(await client.call('plain'))).toBe('plain')
  })

  test.each(KINDS)('lets %s call a tool that asks by its result', async (kind) => {
    await using client = await connect(kind, alias)
    expect(textOf(await client.call('rounds'))).toMatch(/^rounds: .*"Ada"/)
  })

  test('repeats a call that reads in the era in which it can ask, once, and knows it from then on', async () => {
    await using client = await connect('SDK 2 by discovery', alias)
    expect(textOf(await client.call('push_read'))).toMatch(/accept/)
    if (alias === 'both') expect(server.runs['push_read']).toBe(2)
    expect(textOf(await client.call('push_read'))).toMatch(/accept/)
    if (alias === 'both') expect(server.runs['push_read']).toBe(3)
    expect(client.asked).toHaveLength(2)
  })

  test('never repeats one that may have written: it says so, and the next call goes well', async () => {
    await using client = await connect('SDK 2 pinned to 2026-07-28', alias)
    const first = await client.call('push_write')
    expect(first.isError).toBe(true)
    expect(textOf(first)).toMatch(/not available on protocol revision/)
    expect(JSON.stringify(first.content)).toContain('Call it again')
    if (alias === 'both') expect(server.runs['push_write']).toBe(1)
    expect(textOf(await client.call('push_write'))).toMatch(/accept/)
    if (alias === 'both') expect(server.runs['push_write']).toBe(2)
  })
})

describe('a client that cannot be asked', () => {
  beforeEach(async () => {
    gateway = await open()
  })
  afterEach(() => gateway[Symbol.asyncDispose]())

  test('is served in the era of the connection, without a session', { tags: 'long' }, async () => {
    await using client = await connectClient({
      ...{ kind: 'SDK 1', url: gateway.url, key: gateway.key, answers: false },
    })
    expect(textOf(await client.call('both__plain'))).toBe('plain')
    expect(server.heard.filter((line) => line.startsWith('legacy'))).toEqual([])
  })
})

describe.each(['refused', 'silent'] as const)('a server whose legacy era is %s', (legacy) => {
  beforeEach(async () => {
    server.legacy = legacy
    gateway = await open()
  })
  afterEach(() => gateway[Symbol.asyncDispose]())

  test(
    'serves all clients in the modern one, and is not asked again at each call',
    {
      tags: legacy === 'silent' ? ['long'] : [],
    },
    async () => {
      await using client = await connect('SDK 1', 'both')
      expect(textOf(await client.call('plain'))).toBe('plain')
      expect(textOf(await client.call('rounds'))).toMatch(/^rounds: .*"Ada"/)
      expect(server.heard.filter((line) => line === 'legacy initialize')).toHaveLength(1)
      expect(server.runs).toEqual({ plain: 1, rounds: 2 })
    },
  )
})

test('a server that loses its legacy era serves the next call in the modern one', { tags: 'long' }, async () => {
  gateway = await open()
  await using _ = gateway
  await using client = await connect('SDK 1', 'both')
  expect(textOf(await client.call('push_read'))).toMatch(/accept/)
  server.legacy = 'refused'
  await using other = await connect('SDK 1', 'both')
  expect(textOf(await other.call('plain'))).toBe('plain')
})

test('a call that ran is never sent again in the other era, whatever came back', async () => {
  gateway = await open()
  await using _ = gateway
  await using client = await connect('SDK 1', 'both')
  expect(textOf(await client.call('plain'))).toBe('plain')
  server.legacy = 'paged'
  const result = await client.call('plain')
  expect([result.isError, server.runs['plain']]).toEqual([true, 2])
  expect(server.heard.filter((line) => line === 'modern tools/call')).toEqual([])
  server.legacy = 'served'
  expect(textOf(await client.call('push_write'))).toMatch(/accept/)
})

test('the child of a legacy client does not change what is known of the connection', { tags: 'long' }, async () => {
  gateway = await open()
  await using _ = gateway
  await using client = await connect('SDK 1', 'child')
  expect(textOf(await client.call('push_write'))).toMatch(/accept/)
  await gateway.restart()
  await gateway.settled('child')
  const Row = z.object({ revision: z.string() })
  const rows = await gateway.db.system(
    (sql) => sql(Row)`select era ->> 'revision' as revision from connections where alias = 'child'`,
  )
  expect(rows).toEqual([{ revision: '2026-07-28' }])
})

test('a connection that is set to one revision names the setting', { tags: 'long' }, async () => {
  gateway = await open('2026-07-28')
  await using _ = gateway
  for (const alias of ['both', 'child']) {
    await using client = await connect('SDK 2 legacy', alias)
    const result = await client.call('push_read')
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result.content)).toMatch(new RegExp(`${alias} is set to 2026-07-28.*auto`))
  }
})

test('at the joined endpoint, two clients of two eras are asked at the same time', { tags: 'long' }, async () => {
  gateway = await open()
  await using _ = gateway
  await using older = await connect('SDK 1', '', true)
  await using newer = await connect('SDK 2 by discovery', '', true)
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => older.call('both__push_read')),
    ...Array.from({ length: 5 }, () => newer.call('both__push_read')),
    ...Array.from({ length: 5 }, () => newer.call('both__rounds')),
  ])
  expect(
    answers.map((answer) => textOf(answer)).filter((words) => !/accept|^rounds: .*"Ada"/.test(words ?? '')),
  ).toEqual([])
  expect(older.asked).toHaveLength(5)
  expect(newer.asked).toHaveLength(10)
})
