/**
 * The zoo behind a gateway: servers that list and answer every row of the tables, beside one without a fault, and the official clients
 * at the joined endpoint. No row takes another one, its own list or its neighbours along.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { isObject, type Json } from '../../packages/protocol/src/json.ts'
import { connectClient, KINDS } from '../e2e/peers/clients/client.ts'
import { ask } from '../e2e/peers/clients/raw-client.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { LEFT_OUT_DEFINITIONS, OBJECT, REPAIRED_DEFINITIONS } from './rows/definitions.ts'
import { MENDED_RESULTS } from './rows/results.ts'
import { startZooServer } from './zoo-server.ts'

const ERAS = ['legacy', 'modern'] as const
const GOOD = { name: 'good', inputSchema: OBJECT }

/** The rows of a kind, each under a name of its own where it has one. */
const definitionsOf = (kind: string, prefix: string): Json[] =>
  [...REPAIRED_DEFINITIONS, ...LEFT_OUT_DEFINITIONS]
    .filter(([, of]) => of === kind)
    .map(([, , given], at) =>
      typeof given['name'] === 'string' && given['name'] !== '' ? { ...given, name: `${prefix}${at}` } : given,
    )

const RESULTS = MENDED_RESULTS.filter(([, method]) => method === 'tools/call')
const repairedTools = REPAIRED_DEFINITIONS.filter(([, kind]) => kind === 'tool').length
const leftOutTools = LEFT_OUT_DEFINITIONS.filter(([, kind]) => kind === 'tool').length

/** What fits the output schema of a row, which a client holds against it. */
function structured(name: string, era: string) {
  const row = REPAIRED_DEFINITIONS.filter(([, kind]) => kind === 'tool')[Number(/^tool(\d+)$/.exec(name)?.[1] ?? -1)]
  const schema = row?.[2]['outputSchema']
  const isList = era === 'modern' && isObject(schema) && schema['type'] === 'array'
  return { content: [{ type: 'text', text: name }], structuredContent: isList ? [] : {} }
}

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const connections = []
  for (const era of ERAS) {
    const zoo = parts.use(
      await startZooServer({
        era,
        tools: [
          GOOD,
          ...definitionsOf('tool', 'tool'),
          null,
          'none',
          ...RESULTS.map((_, at) => ({ name: `result${at}`, inputSchema: OBJECT })),
        ],
        resources: [{ uri: 'good://a', name: 'a' }, ...definitionsOf('resource', 'resource')],
        prompts: [{ name: 'good' }, ...definitionsOf('prompt', 'prompt')],
        result: (name) => RESULTS[Number(/^result(\d+)$/.exec(name)?.[1] ?? -1)]?.[2] ?? structured(name, era),
      }),
    )
    const neighbour = parts.use(await startZooServer({ era, tools: [GOOD] }))
    connections.push(
      { alias: `zoo_${era}`, wire: httpWire(zoo.url) },
      { alias: `tidy_${era}`, wire: httpWire(neighbour.url) },
    )
  }
  gateway = parts.use(await openGateway({ connections }))
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
      expect(own).toHaveLength(repairedTools)
      expect(names.filter((name) => name.startsWith(`zoo_${era}__result`))).toHaveLength(RESULTS.length)
      for (const name of [`tidy_${era}__good`, `zoo_${era}__good`, ...own])
        expect((await client.call(name, {})).content[0]).toMatchObject({ type: 'text' })
    }
    expect((await client.prompts()).filter(({ name }) => name.endsWith('__good'))).toHaveLength(2)
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

test('what was left out and what was repaired is listed with its reason', async () => {
  const rows = await gateway.db.system(
    (sql) => sql(Row)`select k.alias, c.left_out from catalogs c join connections k on k.id = c.connection_id`,
  )
  for (const era of ERAS) {
    const odd = rows.find(({ alias }) => alias === `zoo_${era}`)?.left_out ?? []
    const toolsLeftOut = odd.filter(({ repaired }) => repaired !== true)
    expect(toolsLeftOut.length).toBeGreaterThanOrEqual(leftOutTools + 2)
    expect(odd.every(({ reason }) => reason.length > 10)).toBe(true)
    expect(rows.find(({ alias }) => alias === `tidy_${era}`)?.left_out).toEqual([])
  }
})

const Row = z.object({
  alias: z.string(),
  left_out: z.array(z.object({ name: z.string(), reason: z.string(), repaired: z.boolean().optional() })),
})
