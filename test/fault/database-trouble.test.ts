/** Each trouble of a database under a running gateway: known callers are served, the others are told in words at every door. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeInstallation, type Installation, type Running } from '../cli/installation.ts'
import { openSession } from '../e2e/peers/clients/raw-client.ts'
import { until } from '../e2e/peers/until.ts'
import { callTool, faultIn, textIn } from './caller.ts'
import { startOutsideDatabase, type OutsideDatabase } from './outside-database.ts'

const KEY = `uru_${'ab'.repeat(32)}`
const ROLE = 'gate'
/** A key that nobody has asked for before. */
const stranger = () => `uru_${randomBytes(32).toString('hex')}`
const slowly = { interval: 100 }

interface Ready {
  readonly status: string
  readonly problem?: string
  readonly checks: Record<string, string>
}

const parts = new AsyncDisposableStack()
let outside: OutsideDatabase
let here: Installation
let running: Running
let adminKey: string
beforeAll(async () => {
  outside = parts.use(await startOutsideDatabase())
  await outside.query(`create role ${ROLE} login superuser`)
  here = parts.use(
    await makeInstallation({
      DATABASE_URL: outside.urlFor(ROLE),
      TOOLWAY_BOOTSTRAP_KEY: KEY,
      TOOLWAY_DATABASE_GRACE_SECONDS: '600',
    }),
  )
  running = await here.start()
  const made = (await here.json(['key', 'add', 'admin', '--role', 'tenant_admin'])) as { key: string }
  adminKey = made.key
  await until('the demo is there', async () => (await product()).includes('= 42'))
})
afterEach(async () => {
  outside.mend()
  await outside.query(`alter role ${ROLE} login superuser connection limit -1`)
  await outside.query(`alter role ${ROLE} reset default_transaction_read_only`)
  await outside.query('drop trigger if exists no_room on records')
})
afterAll(() => parts.disposeAsync())

const target = (key = KEY) => ({ url: `${running.address}/mcp`, key })
const product = async () => textIn(await callTool(target(), 'demo__calculate', { expression: '6*7' }))
const readiness = async () => {
  const response = await fetch(`${running.address}/health/ready`)
  return { http: response.status, ...((await response.json()) as Ready) }
}
const admin = (path: string, more: RequestInit = {}) =>
  fetch(`${running.address}/api/v1${path}`, {
    ...more,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', ...more.headers },
  })
const disconnectAll = () =>
  outside.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${ROLE}'`)

/** How one door answers whoever needs the database. */
interface Answer {
  readonly door: string
  readonly status: number
  readonly retryAfter: string | null
  readonly text: string
}

