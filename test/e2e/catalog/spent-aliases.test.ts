/**
 * Tests that a name that a client has stored never leads to another server: connections that are removed, and new ones of the
 * same title.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { addKey, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { startEffects, type EffectsServer } from '../peers/servers/effects-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
const parts = new AsyncDisposableStack()
let servers: readonly EffectsServer[]
let gateway: TestGateway
let platform: Ask
beforeAll(async () => {
  servers = [parts.use(await startEffects()), parts.use(await startEffects()), parts.use(await startEffects())]
  gateway = parts.use(await openGateway({ connections: [{ alias: 'base', wire: httpWire(servers[2]?.url ?? '') }] }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

const connect = async (at: number, words: object = { name: 'Open' }) => {
  const { status, body, text } = await platform(`POST ${CONNECTORS}`, {
    ...{ connector: 'mcp.http', url: servers[at]?.url, private: true },
    ...words,
  })
  expect(status, text).toBe(201)
  const alias = String(body['alias'])
  await until('its tools are listed', async () => (await seen()).includes(`${alias}__write_note`))
  return alias
}
const seen = () => toolNames(gateway, gateway.url)
const remove = async (alias: string) => {
  expect((await platform(`DELETE ${CONNECTORS}/${alias}`)).status).toBe(204)
  await until('its tools are gone', async () => !(await seen()).includes(`${alias}__write_note`))
}
const call = async (name: string) =>
  (await callTool({ url: gateway.url, key: gateway.key, era: 'modern' }, name)).answer

test('a name that a client kept leads to no other server: another connection of the same title gets another alias', async () => {
  expect(await connect(0)).toBe('open')
  await remove('open')
  const other = await connect(1)
  expect(other).not.toBe('open')
  expect((await call('open__write_note')).error?.message).toContain('Unknown tool')
  expect(servers[1]?.called).toEqual([])
  // The server that it always led to has it back.
  await remove(other)
  expect(await connect(0)).toBe('open')
  expect((await call('open__write_note')).result).toMatchObject({ content: [{ text: 'did write_note' }] })
  await remove('open')
})

test('an administrator who names the alias takes it over, and that is on record', async () => {
  expect(await connect(1, { alias: 'open', name: 'Another' })).toBe('open')
  const changes = (await changesIn(gateway)).filter(({ method }) => method === 'connection.add')
  expect(changes.at(-1)).toMatchObject({ detail: { alias: 'open', takes_over: true } })
  expect(changes.filter(({ detail }) => JSON.stringify(detail).includes('takes_over'))).toHaveLength(1)
  await remove('open')
  // From now on it led to that one.
  expect(await connect(1)).toBe('open')
})
