/** Tests that a record states why its call failed, and contains the arguments only where an administrator has enabled that. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { removeOldPayloads } from '../../../packages/gateway/src/records/payloads.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const TENANT = '/api/v1/admin/tenants/default'
const SAID = '502: the customer database is not reachable'
const Event = z.object({
  id: z.string(),
  outcome: z.string(),
  code: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
const Page = z.object({ items: z.array(Event) })

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let leaving: ProbeServer
let platform: Ask
let admin: Ask
beforeAll(async () => {
  const probe = parts.use(await startProbe({ era: 'modern' }))
  leaving = await startProbe({ era: 'modern' })
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'probe', wire: httpWire(probe.url) },
        { alias: 'away', wire: httpWire(leaving.url) },
      ],
    }),
  )
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
})
afterAll(() => parts.disposeAsync())

/** The record of a call with that id, once it is there. */
async function called(id: string, tool: string, given: object): Promise<z.output<typeof Event>> {
  const peer = { url: gateway.url, key: gateway.key, era: 'modern' as const }
  await callTool(peer, tool, given as never, { headers: { 'x-correlation-id': id } })
  return recordOf(id)
}
const recordOf = (id: string) =>
  until(`the record of ${id}`, async () => {
    const { body } = await admin(`GET ${TENANT}/audit?correlation_id=${id}`)
    return Page.parse(body).items.find(({ details }) => 'duration_ms' in details)
  })
const payloadOf = (id: string, ask = admin) => ask(`GET ${TENANT}/audit/${id}/payload`)

describe('a record of a call that failed', () => {
  test('says what the tool said, short and without what looks like a secret', async () => {
    const plain = await called('why-tool', 'probe__fail', { reason: SAID })
    expect(plain).toMatchObject({ outcome: 'tool_error', details: { error: { by: 'tool', says: SAID } } })
    const secret = await called('why-secret', 'probe__fail', { reason: 'refused: password=hunter2 '.repeat(200) })
    const { says } = z.object({ says: z.string() }).parse(secret.details['error'])
    expect(says.length).toBeLessThanOrEqual(300)
    expect(says).toContain('password=•••')
    expect(JSON.stringify([secret, gateway.log])).not.toContain('hunter2')
  })

  test('says the sentence of the fault with its facts, and what helps', async () => {
    const gone = await called('why-gone', 'gone__anything', {})
    expect(gone).toMatchObject({ code: 'tool.unknown', details: { error: { by: 'gateway' } } })
    expect(gone.details['error']).toMatchObject({ says: expect.stringContaining('gone__anything') })
    await leaving[Symbol.asyncDispose]()
    const away = await called('why-away', 'away__echo', { text: 'x' })
    expect(away).toMatchObject({
      outcome: 'failed',
      details: {
        error: {
          says: 'The connection away is not available: nothing is listening there.',
          mend: '`toolway connection test away` shows the cause.',
        },
      },
    })
  })
})

describe('arguments and results of calls', () => {
  const given = { text: 'what was sent', note: 'sk-abcdefghijklmnop', token: 'sk-abcdefghijklmnop' }

  test('are kept for no connection unless an administrator says so, which is on record', async () => {
    const { id } = await called('kept-none', 'probe__echo', { text: 'unkept words' })
    expect((await payloadOf(id)).status).toBe(404)
    expect((await admin(`GET ${TENANT}/connectors/probe/payloads`)).body).toEqual({ keep: false, days: 7 })
    const member = createAsk(
      gateway,
      await addKey(gateway, { role: 'tenant_member', organization: gateway.organization.id }),
    )
    expect((await member(`PUT ${TENANT}/connectors/probe/payloads`, { keep: true })).status).toBe(403)
    const headers = { 'x-correlation-id': 'keep-on' }
    const set = await admin(`PUT ${TENANT}/connectors/probe/payloads`, { keep: true }, headers)
    expect(set.body).toEqual({ keep: true, days: 7 })
    const { body } = await admin(`GET ${TENANT}/audit?correlation_id=keep-on`)
    expect(body).toMatchObject({
      items: [{ action: 'connection.keep_payloads', details: { alias: 'probe', keep: true, days: 7 } }],
    })
  })

  test('are kept then, sealed and without secrets, and looking at them is on record', async () => {
    const { id, details, ...record } = await called('kept-one', 'probe__echo', given)
    expect(record).toMatchObject({ outcome: 'ok', code: null })
    expect(details['payload']).toMatch(/^[0-9a-f]{64}$/)
    const { body } = await payloadOf(id)
    expect(body).toMatchObject({
      id,
      arguments: { text: 'what was sent', note: '•••', token: '•••' },
      result: { content: [{ type: 'text', text: 'what was sent' }] },
      cut: false,
      intact: true,
    })
    const looked = await admin(`GET ${TENANT}/audit?action=record.payload`)
    expect(looked.body).toMatchObject({ items: [{ resource_id: id }] })
    const Row = z.object({ row: z.string() })
    const rows = await gateway.db.system(
      (sql) => sql(Row)`
        select records::text as row from records union all select encode(sealed, 'escape') as row from record_payloads`,
    )
    const told = JSON.stringify([rows, gateway.log])
    expect(told).not.toContain('what was sent')
    expect(told).not.toContain('abcdefghijklmnop')
  })

  test('go with redactions, with their time and with the switch, and the chain stays whole', async () => {
    const first = await called('kept-two', 'probe__echo', given)
    const second = await called('kept-three', 'probe__echo', given)
    await gateway.db.system(
      (sql) => sql(z.object({}))`update record_payloads set at = at - interval '8 days' where id = ${first.id}`,
    )
    expect((await payloadOf(first.id)).status).toBe(404)
    expect(await gateway.db.system((sql) => removeOldPayloads(sql, 7))).toBe(1)
    expect((await payloadOf(second.id)).status).toBe(200)
    expect((await admin(`PUT ${TENANT}/connectors/probe/payloads`, { keep: false })).status).toBe(200)
    expect((await payloadOf(second.id)).status).toBe(404)
    const verified = await platform(`GET /api/v1/admin/audit/verify?tenant_id=${gateway.organization.id}`)
    expect(verified.body).toMatchObject({ items: [{ good: true }] })
  })
})
