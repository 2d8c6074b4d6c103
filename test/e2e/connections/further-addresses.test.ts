/**
 * Connections with more than one address: the headers of one go to none of another's choice, by whichever request an administrator asks,
 * and a secret in any of them is neither shown, recorded nor stored unsealed.
 */
// @module-tag long
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { startN8n } from '../peers/n8n/n8n-double.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'

const CONNECTORS = '/api/v1/admin/tenants/default/connectors'
const HEADERS = { 'X-N8N-API-KEY': 'n8n-key', 'X-Hook-Secret': 'hook-canary-77' }
const Nothing = z.object({})

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let platform: Ask
let admin: Ask
let viewer: Ask
/** A server of somebody else's, and what it was sent. */
const sink = { origin: '', heard: [] as string[], asked: [] as string[] }
const CANARY = 'CANARY-1234567890abcdef'
const DOCUMENT = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'v1' }, { url: '' }],
  paths: { '/orders': { get: { operationId: 'listOrders', responses: { 200: { description: 'ok' } } } } },
})

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
    sink.asked.push(request.url ?? '')
    if (request.url?.includes('gone') === true) {
      response.writeHead(500).end(`no ${request.url}`)
      return
    }
    const answer = request.url?.startsWith('/docs') === true ? DOCUMENT : '{"ran":"elsewhere"}'
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  parts.defer(() => new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))))
  sink.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = await mkdtemp(join(tmpdir(), 'toolway-addresses-'))
  parts.defer(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'default'))
  await writeFile(join(folder, 'default', 'hook'), CANARY)
  gateway = parts.use(await startTestGateway({ settings: { TOOLWAY_SECRET_FOLDER: join(folder, '{organization}') } }))
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  viewer = createAsk(gateway, await addKey(gateway, { role: 'tenant_viewer', organization: gateway.organization.id }))
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

/** All that may be seen of a connection: by whoever may look, in the table and in the records. */
async function seenOf(alias: string): Promise<string> {
  const seen = [viewer, admin, platform].flatMap((ask) =>
    ['', `/${alias}`, `/${alias}/openapi`].map(async (path) => (await ask(`GET ${CONNECTORS}${path}`)).text),
  )
  const rows = await gateway.db.system(
    (sql) => sql(z.object({ all: z.string() }))`
      select coalesce(string_agg(row_to_json(one)::text, ' '), '') as all
        from (select settings, status_reason from connections where alias = ${alias}) one`,
  )
  const audit = await platform('GET /api/v1/admin/tenants/default/audit?limit=100')
  expect(audit.text).toContain('connection.change')
  return [...(await Promise.all(seen)), JSON.stringify(rows), audit.text, JSON.stringify(gateway.log)].join('\n')
}

test('a secret in the address of webhooks is used and never seen, also after what was shown is sent back', async () => {
  const webhooks = `${sink.origin}/hooks?token=${CANARY}`
  const put = await platform(`PUT ${CONNECTORS}/flow`, { n8n: { webhooks }, headers: HEADERS, private: true })
  expect(put.text).not.toContain(CANARY)
  for (const ask of [platform, admin]) {
    const { n8n, url } = (await ask(`GET ${CONNECTORS}/flow`)).body
    expect(n8n).toMatchObject({ webhooks: `${sink.origin}/hooks?token=•••` })
    const again = await ask(`PUT ${CONNECTORS}/flow`, { url, n8n })
    expect(again.status, again.text).toBe(200)
    sink.asked.length = 0
    expect((await run()).result).toMatchObject({ structuredContent: { ran: 'elsewhere' } })
    expect(sink.asked).toEqual([expect.stringMatching(new RegExp(`^/hooks/.*token=${CANARY}`))])
  }
  const masked = await admin(`PUT ${CONNECTORS}/flow`, { n8n: { webhooks: `${sink.origin}/else?token=•••` } })
  expect([masked.status, masked.text]).toEqual([422, expect.stringContaining('/n8n/webhooks')])
  // The messages of a failing run.
  await platform(`PUT ${CONNECTORS}/flow`, { n8n: { webhooks: `${sink.origin}/gone?token=${CANARY}` } })
  const failed = await run()
  expect(failed.result).toMatchObject({ isError: true })
  expect(JSON.stringify(failed)).not.toContain(CANARY)
  expect(await seenOf('flow')).not.toContain(CANARY)
})

test('a secret that is kept elsewhere is used in the address of webhooks, and for its headers', async () => {
  const webhooks = `${sink.origin}/hooks?token=secret://file/hook`
  const headers = { ...HEADERS, 'X-Hook-Secret': 'secret://file/hook' }
  const put = await platform(`PUT ${CONNECTORS}/flow`, { n8n: { webhooks }, headers, private: true })
  expect(put.status, put.text).toBe(200)
  sink.asked.length = 0
  sink.heard.length = 0
  expect((await run()).result).toMatchObject({ structuredContent: { ran: 'elsewhere' } })
  expect(sink.asked).toEqual([expect.stringContaining(`token=${CANARY}`)])
  expect(sink.heard).toEqual([expect.stringContaining(CANARY)])
  expect(await seenOf('flow')).not.toContain(CANARY)
})

test('a secret in the address of a document is used to fetch it and never seen', async () => {
  const document = `${sink.origin}/docs/shop.json?token=${CANARY}`
  const made = await platform(`POST ${CONNECTORS}/openapi`, {
    ...{ alias: 'shop', document_url: document, private: true },
  })
  expect([made.status, made.text]).toEqual([201, expect.not.stringContaining(CANARY)])
  expect(made.body).toMatchObject({
    url: `${sink.origin}/docs/v1`,
    openapi: { document: `${sink.origin}/docs/shop.json?token=•••` },
  })
  const put = await platform(`PUT ${CONNECTORS}/shop`, { title: 'The shop' })
  expect([put.status, put.text]).toEqual([200, expect.not.stringContaining(CANARY)])
  for (const body of [{ apply: false }, { document_url: made.body['openapi'].document, apply: false }]) {
    sink.asked.length = 0
    const renewed = await platform(`POST ${CONNECTORS}/shop/openapi/refresh`, body)
    expect([renewed.status, renewed.text]).toEqual([200, expect.not.stringContaining(CANARY)])
    expect(sink.asked).toEqual([`/docs/shop.json?token=${CANARY}`])
  }
  // One that has no document yet fetches it when it is opened.
  await gateway.db.system((sql) => sql(Nothing)`delete from openapi_documents`)
  await gateway.db.system((sql) => sql(Nothing)`update connections set updated_at = now() where alias = 'shop'`)
  sink.asked.length = 0
  await gateway.restart()
  await expect.poll(() => sink.asked).toContain(`/docs/shop.json?token=${CANARY}`)
  const gone = await platform(`POST ${CONNECTORS}/shop/openapi/refresh`, {
    ...{ document_url: `${sink.origin}/docs/gone?token=${CANARY}`, apply: false },
  })
  expect([gone.status, gone.text]).toEqual([expect.any(Number), expect.not.stringContaining(CANARY)])
  expect(await seenOf('shop')).not.toContain(CANARY)
})
