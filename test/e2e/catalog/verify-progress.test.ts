/** A long verification over HTTP: it tells how far it is, answers what the plain answer has, and ends when nobody waits for it. */
// @module-tag long
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '@toolway/contract'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { storeRecords } from '../../../packages/gateway/src/records/records.ts'
import { createTestVault, startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { testEntry } from '../../../packages/gateway/src/testing/record-entry.ts'

const PLATFORM_KEY = `uru_${'b1'.repeat(32)}`
const Nothing = z.object({})
const ALL = '/api/v1/admin/audit/verify'
const OWN = '/api/v1/admin/tenants/default/audit/verify'
const EVENTS = 'text/event-stream'
/** Several pages of a reading. */
const RECORDS = 6_500
const parts = new AsyncDisposableStack()
let gateway: TestGateway

beforeAll(async () => {
  gateway = parts.use(await startTestGateway({ settings: { TOOLWAY_LIMIT_ADDRESS: 'off' } }))
  const { hash } = createTestVault()
  const entries = () => Array.from({ length: RECORDS }, () => testEntry({ org_id: gateway.organization.id }))
  await gateway.db.system(async (sql) => {
    await sql(Nothing)`
      insert into keys (id, name, hint, hash, origin, role)
      values (${newId('key')}, 'platform', 'b1b1', ${hash(PLATFORM_KEY)}, 'test', 'platform_admin')`
    await storeRecords(sql, [...entries(), testEntry({ org_id: undefined })])
  })
})
afterAll(() => parts.disposeAsync())
afterEach(() => void vi.restoreAllMocks())

const get = (path: string, accept?: string, signal?: AbortSignal) =>
  fetch(`${gateway.address}${path}`, {
    headers: { authorization: `Bearer ${PLATFORM_KEY}`, ...(accept === undefined ? {} : { accept }) },
    ...(signal === undefined ? {} : { signal }),
  })

interface Told {
  readonly event: string
  readonly data: Record<string, unknown>
}
const eventsIn = (text: string): Told[] =>
  text
    .split('\n\n')
    .map((part) => /^event: (\w+)\ndata: (.*)$/s.exec(part))
    .flatMap((found) => (found === null ? [] : [{ event: String(found[1]), data: JSON.parse(String(found[2])) }]))

/** Each look at the records of the organization is told; `before` may hold it. */
function watchLooks(before: (look: number) => Promise<unknown>): () => number {
  const { organization } = gateway.db
  let looks = 0
  vi.spyOn(gateway.db, 'organization').mockImplementation(async (id, work, within) => {
    await before(++looks)
    return organization(id, work, within)
  })
  return () => looks
}

describe('a verification', () => {
  test('that is followed tells how many records it has read, of how many, and ends with the plain answer', async () => {
    // One page that takes longer than the time between two events.
    watchLooks((look) => (look === 5 ? pause(700) : Promise.resolve()))
    const followed = await get(OWN, EVENTS)
    expect(followed.status).toBe(200)
    expect(followed.headers.get('content-type')).toBe(EVENTS)
    const told = eventsIn(await followed.text())
    const progress = told.slice(0, -1)
    expect(progress.map(({ event }) => event)).toEqual(progress.map(() => 'progress'))
    expect(progress[0]?.data).toMatchObject({ records: 0, seconds: 0 })
    const of = Number(progress[0]?.data['of'])
    expect(of).toBeGreaterThanOrEqual(RECORDS)
    const read = progress.slice(1).map(({ data }) => Number(data['records']))
    expect(read.length).toBeGreaterThan(0)
    for (const records of read) expect(records > 0 && records <= of, String(records)).toBe(true)
    expect(read).toEqual(read.toSorted((one, other) => one - other))
    const plain = (await (await get(OWN)).json()) as { items: { records: number }[] }
    expect(told.at(-1)).toEqual({ event: 'result', data: plain })
    expect(plain.items).toMatchObject([{ tenant_id: gateway.organization.id, good: true, records: of }])
  })

  test('of every organization is followed as one', async () => {
    const told = eventsIn(await (await get(ALL, EVENTS)).text())
    expect(told.at(-1)?.event).toBe('result')
    const items = told.at(-1)?.data['items'] as { records: number }[]
    expect(told[0]?.data['of']).toBe(items.reduce((sum, { records }) => sum + records, 0))
    expect(items.length).toBeGreaterThan(1)
  })

  test('is answered as plain JSON to a client that does not ask for events', async () => {
    for (const accept of [undefined, '*/*', 'application/json', `application/json, ${EVENTS}`]) {
      const plain = await get(OWN, accept)
      expect(plain.headers.get('content-type'), accept).toMatch(/^application\/json/)
    }
  })

  test('is refused before anything is streamed', async () => {
    const refused = await get('/api/v1/admin/tenants/nobody/audit/verify', EVENTS)
    expect(refused.status).toBe(404)
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
  })

  test('that fails after it began ends with the problem', async () => {
    watchLooks((look) => (look === 3 ? Promise.reject(new Error('secret detail')) : Promise.resolve()))
    const followed = await get(OWN, EVENTS)
    const text = await followed.text()
    expect(eventsIn(text).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'internal', correlation_id: followed.headers.get('x-correlation-id') },
    })
    expect(text).not.toContain('secret detail')
  })

  test.each([EVENTS, 'application/json'])('as %s stops reading when its client leaves', async (accept) => {
    const whole = watchLooks(() => Promise.resolve())
    await (await get(OWN)).json()
    const all = whole()
    vi.restoreAllMocks()

    const held = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    const looks = watchLooks((look) => {
      if (look !== 4) return Promise.resolve()
      reached.resolve()
      return held.promise
    })
    const leaving = new AbortController()
    const asked = get(OWN, accept, leaving.signal).then((response) => response.text())
    await reached.promise
    leaving.abort()
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    // The gateway has heard of it by the time it answers something else.
    await (await fetch(`${gateway.address}/health/live`)).text()
    held.resolve()
    // A verification of the whole: the one that was left would have ended before it. One page may have been read ahead.
    await (await get(OWN)).json()
    expect([4, 5]).toContain(looks() - all)
  })
})
