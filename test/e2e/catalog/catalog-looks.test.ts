/**
 * How often servers are asked for their lists, by which of several gateways, and what idle clients hear of it: a server is asked
 * when there is a reason to, by one gateway, and clients are told of what is another list now.
 */
// @module-tag long
import { describe, expect, test, vi } from 'vitest'
import { listConnections } from '../../../packages/gateway/src/connections/connections.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient, type McpClient } from '../peers/clients/client.ts'
import { openStream } from '../peers/clients/event-reader.ts'
import { ask, openSession } from '../peers/clients/raw-client.ts'
import { putConnection } from '../peers/connections.ts'
import { addKey, createAsk } from '../peers/people/administrators.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { changingTool } from '../peers/servers/changing-server.ts'
import { startCounted, type CountedServer } from '../peers/servers/counted-server.ts'
import { httpWire, startEverythingOverHttp } from '../peers/servers/real-servers.ts'
import { steady, until } from '../peers/until.ts'

const TOOLS = [changingTool('one'), changingTool('two')]

const told = ({ heard }: McpClient) => heard.map(({ method }) => method).filter((method) => method.includes('list'))

/** A client whose stream is there: it has heard of a change, and what it heard until then is forgotten. */
async function idleClient(gateway: TestGateway, server: CountedServer, path: string): Promise<McpClient> {
  const client = await connectClient({ kind: 'SDK 1', url: gateway.url, key: gateway.key })
  let change = 0
  await until('the client hears of changes', () => {
    server.offer(path, [changingTool(`change_${++change}`)])
    server.announce(path)
    return told(client).length > 0
  })
  await until('it has heard of the last one', async () =>
    (await client.tools()).some(({ name }) => name.endsWith(`change_${change}`)),
  )
  await steady('what it was told', () => told(client).length)
  return client
}

describe('a server that has no stream of its own', () => {
  test('is not asked for its lists again and again, and idle clients hear of nothing', async () => {
    await using server = await startCounted({ tools: TOOLS })
    const [none, short, open] = ['/none/a', '/short/b', '/open/c'] as const
    await using gateway = await openGateway({
      connections: [none, short, open].map((path) => ({ alias: path.slice(1, 5), wire: httpWire(server.url(path)) })),
    })
    await using client = await idleClient(gateway, server, open)
    const before = told(client).length
    // A server that breaks its stream off is fetched again with growing pauses; its fetches measure the elapsed time here.
    const looked = server.lists(short)
    await until('the other server was asked anew twice', () => server.lists(short) >= looked + 2)
    expect({ lists: server.lists(none), streams: server.streams(none) }).toEqual({ lists: 1, streams: 1 })
    // Its lists were the same each time.
    expect(told(client).length).toBe(before)
    server.offer(short, [changingTool('other')])
    await until('what really changed is told', () => told(client).length > before)
    expect(new Set(told(client))).toEqual(new Set(['notifications/tools/list_changed']))
  })
})

describe('of two gateways on one database', () => {
  test('one asks a new server for its lists, and one asks again after it announced a change', async () => {
    await using server = await startCounted({ tools: TOOLS })
    await using gateway = await openGateway({
      connections: [{ alias: 'first', wire: httpWire(server.url('/none/first')) }],
    })
    await using other = await gateway.another()
    const path = '/open/new'
    await putConnection(gateway, { alias: 'new', wire: httpWire(server.url(path)) })
    const both = [gateway.address, other.address].map((address) => `${address}/api/v1/default/connectors/new/mcp`)
    const listed = async (names: readonly string[]) =>
      (await Promise.all(both.map((url) => toolNames(gateway, url)))).every((found) => found.join() === names.join())
    await until('both list its tools', () => listed(['one', 'two']))
    await until('both hear it', () => server.streams(path) === 2)
    expect(server.lists(path)).toBe(1)
    const looks: number[] = []
    for (let round = 0; round < 5; round++) {
      const before = server.lists(path)
      server.offer(path, [changingTool(`round_${round}`)])
      server.announce(path)
      await until('both list the new one', () => listed([`round_${round}`]))
      looks.push(server.lists(path) - before)
    }
    // A gateway that hears of it only after the look of the other one began has to ask again.
    for (const count of looks) expect([1, 2]).toContain(count)
    expect(looks).toContain(1)
    expect(server.lists('/none/first')).toBe(1)
  })
})

