/**
 * The zoo behind a gateway: servers that list and answer every row of the tables, beside one without a fault, and the official clients
 * at the joined endpoint. No row takes another one, its own list or its neighbours along.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Connection } from '../../packages/contract/src/features/connections/connections.ts'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import type { Json } from '../../packages/protocol/src/json.ts'
import { connectClient, KINDS } from '../e2e/peers/clients/client.ts'
import { ask } from '../e2e/peers/clients/raw-client.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../e2e/peers/people/administrators.ts'
import { ERAS, TRANSPORTS, type Era, type Transport } from './rows/row.ts'
import { processOfZoo, wireAt } from './rows/servers.ts'
import { COUNTS, GOOD, RESULTS, wholeZoo } from './whole-zoo.ts'
import { startZooServer } from './zoo-server.ts'

/** Every way to a server in an era that the gateway speaks; the older stream is of the older revisions alone. */
const WAYS = ERAS.flatMap((era) => TRANSPORTS.map((transport) => ({ era, transport }))).filter(
  ({ era, transport }) => transport !== 'sse' || era === 'legacy',
)
const aliasOf = ({ era, transport }: { era: Era; transport: Transport }) =>
  transport === 'http' ? `zoo_${era}` : `${transport}_${era}`

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
beforeAll(async () => {
  const connections = []
  for (const way of WAYS) {
    const { era, transport } = way
    const wire =
      transport === 'stdio'
        ? processOfZoo('all', era)
        : wireAt(parts.use(await startZooServer(wholeZoo(era), transport)).url)
    connections.push({ alias: aliasOf(way), wire })
  }
  for (const era of ERAS) {
    const neighbour = parts.use(await startZooServer({ era, tools: [GOOD] }))
    connections.push({ alias: `tidy_${era}`, wire: wireAt(neighbour.url) })
  }
  gateway = parts.use(await openGateway({ connections }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

describe.each(KINDS)('an official client (%s) with the zoo behind its endpoint', (kind) => {
  test('lists every tool that has a meaning, its neighbours’ too, and calls them', async () => {
    await using client = await connectClient({ kind, url: gateway.url, key: gateway.key })
    const names = (await client.tools()).map(({ name }) => name)
    for (const era of ERAS) {
      expect(names).toContain(`tidy_${era}__good`)
      const own = names.filter((name) => name.startsWith(`zoo_${era}__tool`))
      // Rows without a name of their own cannot be told apart, and are left out.
      expect(own).toHaveLength(COUNTS.repaired)
      expect(names.filter((name) => name.startsWith(`zoo_${era}__result`))).toHaveLength(RESULTS.length)
      for (const name of [`tidy_${era}__good`, `zoo_${era}__good`, ...own])
        expect((await client.call(name, {})).content[0]).toMatchObject({ type: 'text' })
    }
    expect((await client.prompts()).filter(({ name }) => name.endsWith('__good'))).toHaveLength(WAYS.length)
  })

  test('gets every result, mended where it was malformed', async () => {
    await using client = await connectClient({ kind, url: gateway.url, key: gateway.key })
    for (const era of ERAS) {
      for (const [at, [behaviour, , given]] of RESULTS.entries()) {
        const result = await client
          .call(`zoo_${era}__result${at}`, {})
          .catch((thrown: unknown) => expect.fail(`${behaviour}: ${String(thrown)}`))
        expect(Array.isArray(result.content), `${behaviour} (${JSON.stringify(given)})`).toBe(true)
      }
    }
  })
})

describe.each(WAYS)('a $era server of the zoo over $transport', (way) => {
  const { era } = way
  const alias = aliasOf(way)
  const send = async (method: string, params: Record<string, unknown> = {}) =>
    (await ask({ url: gateway.connectionUrl(alias), key: gateway.key, era }, method, params)).answer

  test('lists every tool that has a meaning, and each result can be read', async () => {
    const tools = (await send('tools/list')).result?.['tools'] as { name: string }[]
    expect(tools.filter(({ name }) => name.startsWith('tool'))).toHaveLength(COUNTS.repaired)
    for (const [at, [behaviour]] of RESULTS.entries()) {
      const { result } = await send('tools/call', { name: `result${at}`, arguments: {} })
      expect(Array.isArray(result?.content), behaviour).toBe(true)
    }
    expect((await send('tools/call', { name: 'good', arguments: {} })).result?.content?.[0]).toMatchObject({
      text: 'good',
    })
  })

  test('has what was left out and what was repaired listed with its reason', async () => {
    const { body } = await admin(`GET /api/v1/admin/tenants/default/connectors/${alias}`)
    const { status, left_out: leftOut, repaired } = body as Connection
    expect(status).toBe('connected')
    expect(leftOut.length).toBeGreaterThanOrEqual(COUNTS.leftOut)
    expect(repaired.length).toBeGreaterThanOrEqual(COUNTS.repaired)
    for (const { name, reason } of [...leftOut, ...repaired]) expect(reason.length, name).toBeGreaterThan(10)
  })
})

test.each(ERAS)(
  'a client (%s) whose arguments are null calls without arguments, and others get a clear error',
  async (era) => {
    const peer = { url: gateway.url, key: gateway.key, era }
    for (const from of ERAS) {
      const call = async (given: Json) =>
        (await ask(peer, 'tools/call', { name: `tidy_${from}__good`, arguments: given })).answer
      // The server shows the request that it was sent.
      const shown = { type: 'text', text: expect.not.stringContaining('arguments') as string }
      expect(await call(null)).toMatchObject({ result: { content: [shown] } })
      for (const odd of [[], 'none', 0, false])
        expect(await call(odd)).toMatchObject({
          error: { code: -32602, message: expect.stringContaining('/arguments must be an object') },
        })
    }
  },
)

test('nothing of a neighbour is left out or repaired', async () => {
  for (const era of ERAS) {
    const { body } = await admin(`GET /api/v1/admin/tenants/default/connectors/tidy_${era}`)
    expect(body).toMatchObject({ status: 'connected', left_out: [], repaired: [] })
  }
})
