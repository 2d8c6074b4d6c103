/** Connections with more than one address: the headers of one go to none of another's choice, by whichever request an administrator asks. */
// @module-tag long
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool } from './peers/clients/raw-client.ts'
import { startN8n } from './peers/n8n/n8n-double.ts'
import { addKey, createAsk, type Ask } from './peers/people/administrators.ts'

const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
const HEADERS = { 'X-N8N-API-KEY': 'n8n-key', 'X-Hook-Secret': 'hook-canary-77' }
const Nothing = z.object({})

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let platform: Ask
let admin: Ask
/** A server of somebody else's, and what it was sent. */
const sink = { origin: '', heard: [] as string[] }

beforeAll(async () => {
  const n8n = parts.use(
    await startN8n([
      {
        ...{ id: 'wf1', name: 'Run', active: true, tags: [{ name: 'toolway' }], run: () => ({ ran: true }) },
        nodes: [{ name: 'W', type: 'n8n-nodes-base.webhook', parameters: { path: 'run', httpMethod: 'POST' } }],
      },
    ]),
  )
  const server = createServer((request, response) => {
    sink.heard.push(JSON.stringify(request.headers))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ran":"elsewhere"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  parts.defer(() => new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))))
  sink.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  gateway = parts.use(await startTestGateway({}))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  const made = await platform(`POST ${CONNECTORS}`, {
    ...{ alias: 'flow', connector: 'n8n', url: n8n.url, private: true, headers: HEADERS },
  })
  if (made.status !== 201) throw new Error(made.text)
  await gateway.settled('flow')
}, 60_000)
afterAll(() => parts.disposeAsync())

test('the document of a connection leads nobody to another server of a private network', async () => {
  const paths = { '/orders': { get: { operationId: 'orders', responses: { 200: { description: 'ok' } } } } }
  const text = JSON.stringify({ openapi: '3.0.3', info: { title: 'Shop', version: '1' }, paths })
  let leads = false
  const server = createServer((_, response) => {
    if (leads) response.writeHead(302, { location: `${sink.origin}/secret` }).end()
    else response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  parts.defer(() => new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const heard = sink.heard.length
  const words = { alias: 'doc', document_url: `${origin}/openapi.json`, url: 'http://127.0.0.1:9/', private: true }
  const added = await platform(`POST ${CONNECTORS}/openapi`, words)
  expect(added.status, added.text).toBe(201)
  const refresh = () => admin(`POST ${CONNECTORS}/doc/openapi/refresh`, { apply: true })
  expect((await refresh()).body).toMatchObject({ same: true })
  leads = true
  expect((await refresh()).body['code']).toBe('egress.refused')
  const preview = await platform(`POST ${CONNECTORS}/openapi/preview`, words)
  expect([preview.status, preview.body['code']]).not.toContain(200)
  expect(sink.heard.slice(heard)).toEqual([])
})

const run = async () =>
  (await callTool({ url: gateway.connectionUrl('flow'), key: gateway.key, era: 'modern' }, 'run', {})).answer

test('an administrator of an organization points neither the secrets nor the leave for private networks elsewhere', async () => {
  const composio = { alias: 'apps', connector: 'composio', headers: { 'x-api-key': 'ck_canary' } }
  const made = await admin(`POST ${CONNECTORS}`, { ...composio, composio: { way: 'mcp', server: 'srv' } })
  expect(made.status, made.text).toBe(201)
  for (const [path, member] of [
    ['flow', (at: string) => ({ n8n: { webhooks: at } })],
    ['apps', (at: string) => ({ composio: { servers_at: at } })],
  ] as const) {
    const say = (at: string, more: object = {}) => admin(`PUT ${CONNECTORS}/${path}`, { ...member(at), ...more })
    for (const at of [sink.origin, 'https://evil.example.net', 'https://mcp.composio.dev.evil.example.net']) {
      const kept = await say(at)
      expect([at, kept.status, kept.text]).toEqual([at, 422, expect.stringContaining('/headers contains values')])
    }
    const open = await say(sink.origin, { headers: path === 'flow' ? HEADERS : composio.headers })
    expect([open.status, open.body['code']]).toEqual([403, 'private.forbidden'])
  }
  expect((await run()).result).toMatchObject({ structuredContent: { ran: true } })
  expect(sink.heard).toEqual([])
})

test('a further address that was stored before is sent nothing until the connection is saved with its headers', async () => {
  await gateway.db.system(
    (sql) => sql(Nothing)`
      update connections set settings = settings || ${JSON.stringify({ webhooks: sink.origin })}::jsonb, updated_at = now()
       where alias = 'flow'`,
  )
  await gateway.restart()
  const { result } = await run()
  expect(result).toMatchObject({ isError: true, _meta: { 'dev.toolway/fault': { fault: 'connection.unbound' } } })
  expect(sink.heard).toEqual([])
  const mended = await platform(`PUT ${CONNECTORS}/flow`, {
    n8n: { webhooks: sink.origin },
    headers: HEADERS,
    private: true,
  })
  expect(mended.status, mended.text).toBe(200)
  expect((await run()).result).toMatchObject({ structuredContent: { ran: 'elsewhere' } })
  expect(sink.heard).toEqual([expect.stringContaining('hook-canary-77')])
  expect(sink.heard[0]).not.toContain('n8n-key')
})
