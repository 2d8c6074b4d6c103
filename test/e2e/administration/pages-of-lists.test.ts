/**
 * Lists of a company over HTTP: every page, searched and sorted at the server, with totals that count what is on other pages.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { IS_SHORT } from '../../setup/form.ts'
import { connectByHand } from '../peers/clients/by-hand.ts'
import { fillCompany, type CompanySize } from '../peers/company.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Answered, type Ask } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'

const SIZE: CompanySize = IS_SHORT
  ? { members: 260, keys: 260, connections: 205, tools: 2_100 }
  : { members: 5_000, keys: 10_000, connections: 2_000, tools: 10_000 }
const ADMIN = '/api/v1/admin/tenants/default'
const ALL_TOOLS = '/api/v1/organizations/default/tools'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
let platform: Ask

beforeAll(async () => {
  gateway = parts.use(await openGateway({}))
  await fillCompany(gateway, SIZE)
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  admin = createAsk(gateway, await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id }))
  await until(
    'the gateway knows the company',
    async () => (await admin(`GET ${ALL_TOOLS}?search=record_00000`)).body['total'] === 1,
  )
})
afterAll(() => parts.disposeAsync())

type Row = Record<string, unknown>
const itemsOf = ({ body }: Answered): Row[] => body['items'] as Row[]

/** All rows, page by page, as a client follows cursors. */
async function allOf(ask: Ask, path: string, limit = 200): Promise<{ rows: Row[]; total: number; pages: number }> {
  const rows: Row[] = []
  let [cursor, pages, total]: [string | undefined, number, number] = [undefined, 0, 0]
  do {
    const joint = path.includes('?') ? '&' : '?'
    const answer = await ask(`GET ${path}${joint}limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    expect(answer.status, answer.text).toBe(200)
    rows.push(...itemsOf(answer))
    expect(itemsOf(answer).length).toBeLessThanOrEqual(limit)
    total = Number(answer.body['total'])
    cursor = answer.body['next_cursor'] as string | undefined
    pages++
  } while (cursor !== undefined)
  return { rows, total, pages }
}

const distinct = (rows: readonly Row[], member: string) => new Set(rows.map((row) => row[member])).size

describe('the lists of a company', () => {
  test.each([
    ['members', `${ADMIN}/members`, 'user_id', SIZE.members],
    ['keys', `${ADMIN}/keys?search=key-`, 'id', SIZE.keys],
    ['connections', `${ADMIN}/connectors`, 'id', SIZE.connections + 1],
    ['tools', ALL_TOOLS, 'joined_name', SIZE.tools + 2 * SIZE.connections],
  ])('has each of its %s once, on pages that follow one another', async (_, path, member, expected) => {
    const { rows, total, pages } = await allOf(admin, path)
    expect({ rows: rows.length, distinct: distinct(rows, member), total }).toEqual({
      ...{ rows: expected, distinct: expected, total: expected },
    })
    expect(pages).toBe(Math.ceil(expected / 200))
  })

  test('finds members by a part of the name, by role, and sorted by any head, whatever page they are on', async () => {
    const found = await admin(`GET ${ADMIN}/members?search=NGUYEN&limit=5`)
    expect(found.body).toMatchObject({ total: 20, limit: 5 })
    expect(itemsOf(found)).toHaveLength(5)
    const viewers = await allOf(admin, `${ADMIN}/members?role=tenant_viewer`)
    expect(viewers.total).toBe(Math.floor(SIZE.members / 3))
    expect(new Set(viewers.rows.map(({ role }) => role))).toEqual(new Set(['tenant_viewer']))
    for (const sort of ['email', 'name', 'role', 'added_at', 'signed_in_at'])
      for (const order of ['asc', 'desc']) {
        const { rows } = await allOf(admin, `${ADMIN}/members?sort=${sort}&order=${order}&search=member0000`)
        expect(distinct(rows, 'user_id'), `${sort} ${order}`).toBe(9)
      }
    const [last] = itemsOf(await admin(`GET ${ADMIN}/members?sort=email&order=desc&limit=1`))
    expect(last).toMatchObject({ email: `member${String(SIZE.members).padStart(5, '0')}@company.test` })
    // A member who comes in while somebody turns pages moves no other one: none is skipped, none is there twice.
    const first = await admin(`GET ${ADMIN}/members?limit=100`)
    await admin(`POST ${ADMIN}/members`, { email: 'aaron@company.test', role: 'tenant_member' })
    const second = await admin(`GET ${ADMIN}/members?limit=100&cursor=${first.body['next_cursor']}`)
    expect(itemsOf(second)[0]).toMatchObject({ email: 'member00101@company.test' })
    const { user_id: aaron } = itemsOf(await admin(`GET ${ADMIN}/members?search=aaron`))[0] ?? {}
    expect((await admin(`DELETE ${ADMIN}/members/${String(aaron)}`)).status).toBe(204)
  })

  test('refuses a cursor of another order, and one that it did not make', async () => {
    const { body } = await admin(`GET ${ADMIN}/members?limit=5&sort=name`)
    for (const cursor of [body['next_cursor'], 'nonsense', 'WzFd'])
      expect((await admin(`GET ${ADMIN}/members?limit=5&cursor=${cursor}`)).body).toMatchObject({ code: 'body.shape' })
  })

  test('finds keys, users, connections and tools by a part of their names at the server', async () => {
    const last = String(SIZE.keys).padStart(5, '0')
    expect((await admin(`GET ${ADMIN}/keys?search=${last}`)).body).toMatchObject({
      total: 1,
      items: [{ name: `key-${last}` }],
    })
    expect((await platform(`GET /api/v1/auth/keys?search=${last}`)).body).toMatchObject({ total: 1 })
    expect((await platform('GET /api/v1/admin/users?search=nguyen&limit=3')).body).toMatchObject({ total: 20 })
    const branch = String(SIZE.connections).padStart(4, '0')
    const found = await admin(`GET ${ADMIN}/connectors?search=branch-${branch}`)
    expect(found.body).toMatchObject({ total: 1, by_status: { disabled: 1 } })
    const [most] = itemsOf(await admin(`GET ${ADMIN}/connectors?sort=tools&order=desc&limit=1`))
    expect(most).toMatchObject({ alias: 'erp', tools: SIZE.tools })
    const tool = String(SIZE.tools - 1).padStart(5, '0')
    const tools = await admin(`GET ${ALL_TOOLS}?search=${tool}&connection=erp&limit=10`)
    expect(tools.body).toMatchObject({
      ...{ total: 1, all: SIZE.tools + 2 * SIZE.connections },
      items: [{ joined_name: `erp__record_${tool}` }],
    })
    const whole = await admin(`GET ${ALL_TOOLS}?limit=1`)
    expect(whole.body['tokens']).toBe(whole.body['all_tokens'])
    expect(Number(whole.body['tokens'])).toBeGreaterThan(10 * SIZE.tools)
  })

  test('tells how much of each connection a selection takes, and takes what is on no page', async () => {
    const of = '/api/v1/organizations/default/tool-selections'
    const selection = { include: [], exclude: [] }
    const whole = await admin(`POST ${of}/changes`, { selection, take: true, connection: 'erp' })
    expect(whole.body).toEqual({ include: ['erp__*'], exclude: [] })
    const last = `branch-${String(SIZE.connections).padStart(4, '0')}`
    const name = `${last}__read_${String(SIZE.connections).padStart(5, '0')}`
    const both = await admin(`POST ${of}/changes`, { selection: whole.body, take: true, filter: { search: name } })
    expect(both.body).toEqual({ include: ['erp__*', name], exclude: [] })
    const counted = await admin(`POST ${of}/connections`, { selection: both.body, search: last })
    expect(counted.body).toMatchObject({ total: 1, items: [{ alias: last, tools: 2, selected: 1 }] })
    expect((await admin(`POST ${of}/connections`, { selection: both.body, search: 'erp' })).body).toMatchObject({
      items: [{ alias: 'erp', tools: SIZE.tools, selected: SIZE.tools }],
    })
    const page = await admin(`POST ${of}/tools`, { selection: both.body, search: 'read_', selected: true, limit: 5 })
    expect(page.body).toMatchObject({
      ...{ total: 1, selected: 1, items: [{ joined_name: name, selected: true }] },
      chosen: { tools: SIZE.tools + 1, of: SIZE.tools + 2 * SIZE.connections },
    })
    const without = await admin(`POST ${of}/changes`, {
      selection: both.body,
      take: false,
      names: ['erp__record_00007'],
    })
    expect(without.body).toEqual({ include: ['erp__*', name], exclude: ['erp__record_00007'] })
  })

  test('names whom and what records are about, also behind the first 200 members', async () => {
    const { user_id: id = '' } = itemsOf(await admin(`GET ${ADMIN}/members?search=member00230`))[0] ?? {}
    const changed = await admin(`PATCH ${ADMIN}/members/${String(id)}`, { role: 'tenant_viewer' })
    expect(changed.status, changed.text).toBe(200)
    expect((await admin(`PATCH ${ADMIN}/connectors/branch-0203/toggle`, { enabled: false })).status).toBe(200)
    const named = async () => {
      const records = itemsOf(await admin(`GET ${ADMIN}/audit`))
      return records.map(({ action, resource_name: name }) => `${String(action)} ${String(name)}`)
    }
    await expect
      .poll(named)
      .toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^member\.\S+ Member 230 \(member00230@company\.test\)$/),
          'connection.toggle branch-0203',
        ]),
      )
  })

  test('lists every tool to a client that follows cursors, in each revision, and the first 1,000 to one that does not', async () => {
    for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const) {
      await using client = await connectByHand(gateway, { way: 'http', revision, built: undefined as never })
      const names = new Set<string>()
      let [cursor, first]: [string | undefined, number] = [undefined, 0]
      do {
        const { result = {} } = await client.ask('tools/list', cursor === undefined ? {} : { cursor })
        const tools = result['tools'] as { name: string }[]
        if (first === 0) first = tools.length
        for (const { name } of tools) names.add(name)
        cursor = result['nextCursor'] as string | undefined
      } while (cursor !== undefined)
      expect({ revision, first, all: names.size }).toEqual({ revision, first: 1_000, all: SIZE.tools })
    }
  })
})
