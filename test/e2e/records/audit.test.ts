/** Audit records over the admin interface: actor, action, time and origin; search, export and verification. */
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { recordChange, type Change } from '../../../packages/gateway/src/records/change.ts'
import { createTestVault, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const PLATFORM_KEY = `uru_${'b1'.repeat(32)}`
const OWN_KEY = `uru_${'b2'.repeat(32)}`
const OTHER_KEY = `uru_${'b3'.repeat(32)}`
const STRANGER = `uru_${'00'.repeat(32)}`
const Nothing = z.object({})
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer

beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  const limits = { TOOLWAY_LIMIT_ADDRESS: 'off', TOOLWAY_LIMIT_ORGANIZATION: 'off' }
  gateway = parts.use(
    await openGateway({
      settings: limits,
      connections: [{ alias: 'probe', wire: httpWire(probe.url) }],
      keys: [{ name: 'own', value: OWN_KEY, toolset: undefined }],
      others: [
        {
          slug: 'other',
          name: 'Other',
          connections: [],
          toolsets: [],
          keys: [{ name: 'their', value: OTHER_KEY, toolset: undefined }],
        },
      ],
    }),
  )
  const { hash } = createTestVault()
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`update keys set role = 'tenant_admin' where name in ('own', 'their')`
    await sql(Nothing)`
      insert into keys (id, name, hint, hash, origin, role)
      values (${newId('key')}, 'platform', 'b1b1', ${hash(PLATFORM_KEY)}, 'test', 'platform_admin')`
  })
})
afterAll(() => parts.disposeAsync())

