/** How the admin interface answers what it cannot serve, and a request that comes twice. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '../../../packages/gateway/src/app/operations.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addKey, changesIn, createAsk, type Answered, type Ask } from '../peers/people/administrators.ts'

const TENANTS = '/api/v1/admin/tenants'
const parts = new AsyncDisposableStack()
let gateway: TestGateway
let platform: Ask
beforeAll(async () => {
  gateway = parts.use(await startTestGateway())
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

const isProblem = ({ headers, body, status }: Answered) => {
  expect(headers.get('content-type')).toBe('application/problem+json')
  expect(body).toMatchObject({
    type: `urn:toolway:fault:${String(body['code'])}`,
    status,
    mend: expect.stringMatching(/\.$/),
    correlation_id: expect.any(String),
  })
}

describe('the admin door', () => {
  test('answers every mistake with a problem that says what mends it', async () => {
    const nobody = createAsk(gateway, undefined)
    const json = { 'content-type': 'application/json' }
    const cases: [Promise<Answered>, number, string][] = [
      [nobody(`GET ${TENANTS}`), 401, 'key.missing'],
      [createAsk(gateway, `uru_${'9'.repeat(64)}`)(`GET ${TENANTS}`), 401, 'key.unknown'],
      [platform('GET /api/v1/nothing'), 404, 'address.unknown'],
      [platform('GET /api/v1/admin'), 404, 'address.unknown'],
      [platform(`GET ${TENANTS}/nowhere/connectors`), 404, 'place.unknown'],
      [platform(`PATCH ${TENANTS}/default`, {}), 405, 'request.method'],
      [
        platform(`POST ${TENANTS}`, 'slug=acme', { 'content-type': 'application/x-www-form-urlencoded' }),
        415,
        'request.media-type',
      ],
      [platform(`POST ${TENANTS}`, '{"slug":', json), 422, 'body.shape'],
      [platform(`POST ${TENANTS}`), 422, 'body.shape'],
      [platform(`POST ${TENANTS}`, []), 422, 'body.shape'],
      [platform(`POST ${TENANTS}`, { slug: 'Acme', name: 'x' }), 422, 'body.shape'],
      [platform(`POST ${TENANTS}`, { slug: 'acme', name: 'x'.repeat(1_100_000) }), 413, 'request.too-large'],
      [platform(`GET ${TENANTS}?colour=red`), 422, 'body.shape'],
      [platform(`GET ${TENANTS}/a%00b`), 404, 'place.unknown'],
      [platform(`GET ${TENANTS}?search=a%00b`), 422, 'body.shape'],
      [platform(`GET ${TENANTS}/%E0%A4%A`), 404, 'thing.unknown'],
    ]
    for (const [asked, status, code] of cases) {
      const answered = await asked
      expect(answered).toMatchObject({ status, body: { code } })
      isProblem(answered)
    }
  })

  test('says which methods an address takes, and nobody needs a key to ask', async () => {
    const nobody = createAsk(gateway, undefined)
    const wrong = await nobody(`POST ${TENANTS}/default/connectors/x`, {})
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('GET, PUT, DELETE')
    const asked = await nobody(`OPTIONS ${TENANTS}`)
    expect(asked.status).toBe(204)
    expect(asked.headers.get('allow')).toBe('GET, POST')
    // One address may be a fixed one and a tool's name at once.
    const both = await nobody(`PUT ${TENANTS}/default/connectors/x/tools/sync`, {})
    expect(both.headers.get('allow')).toBe('PATCH, POST')
  })

  test('names one request by one id, in the head, in the problem, and in the record', async () => {
    const id = 'of-my-own-choosing-1'
    const refused = await platform(`GET ${TENANTS}/nowhere`, undefined, { 'x-correlation-id': id })
    expect([refused.headers.get('x-correlation-id'), refused.body['correlation_id']]).toEqual([id, id])
    await platform(`POST ${TENANTS}`, { slug: 'named', name: 'Named' }, { 'x-correlation-id': id })
    const [row] = await gateway.db.system(
      (sql) =>
        sql(
          z.object({ method: z.string() }),
        )`select method from records where correlation_id = ${id} and outcome = 'ok'`,
    )
    expect(row).toEqual({ method: 'organization.add' })
  })

  test('takes no body for one that it stands for, however the length is told', async () => {
    const response = await fetch(`${gateway.address}${TENANTS}`, {
      method: 'POST',
      duplex: 'half',
      headers: {
        authorization: `Bearer ${await addKey(gateway, { role: 'platform_admin' })}`,
        'content-type': 'application/json',
      },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"slug":"chunked",'))
          controller.enqueue(new TextEncoder().encode('"name":"Chunked"}'))
          controller.close()
        },
      }),
    })
    expect(response.status).toBe(201)
  })

  test('demands a permission for each operation but those that are open by nature', () => {
    const open = OPERATIONS.map(({ operation }) => operation).filter(({ needs }) => needs.of === 'anyone')
    expect(open.map(({ path }) => path).filter((path) => path.startsWith('/api/v1/admin'))).toEqual([])
    const ids = OPERATIONS.map(({ operation }) => operation.id)
    expect(new Set(ids).size).toBe(ids.length)
    const addresses = OPERATIONS.map(({ operation }) => `${operation.method} ${operation.path}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })
})

describe('a POST with an Idempotency-Key', () => {
  const key = (name: string) => ({ 'idempotency-key': name })
  const count = async (slug: string) => (await platform(`GET ${TENANTS}?search=${slug}`)).body['total'] as number

  test('is carried out once, and answered alike as often as it comes, by every gateway', async () => {
    const body = { slug: 'once', name: 'Once' }
    const first = await platform(`POST ${TENANTS}`, body, key('k1'))
    expect(first.status).toBe(201)
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    const again = await platform(`POST ${TENANTS}`, body, key('k1'))
    expect(again).toMatchObject({ status: 201, body: first.body })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    await using other = await gateway.another()
    const there = createAsk(other, await addKey(gateway, { role: 'platform_admin' }))
    // Another key of the same name is another one's.
    expect((await there(`POST ${TENANTS}`, body, key('k1'))).status).toBe(409)
    expect(await count('once')).toBe(1)
    const made = (await changesIn(gateway)).filter(({ resource_id: id }) => id === first.body['id'])
    expect(made).toHaveLength(1)
  })

  test('is carried out once when it comes many times at once', async () => {
    const body = { slug: 'crowd', name: 'Crowd' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => platform(`POST ${TENANTS}`, body, key('k2'))))
    const codes = new Set(answers.map(({ status, body: { code } }) => `${status} ${String(code)}`))
    for (const code of codes) expect(['201 undefined', '409 idempotency.unfinished']).toContain(code)
    expect(codes).toContain('201 undefined')
    expect(await count('crowd')).toBe(1)
  })

  test('is no other request, and none that was refused', async () => {
    await platform(`POST ${TENANTS}`, { slug: 'same-a', name: 'A' }, key('k3'))
    expect(await platform(`POST ${TENANTS}`, { slug: 'same-b', name: 'B' }, key('k3'))).toMatchObject({
      status: 422,
      body: { code: 'idempotency.mismatch' },
    })
    expect((await platform(`POST ${TENANTS}`, { slug: 'same-a', name: 'A' }, key('k4'))).status).toBe(409)
    await platform(`DELETE ${TENANTS}/same-a`)
    // A refused request has changed nothing, and may be repeated with the same idempotency key.
    expect((await platform(`POST ${TENANTS}`, { slug: 'same-a', name: 'A' }, key('k4'))).status).toBe(201)
    for (const wrong of ['', 'a b', 'x'.repeat(201)])
      expect((await platform(`POST ${TENANTS}`, { slug: 'x', name: 'X' }, key(wrong))).status, wrong).toBe(422)
  })

  test('leaves nothing of its answer in clear', async () => {
    await platform(`POST ${TENANTS}`, { slug: 'hidden-word', name: 'hidden-word' }, key('hidden-key'))
    const kept = await gateway.db.system(
      (sql) =>
        sql(
          z.object({ row: z.string() }),
        )`select encode(sealed_answer, 'escape') || kept_answers::text as row from kept_answers`,
    )
    expect(kept.length).toBeGreaterThan(0)
    for (const { row } of kept) expect(row).not.toMatch(/hidden-(word|key)/)
  })

  test('means nothing any more a day later', async () => {
    const body = { slug: 'daily', name: 'Daily' }
    await platform(`POST ${TENANTS}`, body, key('k5'))
    await platform(`DELETE ${TENANTS}/daily`)
    await gateway.db.system(
      (sql) => sql(z.object({}))`update kept_answers set created_at = now() - interval '25 hours'`,
    )
    const later = await platform(`POST ${TENANTS}`, body, key('k5'))
    expect(later.status).toBe(201)
    expect(later.headers.get('idempotency-replayed')).toBeNull()
  })
})

describe('the description', () => {
  test('is served to everybody, for programs and for people, and nothing in it can run', async () => {
    const nobody = createAsk(gateway, undefined)
    const document = await nobody('GET /api/v1/openapi.json')
    expect(document).toMatchObject({ status: 200, body: { openapi: '3.1.0' } })
    const page = await nobody('GET /api/v1/docs')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+';/)
    expect(page.text).not.toMatch(/<script|javascript:|https?:\/\/|@import|url\(/i)
    for (const { operation } of OPERATIONS) expect(page.text).toContain(`id="${operation.id}"`)
  })
})
