/**
 * Secrets that can be recognised are planted everywhere in a whole run (connect, call, renew, fail, revoke), with servers that say back
 * whatever they were sent and a log that says all it can. Then everything that the gateway wrote, kept or answered is searched.
 *
 * A hit names the secret and the place, never the value.
 */
// @module-tag long
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createDb, type Db } from '../../packages/gateway/src/db/db.ts'
import { createPasswords } from '../../packages/gateway/src/identity/passwords.ts'
import { addUser } from '../../packages/gateway/src/identity/users.ts'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { startOtlpReceiver, type OtlpReceiver } from '../../packages/gateway/src/testing/otlp-receiver.ts'
import { makeInstallation, type Running } from '../cli/installation.ts'
import { ask, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { createConnectingPerson, type ConnectingPerson } from '../e2e/peers/people/connecting-person.ts'
import { until } from '../e2e/peers/until.ts'
import { canary, CLIENT, startCanaryAuthority, type CanaryAuthority, type Planted } from './canary-authority.ts'

const EMAIL = 'ada@example.com'
const OWN = {
  password: canary('password'),
  header: canary('header'),
  brought: canary('brought'),
  key: canary('api-key'),
  argument: canary('argument'),
  variable: canary('variable'),
  telemetry: canary('telemetry'),
}

interface Place {
  readonly name: string
  readonly text: string
}

const parts = new AsyncDisposableStack()
const places: Place[] = []
const links: string[] = []
let authority: CanaryAuthority
let receiver: OtlpReceiver
let gateway: Running
let db: Db
let sql: pg.Client
let admin = ''
const see = (name: string, text: string) => void places.push({ name, text })

beforeAll(async () => {
  authority = parts.use(await startCanaryAuthority())
  receiver = parts.use(await startOtlpReceiver({ authorization: OWN.telemetry }))
  const { connection } = parts.use(await createTestDatabase({ server: inject('postgres') }))
  db = createDb({ connection, parseRows: true })
  parts.defer(() => db.close())
  sql = new pg.Client(connection)
  await sql.connect()
  parts.defer(() => sql.end())
  const { host, user, database, port } = connection
  const here = parts.use(
    await makeInstallation({
      DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
      TOOLWAY_DEMO: 'off',
      LOG_LEVEL: 'debug',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=${OWN.telemetry}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    }),
  )
  gateway = await here.start()
  const password = await createPasswords({ shortest: 12 }).hash(OWN.password)
  await db.system((system) => addUser(system, { email: EMAIL, name: 'Ada', password, platformAdmin: true }))
  await run()
  await collect()
})
afterAll(() => parts.disposeAsync())

/** One request to the admin interface; its answer is searched, whatever it is. */
async function administer(at: string, body?: object): Promise<Record<string, unknown>> {
  const [method = '', path = ''] = at.split(' ')
  const response = await fetch(`${gateway.address}/api/v1${path}`, {
    method,
    headers: {
      ...(admin === '' ? {} : { authorization: `Bearer ${admin}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // The answer to a sign-in contains her own tokens.
  if (path !== '/auth/login') see(`the answer to ${at}`, text)
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
}

const peerOf = (alias: string): RawPeer => ({
  url: `${gateway.address}/api/v1/default/connectors/${alias}/mcp`,
  key: admin,
  era: 'modern',
})

/** One call; a link in its answer is for its person, so the answer is searched without it. */
async function sing(alias: string, headers: Record<string, string> = {}): Promise<string | undefined> {
  const { text } = await ask(peerOf(alias), 'tools/call', { name: 'sing', arguments: {} }, { headers })
  const link = /http:[^"\s\\]+\/connect\/[\w-]+/.exec(text)?.[0]
  if (link !== undefined) links.push(link)
  see(`the answer to a call of ${alias}`, link === undefined ? text : text.replaceAll(link, ''))
  return link
}

async function visit(link: string | undefined): Promise<ConnectingPerson> {
  if (link === undefined) throw new Error('the call led nowhere')
  const person = createConnectingPerson(gateway.address, {
    email: EMAIL,
    password: OWN.password,
    key: OWN.key,
    client: CLIENT,
  })
  await person.open(link)
  for (const { url, html, status } of person.seen) {
    if (url.origin !== gateway.address) continue
    // The page of a link, sign-in on the way to it, and the way to the authorization server hold both for their person.
    const own = /^\/(?:sign-in|connect\/(?!done))/.test(url.pathname)
    const path = own ? url.pathname.replace(/(?<=^\/connect\/).*/, '…') : url.pathname
    see(`the page ${path} (${status})`, own ? withoutWays(html) : html)
  }
  return person
}

const withoutWays = (html: string): string => html.replaceAll(/(?:href|action|url|value)="?[^">\s]*/g, '')

/** A link that she makes herself, without a call. */
async function linkTo(alias: string): Promise<string> {
  const response = await fetch(`${gateway.address}/api/v1/admin/tenants/default/connectors/${alias}/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin}` },
  })
  const link = String(((await response.json()) as { url?: string }).url)
  links.push(link)
  return link
}

async function connect(alias: string): Promise<void> {
  const person = await visit((await sing(alias)) ?? (await linkTo(alias)))
  const last = person.seen.at(-1)
  if (last?.url.searchParams.has('connected') !== true && last?.url.pathname.startsWith('/connect') !== true)
    throw new Error(`nothing was connected: ${last?.url.pathname} ${last?.status} ${last?.html}`)
}

/** The whole run, step by step. Each step must have happened, or searching proves nothing. */
async function run(): Promise<void> {
  const signedIn = await until('Ada can sign in', async () => {
    const answer = await administer('POST /auth/login', { email: EMAIL, password: OWN.password })
    return typeof answer['access_token'] === 'string' ? answer : undefined
  })
  admin = String(signedIn['access_token'])
  const wire = { url: authority.url, private: true, headers: { 'x-static': OWN.header } }
  const add = (alias: string, auth: object) =>
    administer('POST /admin/tenants/default/connectors', { alias, ...wire, auth, revision: '2026-07-28' })
  await add('account', { kind: 'oauth', brought: true })
  await add('keyed', { kind: 'key', header: 'x-key', prefix: '', brought: true })
  await until('the endpoint is there', async () => (await ask(peerOf('account'), 'tools/list')).status === 200)

  await addSlowChild()
  await failAtTheExchange()
  await connect('account')
  await untilListed('account')
  await eachMood('account')
  await renew()
  await connect('keyed')
  await untilListed('keyed')
  await eachMood('keyed')
  await eachMood('account', { 'x-user-oauth-token': OWN.brought })
  await ways()
  await forget()
}

const untilListed = (alias: string) =>
  until('its tools are listed', async () =>
    JSON.stringify((await ask(peerOf(alias), 'tools/list')).answer).includes('sing'),
  )

/** A program that answers nothing, prints all that it was given, and ends when the gateway has told that it is slow. */
async function addSlowChild(): Promise<void> {
  const script = `process.stderr.write(process.argv.slice(2).join(' ') + ' ' + process.env.PIN + '\\n'); setInterval(() => {}, 60_000)`
  const args = ['-e', script, 'x', `--api-key=${OWN.argument}`, '--token', OWN.argument]
  const said = { alias: 'slow', command: process.execPath, args, environment: { PIN: OWN.variable } }
  await administer('POST /admin/tenants/default/connectors', said)
  await until('it is told that the program is slow', () => gateway.err().includes('still starting'))
  await administer('GET /admin/tenants/default/connectors/slow/logs')
}

async function failAtTheExchange(): Promise<void> {
  for (const mood of ['refuses', 'breaks', 'page', 'no json'] as const) {
    authority.token(mood)
    await visit(await linkTo('account'))
  }
  authority.token('well')
}

/** Everything that a server can answer, in one go. */
async function eachMood(alias: string, headers: Record<string, string> = {}): Promise<void> {
  for (const mood of ['well', 'forbidden', 'crashes', 'error', 'tool error'] as const) {
    authority.server(mood)
    await sing(alias, headers)
    await administer(`POST /admin/tenants/default/connectors/${alias}/test`)
  }
  authority.server('well')
}

/** Tokens that run out at once: renewed, then not renewable any more, in each way that there is. */
async function renew(): Promise<void> {
  authority.lives(1)
  // A new token that is refused is renewed once; when that one is refused for ten seconds, the person is asked to connect again.
  authority.server('unauthorized')
  await sing('account')
  await sing('account')
  await pause(10_500)
  await sing('account')
  await sing('account')
  authority.server('well')
  await connect('account')
  await pause(1_100)
  await sing('account')
  for (const mood of ['breaks', 'page', 'no json', 'refuses'] as const) {
    authority.token(mood)
    await pause(1_100)
    await sing('account')
  }
  authority.token('well')
  authority.lives(3_600)
  await connect('account')
}

/** Ways back that are none. */
async function ways(): Promise<void> {
  const state = authority.planted.findLast(({ name }) => name === 'state')?.value ?? ''
  const code = authority.planted.findLast(({ name }) => name === 'code')?.value ?? ''
  const answers = [
    { state, code },
    { state: canary('state'), code },
    { code },
    { state, error: 'access_denied', error_description: code },
    { state, code, iss: `https://${code}.example` },
  ]
  for (const path of ['/oauth/callback', '/api/v1/integrations/oauth/callback', '/api/v1/oauth/default/callback/mcp'])
    for (const answer of answers) {
      const at = `${gateway.address}${path}?${new URLSearchParams(answer)}`
      const response = await fetch(at, { redirect: 'manual' })
      see(`the answer to ${path}`, JSON.stringify([...response.headers]) + (await response.text()))
      const led = response.headers.get('location')
      if (led !== null) see(`the page after ${path}`, await (await fetch(new URL(led, at))).text())
    }
  for (const token of [links[0]?.slice(0, -4), canary('link')])
    see('the page of no link', await (await fetch(`${gateway.address}/connect/${token?.split('/').at(-1)}`)).text())
}

/**
 * The error for an invalid request does not repeat the invalid value; then the accounts are ended, although their server refuses.
 */
async function forget(): Promise<void> {
  const headers = { 'x-user-oauth-token': `${OWN.brought} ${OWN.brought}` }
  see('the refusal of a token', (await ask(peerOf('account'), 'tools/call', { name: 'sing' }, { headers })).text)
  for (const alias of ['account', 'keyed']) await administer(`DELETE /admin/tenants/default/connectors/${alias}`)
}

/** Collects all readable output. */
async function collect(): Promise<void> {
  await administer('GET /admin/logs/recent?count=1000')
  for (const path of ['/admin/audit?limit=200', '/admin/audit/export', '/admin/settings', '/admin/stats'])
    see(`GET ${path}`, await textAt(`/api/v1${path}`))
  const own = ['connectors', 'audit', 'sessions', 'settings', 'members', 'keys'].map(
    (one) => `/admin/tenants/default/${one}`,
  )
  for (const path of [...own, '/oauth/default/auth', '/oauth/default/config', '/auth/me', '/openapi.json'])
    see(`GET ${path}`, await textAt(`/api/v1${path}`))
  see('the metrics', await textAt('/metrics'))
  // Pending writes are done by then.
  await gateway.stop()
  see('stdout', gateway.out())
  see('stderr', gateway.err())
  see('the exported telemetry', Buffer.concat(receiver.raw).toString('utf8'))
  const { rows: tables } = await sql.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  )
  for (const { name } of tables) {
    const { rows } = await sql.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from "${name}" t`)
    const shown = rows.map(({ row }) => Object.entries(row).filter(([column]) => !column.startsWith('sealed')))
    see(`the table ${name}`, JSON.stringify(shown))
  }
}

async function textAt(path: string): Promise<string> {
  return (await fetch(gateway.address + path, { headers: { authorization: `Bearer ${admin}` } })).text()
}

/** A secret as it may be written: as it is, in an address, in Basic or in any other base64, in bytes of a table. */
function formsOf({ value }: Planted): string[] {
  const bytes = Buffer.from(value)
  const basic = Buffer.from(`${CLIENT.id}:${value}`)
  return [
    value,
    encodeURIComponent(value),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    basic.toString('base64').replace(/=+$/, ''),
  ]
}

const own = (): Planted[] => Object.entries(OWN).map(([name, value]) => ({ name, value }))
const hitsOf = (planted: readonly Planted[]): string[] =>
  planted.flatMap((secret) =>
    places
      .filter(({ text }) => formsOf(secret).some((form) => text.includes(form)))
      .map((place) => `${secret.name} in ${place.name}`),
  )

describe('of a whole run with servers that say back what they hear', () => {
  test('every kind of secret was there, and went where it belongs', () => {
    const kinds = new Set(authority.planted.map(({ name }) => name))
    expect([...kinds].sort()).toEqual(
      ['access token', 'client secret', 'code', 'refresh token', 'state', 'verifier'].sort(),
    )
    expect(authority.refreshed).toBeGreaterThan(0)
    expect(links.length).toBeGreaterThan(5)
    const heard = authority.heard.join('\n')
    for (const secret of [OWN.brought, OWN.key]) expect(heard).toContain(secret)
    expect(places.map(({ name }) => name)).toContain('the table records')
  })

  test('nothing that was searched lacks what it would show', () => {
    const log = places.find(({ name }) => name === 'stderr')?.text ?? ''
    expect(/still starting: \S*node .*--api-key=•••/.test(log)).toBe(true)
    const marks = {
      stderr: 'credential.needed',
      'the table records': 'credential.needed',
      'the metrics': 'toolway',
      'the exported telemetry': 'credential.needed',
    }
    const steps = new Set(receiver.spans.map(({ attributes }) => attributes['toolway.step']))
    for (const step of ['tool_call', 'mcp.request', 'http.request', 'tool_result']) expect(steps).toContain(step)
    expect([receiver.lines.length > 0, receiver.metrics.length > 0]).toEqual([true, true])
    for (const [name, mark] of Object.entries(marks))
      expect(places.find((place) => place.name === name)?.text, name).toContain(mark)
  })

  test('no secret is in a log, a record, a row, a metric, an answer or a page', () => {
    expect([...new Set(hitsOf([...authority.planted, ...own()]))]).toEqual([])
  })

  test('a link that leads a person is in nothing but what the person was told', () => {
    const tokens = links.map((link) => ({ name: 'link', value: link.split('/').at(-1) ?? '' }))
    expect([...new Set(hitsOf(tokens))]).toEqual([])
  })

  test('the key of this gateway, with which she calls, went to no server', () => {
    expect(authority.heard.some((one) => one.includes(admin))).toBe(false)
    expect(hitsOf([{ name: 'access token of ours', value: admin }])).toEqual([])
  })
})