const get = async (path: string, key = PLATFORM_KEY) => {
  const response = await fetch(`${gateway.address}${path}`, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
interface Page {
  readonly items: Record<string, unknown>[]
  readonly total: number
}
const page = async (path: string, key?: string): Promise<Page> => {
  const { status, text } = await get(path, key)
  expect(status, text).toBe(200)
  return JSON.parse(text) as Page
}
const call = (correlation: string, key = OWN_KEY, tool = 'probe__echo') =>
  callTool(
    { url: gateway.url, key, era: 'modern' },
    tool,
    { text: 'x' },
    {
      headers: { 'x-correlation-id': correlation, 'user-agent': 'audit test' },
    },
  )
const ALL = '/api/v1/admin/audit'
const OWN = '/api/v1/admin/tenants/default/audit'
const recorded = (correlation: string, path = ALL) =>
  until(`a record of ${correlation}`, async () =>
    (await page(`${path}?limit=200`)).items.find((one) => one['correlation_id'] === correlation),
  )

describe('records over HTTP', () => {
  test('a call says where its time went, the wait for its server as that, and all steps together as long as it took', async () => {
    const ask = (correlation: string, tool: string) =>
      callTool(
        { url: gateway.url, key: OWN_KEY, era: 'modern' },
        tool,
        { label: 'timed' },
        { headers: { 'x-correlation-id': correlation } },
      )
    const waiting = ask('timed-1', 'probe__steps')
    await until('the server has the call', () => probe.state.called.includes('steps'))
    await sleep(150)
    await ask('timed-2', 'probe__release')
    await waiting
    const { details } = (await recorded('timed-1')) as {
      details: { duration_ms: number; timings: Record<string, number> }
    }
    expect(details.timings['upstream']).toBeGreaterThan(100)
    const sum = Object.values(details.timings).reduce((all, one) => all + one, 0)
    // Each step is rounded to a tenth of a millisecond.
    expect(Math.abs(sum - details.duration_ms)).toBeLessThan(0.5)
  })

  test('S3-AUD-02: an event says when, who, as what, did what to what, where, with which details, from where, with what', async () => {
    await call('shape-1')
    const event = await recorded('shape-1')
    expect(event).toMatchObject({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      actor_id: expect.stringMatching(/^key_/) as unknown,
      actor_type: 'api_key',
      action: 'tools/call',
      resource_type: 'tool',
      resource_id: 'probe__echo',
      tenant_id: gateway.organization.id,
      details: { connection: 'probe', toolset: 'default', decision: 'allow' },
      ip_address: '127.0.0.1',
      user_agent: 'audit test',
      outcome: 'ok',
    })
    const actor = {
      id: 'usr_1',
      type: 'user' as const,
      keyId: undefined,
      address: '192.0.2.9',
      userAgent: 'browser',
      correlationId: 'shape-2',
    }
    const change: Change = { action: 'key.add', resource: 'key', id: 'key_9', detail: { name: 'laptop' } }
    await gateway.db.system((sql) => recordChange(sql, actor, gateway.organization.id, change))
    expect(await recorded('shape-2', OWN)).toMatchObject({
      actor_id: 'usr_1',
      actor_type: 'user',
      action: 'key.add',
      resource_type: 'key',
      resource_id: 'key_9',
      tenant_id: gateway.organization.id,
      details: { name: 'laptop' },
      ip_address: '192.0.2.9',
      user_agent: 'browser',
    })
  })

  test('S3-AUD-03: all of them or one organization’s, filtered, a page at a time, and 200 at most', async () => {
    for (let at = 0; at < 5; at++) await call(`page-${at}`)
    await call('page-refused', OWN_KEY, 'probe__nothing')
    await call('page-other', OTHER_KEY, 'probe__echo')
    await recorded('page-4')
    await recorded('page-refused')
    await recorded('page-other')
    const ids = ({ items }: Page) => items.map((one) => one['correlation_id'])
    const newest = await page(`${OWN}?action=tools/call&limit=2`)
    const next = await page(`${OWN}?action=tools/call&limit=2&offset=2`)
    expect(ids(newest)).toEqual(['page-refused', 'page-4'])
    expect(ids(next)).toEqual(['page-3', 'page-2'])
    expect(newest.total).toBe(next.total)
    expect(ids(await page(`${OWN}?outcome=refused`))).toEqual(['page-refused'])
    expect(ids(await page(`${OWN}?limit=200`, OWN_KEY))).not.toContain('page-other')
    expect(ids(await page(`${ALL}?limit=200`))).toEqual(expect.arrayContaining(['page-other', 'page-4']))
    const [theirs] = (await page(`${ALL}?limit=200`)).items.filter((one) => one['correlation_id'] === 'page-other')
    const tenant = String(theirs?.['tenant_id'])
    expect(ids(await page(`${ALL}?tenant_id=${tenant}&action=tools/call`))).toEqual(['page-other'])
    expect(ids(await page(`${ALL}?actor_id=${String(theirs?.['actor_id'])}`))).toEqual(['page-other'])
    const moment = encodeURIComponent(String((await recorded('page-3'))['timestamp']))
    expect(ids(await page(`${OWN}?start=${moment}&action=tools/call`))).toEqual(['page-refused', 'page-4', 'page-3'])
    expect(ids(await page(`${OWN}?end=${moment}&action=tools/call&limit=2`))).toEqual(['page-2', 'page-1'])
    expect(ids(await page(`${OWN}?correlation_id=page-3`))).toEqual(['page-3'])
    expect(ids(await page(`${OWN}?tool=probe__nothing`))).toEqual(['page-refused'])
    expect(ids(await page(`${OWN}?code=tool.unknown`))).toEqual(['page-refused'])
    expect(ids(await page(`${ALL}?code=tool.unknown`))).toEqual(['page-other', 'page-refused'])
    expect(ids(await page(`${OWN}?connection=probe&tool=probe__echo&limit=2`))).toEqual(['page-4', 'page-3'])
    expect((await page(`${OWN}?connection=none`)).total).toBe(0)
    const { id } = await recorded('page-2')
    expect(ids(await page(`${OWN}?id=${String(id)}`))).toEqual(['page-2'])
    expect(ids(await page(`${OWN}?id=${String(theirs?.['id'])}`))).toEqual([])
    expect(ids(await page(`${ALL}?id=${String(theirs?.['id'])}&tool=probe__echo`))).toEqual(['page-other'])
    expect((await get(`${OWN}?limit=201`)).status).toBe(422)
    expect((await get(`${OWN}?limit=0`)).status).toBe(422)
    expect((await get(`${OWN}?start=yesterday`)).status).toBe(422)
  })

  test('are for the organization’s own administrators, and all of them for the platform’s alone', async () => {
    expect((await get(ALL, OWN_KEY)).status).toBe(403)
    expect((await get(`${ALL}/export`, OWN_KEY)).status).toBe(403)
    for (const path of [OWN, `${OWN}/export`, `${OWN}/verify`]) {
      expect((await get(path, gateway.key)).status, path).toBe(403)
      expect((await get(path, OTHER_KEY)).status, path).toBe(404)
      expect((await get(path, OWN_KEY)).status, path).toBe(200)
    }
  })

  test('S3-AUD-04: a refused stranger is on the platform’s record, the first at once and the others as a count', async () => {
    for (let at = 0; at < 5; at++) await call(`stranger-${at}`, STRANGER)
    const [first] = await until('the first refusal', async () => {
      const { items } = await page(`${ALL}?tenant_id=platform&outcome=refused&actor_id=anonymous`)
      return items.length > 0 ? items : undefined
    })
    expect(first).toMatchObject({
      tenant_id: null,
      actor_id: 'anonymous',
      actor_type: 'system',
      code: 'key.unknown',
      correlation_id: 'stranger-0',
      ip_address: '127.0.0.1',
    })
    expect((await page(`${ALL}?tenant_id=platform&outcome=refused&actor_id=anonymous`)).items).toHaveLength(1)
    expect(JSON.stringify(first)).not.toContain('0000')
  })

  test('leave as JSON lines, CSV and OCSF, and leaving is on record; the chain is proven', async () => {
    await call('export-1')
    await recorded('export-1')
    const lines = await get(`${OWN}/export`, OWN_KEY)
    expect(lines.headers.get('content-type')).toContain('jsonl')
    const values = lines.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(values.map(({ type }) => type)).toEqual(expect.arrayContaining(['chain', 'record', 'checkpoint', 'end']))
    expect(values.findLast(({ type }) => type === 'record')).toMatchObject({ method: 'record.export' })
    const csv = await get(`${OWN}/export?format=csv`, OWN_KEY)
    expect(csv.text.split('\r\n')[0]).toMatch(/^seq,id,organization_id,at,kind/)
    expect(csv.text).toContain('export-1')
    const ocsf = (await get(`${OWN}/export?format=ocsf`, OWN_KEY)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { metadata: { correlation_uid: string } })
    expect(ocsf.find(({ metadata }) => metadata.correlation_uid === 'export-1')).toMatchObject({
      class_uid: 6003,
      category_uid: 6,
      type_uid: 600_399,
      status_id: 1,
      metadata: { version: '1.1.0', tenant_uid: gateway.organization.id, event_code: 'tools/call' },
      actor: { user: { uid: expect.stringMatching(/^key_/) as unknown } },
      src_endpoint: { ip: '127.0.0.1' },
      http_request: { user_agent: 'audit test' },
      api: { operation: 'tools/call', service: { name: 'probe' } },
      resources: [{ name: 'probe__echo' }],
    })
    const verdict = JSON.parse((await get(`${OWN}/verify`, OWN_KEY)).text) as { items: Record<string, unknown>[] }
    expect(verdict.items).toMatchObject([{ tenant_id: gateway.organization.id, good: true, first: 1, problem: null }])
    const all = JSON.parse((await get(`${ALL}/verify`)).text) as { items: Record<string, unknown>[] }
    expect(all.items.map(({ tenant_id: id, good }) => [id, good])).toEqual(
      expect.arrayContaining([
        [gateway.organization.id, true],
        [null, true],
      ]),
    )
  })

  test('S1-EVO-05: those of a time leave alone, as JSON lines and as CSV, and that they did is on record', async () => {
    for (const id of ['time-1', 'time-2', 'time-3']) {
      await call(id)
      await recorded(id)
    }
    const [second, third] = [await recorded('time-2'), await recorded('time-3')]
    const range = `start=${String(second['timestamp'])}&end=${String(third['timestamp'])}`
    const path = `${OWN}/export?${range}`
    const lines = (await get(path, OWN_KEY)).text.trim().split('\n')
    const values = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(values.map((one) => [one['type'], one['correlation_id']])).toEqual([['record', 'time-2']])
    const [head, ...rows] = (await get(`${path}&format=csv`, OWN_KEY)).text.trim().split('\r\n')
    expect(head).toMatch(/^seq,id/)
    expect(rows).toHaveLength(1)
    expect(rows[0]).toContain('time-2')
    const { items } = await page(`${OWN}?action=record.export&limit=1`)
    expect(items[0]?.['details']).toEqual({ format: 'csv', start: second['timestamp'], end: third['timestamp'] })
    expect((await get(`${OWN}/export?start=yesterday`, OWN_KEY)).status).toBe(422)
  })

  test('one call: its record, its line in the log and its count say the same', async () => {
    const counted = async () => {
      const metrics = (await get('/metrics')).text
      return Number(/^toolway_calls_total\{method="tools\/call",outcome="ok"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
    }
    const before = await counted()
    await call('agree-1')
    const event = await recorded('agree-1')
    const [line] = gateway.log.filter(({ facts }) => facts['request_id'] === 'agree-1')
    expect(line?.facts).toMatchObject({
      id: event['id'],
      timestamp: event['timestamp'],
      principal: event['actor_id'],
      method: event['action'],
      tool_name: event['resource_id'],
      org_id: event['tenant_id'],
      outcome: event['outcome'],
      ip_address: event['ip_address'],
      user_agent: event['user_agent'],
      duration_ms: (event['details'] as Record<string, unknown>)['duration_ms'],
    })
    expect(await counted()).toBe(before + 1)
  })
})
