/**
 * Digits through the gateway: what a client writes reaches the server, and what the server writes reaches the client, to the digit,
 * with rules, approvals and limits of results in between. Servers of both eras, clients that look at the bytes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { addKey, createAsk } from '../e2e/peers/people/administrators.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
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