async function answerOf(door: string, asking: Promise<Response>): Promise<Answer> {
  const response = await asking
  return { door, status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
}

const post = (path: string, body: object, more: Record<string, string> = {}) =>
  fetch(`${running.address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more },
    body: JSON.stringify(body),
  })
const form = (path: string, fields: Record<string, string>, accept = 'text/html') =>
  fetch(`${running.address}${path}`, {
    method: 'POST',
    headers: { accept, origin: running.address },
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })

/** Every door, asked for what memory cannot know. */
const everyDoor = (): Promise<Answer[]> =>
  Promise.all([
    answerOf('admin list', admin('/admin/tenants/default/audit')),
    answerOf('admin change', admin('/admin/tenants/default/keys', { method: 'POST', body: '{"name":"late"}' })),
    answerOf('MCP, legacy', post('/mcp', INITIALIZE, { authorization: `Bearer ${stranger()}` })),
    answerOf('MCP, modern', modern(stranger())),
    answerOf('SSE', fetch(`${running.address}/sse`, { headers: { authorization: `Bearer ${stranger()}` } })),
    answerOf(
      'REST tools',
      fetch(`${running.address}/o/default/t/default/rest/tools`, {
        headers: { authorization: `Bearer ${stranger()}` },
      }),
    ),
    answerOf('sign-in page', form('/sign-in', { email: 'ada@example.com', password: 'a password of hers' })),
    answerOf(
      'connect page',
      fetch(`${running.address}/oauth/callback?state=x&code=y`, { headers: { accept: 'text/html' } }),
    ),
    answerOf(
      'OAuth token',
      form(
        '/token',
        { grant_type: 'authorization_code', code: 'x', client_id: 'unknown', code_verifier: 'y'.repeat(43) },
        'application/json',
      ),
    ),
    answerOf('OAuth registration', post('/register', { redirect_uris: ['http://127.0.0.1/cb'] })),
  ])

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}
async function modern(key: string): Promise<Response> {
  const { status, headers, text } = await callTool(target(key), 'demo__calculate', { expression: '1' })
  return new Response(text, { status, headers })
}

const LEAKS = /ECONNREFUSED|role "gate"|127\.0\.0\.1:|permission denied for/

function expectUnavailable(answers: readonly Answer[]): void {
  const told = answers.map(({ door, status, retryAfter }) => `${door}: ${status}, Retry-After ${retryAfter}`)
  expect(told).toEqual(answers.map(({ door }) => `${door}: 503, Retry-After 5`))
  for (const { door, text } of answers) expect(text, door).not.toMatch(LEAKS)
}

describe.each([
  ['is gone', () => outside.cut(), () => outside.mend(), 'it does not respond'],
  ['is frozen', () => outside.freeze(), () => outside.mend(), 'it does not respond'],
] as const)('a database that %s', (_, breakIt, mendIt, problem) => {
  test('leaves known keys and sessions at work, and everybody else is told so at every door', async () => {
    const session = await openSession(target().url, KEY)
    breakIt()
    await expect
      .poll(async () => (await readiness()).problem, slowly)
      .toBe('serving from memory: the database does not respond')
    expect(await readiness()).toMatchObject({ http: 200, status: 'degraded' })
    expect(await product()).toContain('42')
    const answers = await everyDoor()
    expectUnavailable(answers)
    for (const { door, text } of answers) expect(text, door).toContain(problem)
    expect(session.session).toBeDefined()
    mendIt()
    await expect.poll(async () => (await readiness()).status, slowly).toBe('ready')
    await expect.poll(async () => (await callTool(target(stranger()), 'x')).status, slowly).toBe(401)
  })
})

describe('a database that', () => {
  test('is read-only serves, says so where something is to be stored, and its connections leave the pool when that ends', async () => {
    await outside.query(`alter role ${ROLE} set default_transaction_read_only = on`)
    await disconnectAll()
    const add = () => admin('/admin/tenants/default/keys', { method: 'POST', body: '{"name":"late"}' })
    // Connections that were ended are met first.
    await expect.poll(async () => (await add()).text(), slowly).toContain('it is read-only')
    const refused = await add()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await refused.json()).toMatchObject({
      code: 'database.unavailable',
      detail: expect.stringContaining('read-only'),
    })
    expect(await product()).toContain('42')
    await expect.poll(async () => (await readiness()).checks['records'], slowly).toContain('it is read-only')
    expect(await readiness()).toMatchObject({ http: 200, status: 'degraded' })

    await outside.query(`alter role ${ROLE} reset default_transaction_read_only`)
    await expect
      .poll(async () => {
        const { status } = await admin('/admin/tenants/default/keys', { method: 'POST', body: '{"name":"late"}' })
        return status
      }, slowly)
      .toBe(201)
    await expect.poll(async () => (await readiness()).status, slowly).toBe('ready')
  })

  test.each([
    ['does not let the gateway in', 'nologin', 'login', 'refuses the gateway’s sign-in'],
    [
      'accepts no more connections',
      'nosuperuser connection limit 0',
      'superuser connection limit -1',
      'accepts no more connections',
    ],
    ['gives the gateway no rights', 'nosuperuser', 'superuser', 'lacks permissions'],
  ] as const)('%s is told as that, and serves again when it is mended', async (_, spoil, mend, words) => {
    await outside.query(`reassign owned by ${ROLE} to postgres`)
    await outside.query(`alter role ${ROLE} ${spoil}`)
    await disconnectAll()
    await expect
      .poll(() => admin('/admin/tenants/default/audit').then((answer) => answer.text()), slowly)
      .toContain(words)
    expectUnavailable(await everyDoor())
    expect(await product()).toContain('42')
    await outside.query(`alter role ${ROLE} ${mend}`)
    await expect.poll(async () => (await admin('/admin/tenants/default/audit')).status, slowly).toBe(200)
    await expect.poll(async () => (await callTool(target(stranger()), 'x')).status, slowly).toBe(401)
  })

  test('has no room for records raises an alert, and another one when it takes them again', async () => {
    const room = (body: string) =>
      outside.query(`create or replace function no_room() returns trigger language plpgsql as $$ begin ${body}; end $$`)
    await room(`raise exception 'could not extend file' using errcode = '53100'`)
    await outside.query(
      'create or replace trigger no_room before insert on records for each row execute function no_room()',
    )
    const alerts = async () => {
      const answer = await admin('/admin/tenants/default/alerts')
      return ((await answer.json()) as { items: { kind: string; detail: object }[] }).items
    }
    const kinds = async () => (await alerts()).map(({ kind }) => kind).filter((kind) => kind.startsWith('records.'))
    expect(await product()).toContain('42')
    await expect.poll(async () => (await readiness()).checks['records'], slowly).toContain('its disk is full')
    // A trouble of an earlier test that took ten seconds is told at its end, and the same kind not again within minutes.
    const forgetOthers = () =>
      outside.query(
        `delete from alerts where kind like 'records.%' and detail ->> 'problem' is distinct from 'its disk is full'`,
      )
    await expect.poll(async () => (await forgetOthers(), kinds()), slowly).toEqual(['records.waiting'])
    expect((await alerts()).find(({ kind }) => kind === 'records.waiting')?.detail).toMatchObject({
      problem: 'its disk is full',
      since: expect.any(String),
    })
    // To drop the trigger takes a lock that can meet those of the records that are tried meanwhile.
    await room('return new')
    await expect.poll(kinds, slowly).toEqual(['records.stored', 'records.waiting'])
    expect((await readiness()).status).toBe('ready')
  })
})

test('a key that is removed just before the database goes is not served from memory, and the others are', async () => {
  const added = (await (
    await admin('/admin/tenants/default/keys', { method: 'POST', body: '{"name":"short"}' })
  ).json()) as { id: string; key: string }
  const calls = () => callTool(target(added.key), 'demo__calculate', { expression: '6*7' })
  expect((await calls()).status).toBe(200)
  await outside.query(`delete from keys where id = '${added.id}'`)
  await expect.poll(async () => (await calls()).status, slowly).toBe(401)
  outside.cut()
  expect(faultIn(await calls())?.code).toMatch(/UNAUTHENTICATED|UNAVAILABLE/)
  expect(await product()).toContain('42')
  outside.mend()
  await expect.poll(async () => (await readiness()).status, slowly).toBe('ready')
})
