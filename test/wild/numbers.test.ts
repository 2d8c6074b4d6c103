/**
 * Digits through the gateway: what a client writes reaches the server, and what the server writes reaches the client, to the digit,
 * with rules, approvals and limits of results in between. Servers of both eras, clients that look at the bytes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { addKey, createAsk } from '../e2e/peers/people/administrators.ts'
import { openGateway, toolNames } from '../e2e/peers/open-gateway.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startDouble } from '../e2e/peers/servers/openapi-double.ts'
import { until } from '../e2e/peers/until.ts'
import { startZooServer, type ZooServer } from './zoo-server.ts'

const ERAS = ['legacy', 'modern'] as const
const NUMBERS = '{"id":1234567890123456789,"list":[1.0,1e400,-0,0.10],"decimal":123456789012345678901234567890.5}'
const LIST = { type: 'array', items: { type: 'number' } }

const parts = new AsyncDisposableStack()
const servers = new Map<string, ZooServer>()
let gateway: TestGateway
beforeAll(async () => {
  for (const era of ERAS)
    servers.set(
      era,
      parts.use(
        await startZooServer({
          era,
          tools: [
            { name: 'echo', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
            { name: 'list', inputSchema: { type: 'object' }, outputSchema: LIST },
          ],
          result: (name) =>
            `{"content":[],"structuredContent":${name === 'list' ? '[9007199254740993,1.0]' : NUMBERS}}`,
        }),
      ),
    )
  gateway = parts.use(
    await openGateway({
      connections: ERAS.map((era) => ({ alias: era, wire: httpWire(servers.get(era)?.url ?? '') })),
    }),
  )
})
afterAll(() => parts.disposeAsync())

/** The bytes of the answer to a call whose arguments are these bytes. */
async function send(tool: string, given: string, revision: (typeof ERAS)[number]): Promise<string> {
  const modern = revision === 'modern'
  const meta = '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}'
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.key}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': modern ? '2026-07-28' : '2025-11-25',
      ...(modern ? { 'mcp-method': 'tools/call', 'mcp-name': tool } : {}),
    },
    body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${given}${modern ? `,"_meta":{${meta}}` : ''}}}`,
  })
  return response.text()
}

const PAIRS = ERAS.flatMap((client) => ERAS.map((server) => ({ client, server })))

describe.each(PAIRS)('numbers between a $client client and a $server server', ({ client, server }) => {
  test('reach the server to the digit, and come back to the digit', async () => {
    const answer = await send(`${server}__echo`, NUMBERS, client)
    expect(servers.get(server)?.bodies.at(-1)).toContain(`"arguments":${NUMBERS}`)
    expect(answer).toContain(`"structuredContent":${NUMBERS}`)
  })

  test('in a list come back in an object for clients that know no other, as text too', async () => {
    const answer = await send(`${server}__list`, '{}', client)
    expect(answer).toContain(
      client === 'legacy'
        ? '"structuredContent":{"result":[9007199254740993,1.0]}'
        : '"structuredContent":[9007199254740993,1.0]',
    )
    if (client === 'legacy') expect(answer).toContain('"text":"[9007199254740993,1.0]"')
  })
})

test('a rule that names an argument never judges another number than the server gets', async () => {
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const match = { tools: ['echo'], when: 'has(args.id) && args.id > 9007199254740992.0' }
  const rule = { name: 'small-ids', action: 'block', reason: 'Only ids up to that one', match }
  const added = await platform('POST /api/v1/organizations/default/rules', rule)
  expect(added.status, added.text).toBe(201)
  const server = servers.get('modern')
  const before = server?.bodies.length
  // Its double is the number that the rule allows.
  expect(await send('modern__echo', '{"id":9007199254740993}', 'modern')).toContain('arguments.ambiguous')
  expect(await send('modern__echo', '{"list":[{"id":1e400}]}', 'modern')).toContain('/list/0/id')
  expect(server?.bodies).toHaveLength(before ?? -1)
  expect(await send('modern__echo', '{"id":1.0}', 'modern')).toContain('structuredContent')
  expect(server?.bodies.at(-1)).toContain('"arguments":{"id":1.0}')
})

describe('numbers to a REST server', () => {
  const number = { type: 'number' }
  const object = { type: 'object', additionalProperties: true }
  const json = (schema: object) => ({ 'application/json': { schema } })
  const places = [
    ['id', 'path'],
    ['after', 'query'],
    ['X-Id', 'header'],
  ].map(([name, place]) => ({ name, in: place, required: true, schema: number }))
  const document = JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Numbers', version: '1' },
    paths: {
      '/things/{id}': {
        post: {
          operationId: 'store',
          parameters: [...places, { name: 'where', in: 'query', style: 'deepObject', schema: object }],
          requestBody: { required: true, content: json(object) },
          responses: { 200: { description: 'ok', content: json(object) } },
        },
      },
    },
  })

  test.each(ERAS)('go to the digit wherever a document places them, and come back, for a %s client', async (era) => {
    await using server = await startDouble(document)
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    const alias = `rest-${era}`
    const added = await platform('POST /api/v1/admin/tenants/default/connectors/openapi', {
      ...{ alias, document, url: server.url, private: true },
    })
    expect(added.status, added.text).toBe(201)
    await until(`${alias} lists its tool`, async () =>
      (await toolNames(gateway, gateway.connectionUrl(alias))).includes('store'),
    )
    const answers = { 'content-type': 'application/json' }
    server.next.push({ status: 200, headers: answers, body: NUMBERS })
    const given = `{"id":1234567890123456789,"after":1.0,"X-Id":9007199254740993,"where":{"a":0.10},"body":${NUMBERS}}`
    const answer = await send(`${alias}__store`, given, era)
    expect(answer).toContain(`"structuredContent":${NUMBERS}`)
    const [heard] = server.heard
    expect(heard?.body).toBe(NUMBERS)
    expect(heard?.path).toBe('/things/1234567890123456789')
    expect(heard?.query).toEqual([
      ['after', '1.0'],
      ['where[a]', '0.10'],
    ])
    expect(heard?.headers['x-id']).toBe('9007199254740993')
  })
})