test('two hundred connections are asked 16 at a time and stored together, and after a restart those that are fresh are not', async () => {
  const COUNT = 200
  await using server = await startCounted({ tools: TOOLS, slow: 5 })
  const paths = Array.from({ length: COUNT }, (_, at) => `/none/${at}`)
  await using gateway = await openGateway({
    connections: [{ alias: 'first', wire: httpWire(server.url('/none/first')) }],
  })
  const { db } = gateway
  const loads = vi.spyOn(db, 'organization')
  let began = 0
  await gateway.restart(async () => {
    for (const [at, path] of paths.entries())
      await putConnection(gateway, { alias: `c${at}`, wire: httpWire(server.url(path)) })
    loads.mockClear()
    began = performance.now()
  })
  await until('all of them are listed', async () => (await toolNames(gateway, gateway.url)).length >= 2 * COUNT)
  // A look that takes longer than three seconds gives its place to another one, and goes on.
  const turns = 1 + Math.floor((performance.now() - began) / 3_000)
  expect(server.all.most).toBeLessThanOrEqual(16 * turns)
  expect(server.all.lists).toBe(COUNT + 1)
  // Reloads and reads of credentials; one by one they are more than four for each connection.
  expect(loads.mock.calls.length).toBeLessThan(2 * COUNT)
  const connections = await db.organization(gateway.organization.id, listConnections)
  expect(new Set(connections.map(({ status }) => status))).toEqual(new Set(['connected']))
  await gateway.restart()
  expect((await toolNames(gateway, gateway.url)).length).toBeGreaterThanOrEqual(2 * COUNT)
  await until('each is heard again', () => paths.every((path) => server.streams(path) === 2))
  expect(server.all.lists).toBe(COUNT + 1)
})

describe('a connection that was just made', () => {
  test('announces what may come, under its name, and tells of what came and of nothing else', async () => {
    const answers = Promise.withResolvers<void>()
    await using server = await startCounted({ tools: TOOLS, from: answers.promise })
    await using gateway = await startTestGateway({
      connections: [{ alias: 'new', title: 'Notes of Ann', wire: httpWire(server.url('/none/new')) }],
    })
    const url = gateway.connectionUrl('new')
    const introduced = async () => {
      const clientInfo = { name: 'raw', version: '1.0.0' }
      const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
      const { answer } = await ask({ url, key: gateway.key, era: 'legacy' }, 'initialize', opening)
      return answer.result
    }
    const lists = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } }
    expect(await introduced()).toMatchObject({
      capabilities: lists,
      serverInfo: { name: 'toolway', title: 'Notes of Ann' },
    })
    const stream = await openStream(await openSession(url, gateway.key))
    const heard = () => stream.messages.flatMap(({ method }) => (method?.includes('list') === true ? [method] : []))
    answers.resolve()
    await until('it hears of its tools', () => heard().length > 0)
    expect(await toolNames(gateway, url)).toEqual(['one', 'two'])
    await until('what it has is announced from then on', async () => {
      const { capabilities } = (await introduced()) as { capabilities: object }
      return Object.keys(capabilities).join() === 'tools'
    })
    expect(heard()).toEqual(['notifications/tools/list_changed'])
    stream.leave()
  })

  test('of another kind is not told of to a client that was announced tools alone', async () => {
    await using server = await startCounted({ tools: TOOLS })
    await using gateway = await openGateway({
      connections: [{ alias: 'first', wire: httpWire(server.url('/none/first')) }],
    })
    const stream = await openStream(await openSession(gateway.url, gateway.key))
    await using everything = await startEverythingOverHttp()
    await putConnection(gateway, { alias: 'more', wire: httpWire(everything.url) })
    await until('its prompts and tools are there', async () => (await toolNames(gateway, gateway.url)).length > 2)
    await until('it hears of the tools', () => stream.messages.length > 0)
    expect(new Set(stream.messages.map(({ method }) => method))).toEqual(new Set(['notifications/tools/list_changed']))
    stream.leave()
  })
})

test('a server that lists more than anybody could use is bounded in bytes, and its connection says what is left out', async () => {
  const text = 'x'.repeat(60_000)
  const many = Array.from({ length: 200 }, (_, at) => changingTool(`tool_${at}`, text))
  const tools = [changingTool('enormous', 'x'.repeat(10 * 1024 * 1024)), ...many]
  await using server = await startCounted({ tools })
  await using gateway = await openGateway({ connections: [{ alias: 'big', wire: httpWire(server.url('/none/big')) }] })
  const peer = { url: gateway.url, key: gateway.key, era: 'modern' } as const
  let [cursor, listed]: [string | undefined, number] = [undefined, 0]
  do {
    const { answer } = await ask(peer, 'tools/list', cursor === undefined ? {} : { cursor })
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(1.2 * 1024 * 1024)
    const page = answer.result as { tools: { name: string }[]; nextCursor?: string }
    expect(page.tools.map(({ name }) => name)).not.toContain('big__enormous')
    listed += page.tools.length
    cursor = page.nextCursor
  } while (cursor !== undefined)
  // Eight mebibytes of sixty thousand bytes each.
  expect(listed).toBeGreaterThan(130)
  expect(listed).toBeLessThan(140)
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const { body } = await platform('GET /api/v1/admin/tenants/default/connectors/big')
  expect(body).toMatchObject({
    left_out: [
      { name: 'enormous', reason: 'its definition is larger than 64 KiB, which no client could use' },
      { reason: expect.stringContaining('may have 8 MiB in total') },
    ],
  })
})
