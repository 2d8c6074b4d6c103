/** Events of an organization are sent to its own users only, by every gateway, over both transports. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHmac } from 'node:crypto'
import type { OrganizationId, UserId } from '@toolway/contract'
import { GatewayEvent } from '@toolway/contract/admin'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { addAlert } from '../../../packages/gateway/src/features/alerts/alerts.rows.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser, signIn, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import { addKey, addMember, addUser, changesIn, createAsk, type Ask } from '../peers/people/administrators.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { until } from '../peers/until.ts'

const AT = '/api/v1/integrations'
const Nothing = z.object({})

interface Follower extends AsyncDisposable {
  readonly heard: GatewayEvent[]
  /** Resolves to why it ended. */
  readonly ended: Promise<string>
}

type Follow = (address: string, key: string) => Promise<Follower>

const bearing = (key: string) => ({ authorization: `Bearer ${key}` })

async function followStream(address: string, key: string): Promise<Follower> {
  const leaving = new AbortController()
  const response = await fetch(`${address}/api/v1/events`, { headers: bearing(key), signal: leaving.signal })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  const heard: GatewayEvent[] = []
  const read = async () => {
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
        const frame = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, at))
        text = text.slice(at + 2)
        if (frame === null) continue
        const event = GatewayEvent.parse(JSON.parse(frame[2] ?? ''))
        expect(event.type).toBe(frame[1])
        heard.push(event)
      }
    }
    return 'ended'
  }
  const ended = read().catch((thrown: unknown) => (leaving.signal.aborted ? 'left' : String(thrown)))
  return {
    heard,
    ended,
    async [Symbol.asyncDispose]() {
      leaving.abort()
      await ended
    },
  }
}

async function openSocket(address: string, headers: Record<string, string>): Promise<Follower> {
  const socket = new WebSocket(`${address.replace(/^http/, 'ws')}/api/v1/ws`, { headers })
  const heard: GatewayEvent[] = []
  socket.on('message', (data: Buffer) => heard.push(GatewayEvent.parse(JSON.parse(data.toString()))))
  const ended = new Promise<string>((resolve) => {
    socket.once('close', (code, reason) => resolve(`${code} ${reason.toString()}`))
    socket.once('unexpected-response', (_: unknown, { statusCode }: IncomingMessage) => resolve(`HTTP ${statusCode}`))
    socket.on('error', () => {})
  })
  await Promise.race([once(socket, 'open'), ended])
  return {
    heard,
    ended,
    async [Symbol.asyncDispose]() {
      if (socket.readyState === WebSocket.CONNECTING) return
      socket.terminate()
      await ended
    },
  }
}
const followSocket: Follow = (address, key) => openSocket(address, bearing(key))

const FOLLOWS: readonly [string, Follow][] = [
  ['events over HTTP', followStream],
  ['a WebSocket', followSocket],
]

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let second: { readonly address: string }
let probe: ProbeServer
let platform: Ask
let mine: string
let theirs: string
let ada: UserId
let adas: string
let viewers: string
let otherId: OrganizationId
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'modern' }))
  gateway = parts.use(
    await startTestGateway({ others: [{ slug: 'other', name: 'Other', connections: [], toolsets: [], keys: [] }] }),
  )
  second = parts.use(await gateway.another())
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  otherId = (await platform('GET /api/v1/admin/tenants/other')).body['id'] as OrganizationId
  const own = gateway.organization.id
  mine = await addKey(gateway, { role: 'tenant_admin', organization: own })
  theirs = await addKey(gateway, { role: 'tenant_admin', organization: otherId })
  ada = await addUser(gateway, 'ada@example.com')
  await addMember(gateway, own, ada, 'tenant_member')
  adas = await addKey(gateway, { role: 'tenant_member', organization: own, user: ada })
  viewers = await addKey(gateway, { role: 'tenant_viewer', organization: own })
})
afterAll(() => parts.disposeAsync())

const told = ({ heard }: Follower, id: unknown) =>
  heard.flatMap((event) => (event.type === 'integrations_changed' && event.id === id ? [event.action] : []))
const alertsOf = ({ heard }: Follower) => heard.flatMap((event) => (event.type === 'alert' ? [event.alert.kind] : []))
const alert = (organizationId: OrganizationId, userId: UserId | undefined, kind: 'credential.lost' | 'tool.held') =>
  gateway.db.system((sql) => addAlert(sql, { organizationId, userId, kind, detail: { account: 'work' } }))
async function make(body: object): Promise<unknown> {
  const made = await platform(`POST ${AT}`, { server_url: probe.url, auth_type: 'none', ...body })
  expect(made.status, made.text).toBe(201)
  return made.body['id']
}
/** Sends an alert as a marker and waits for it: earlier events have been delivered by then, or will not be. */
async function mark(follower: Follower, organizationId: OrganizationId): Promise<void> {
  const before = alertsOf(follower).filter((kind) => kind === 'tool.held').length
  await alert(organizationId, undefined, 'tool.held')
  await until('the mark is heard', () => alertsOf(follower).filter((kind) => kind === 'tool.held').length > before)
}

describe.each(FOLLOWS)('over %s', (_, follow) => {
  test('S2-NOT-01: creating, changing, testing, connecting and deleting an integration each say that it changed, on every gateway', async () => {
    await using here = await follow(gateway.address, mine)
    await using there = await follow(second.address, mine)
    await using viewer = await follow(second.address, viewers)
    const id = await make({ name: 'Told', auth_type: 'api_key', api_key: 'k' })
    const both = [here, there, viewer]
    const all = (action: string) =>
      until(`everybody hears ${action}`, () => both.every((one) => told(one, id).includes(action as never)))
    await all('created')
    // The key is an account that was connected, as one that comes by OAuth is.
    await all('connected')
    await platform(`PUT ${AT}/${String(id)}`, { name: 'Renamed' })
    await all('updated')
    await platform(`POST ${AT}/${String(id)}/test`)
    await all('tested')
    await platform(`POST ${AT}/${String(id)}/disconnect`)
    await all('disconnected')
    await platform(`DELETE ${AT}/${String(id)}`)
    await all('deleted')
    for (const one of both) {
      for (const action of ['created', 'tested', 'deleted'])
        expect(told(one, id).filter((word) => word === action)).toEqual([action])
    }
  })

  test('S2-NOT-02: nothing of one organization is heard in another, on any gateway', async () => {
    await using own = await follow(gateway.address, mine)
    await using strangers = await follow(gateway.address, theirs)
    await using elsewhere = await follow(second.address, theirs)
    const id = await make({ name: 'Private matter' })
    await alert(gateway.organization.id, undefined, 'credential.lost')
    await until('its own people hear it', () => told(own, id).includes('created') && alertsOf(own).length > 0)
    await platform(`DELETE ${AT}/${String(id)}`)
    await until('its own people hear the end', () => told(own, id).includes('deleted'))
    for (const one of [strangers, elsewhere]) {
      await mark(one, otherId)
      expect(one.heard.map((event) => (event.type === 'alert' ? event.alert.kind : event))).toEqual(
        alertsOf(one).map(() => 'tool.held'),
      )
    }
  })

  test('an alert reaches whom it concerns and whoever administers, and no other member', async () => {
    await using admin = await follow(gateway.address, mine)
    await using person = await follow(second.address, adas)
    await using viewer = await follow(gateway.address, viewers)
    const { organization } = gateway
    await alert(organization.id, ada, 'credential.lost')
    await until('both hear it', () => [admin, person].every((one) => alertsOf(one).includes('credential.lost')))
    await mark(admin, organization.id)
    expect(alertsOf(person)).toEqual(['credential.lost'])
    expect(alertsOf(viewer)).toEqual([])
  })

  test('it ends as soon as its key does, and refuses strangers, keys of one toolset and too many of one key', async () => {
    const spent = await addKey(gateway, { role: 'tenant_viewer', organization: gateway.organization.id })
    await using follower = await follow(second.address, spent)
    await gateway.db.system((sql) => sql(Nothing)`delete from keys where name = ${spent.slice(-12)}`)
    expect(await follower.ended).toMatch(/^ended|^4401 /)
    const refused = async (key: string) => {
      const opened = await follow(gateway.address, key).then(
        (one) => one.ended,
        (thrown: unknown) => String(thrown),
      )
      return opened
    }
    expect(await refused('uru_wrong')).toMatch(/401 /)
    const bound = await addKey(gateway, { role: 'tenant_admin', organization: gateway.organization.id })
    await gateway.db.system(
      (sql) => sql(Nothing)`
      insert into toolsets (id, organization_id, slug, title, settings, origin)
      values (${`tls_${bound.slice(-12)}`}, ${gateway.organization.id}, ${`t${bound.slice(-12)}`}, 'x', '{"include":["*"],"exclude":[]}', 'test')`,
    )
    await gateway.db.system(
      (sql) => sql(Nothing)`update keys set toolset = ${`t${bound.slice(-12)}`} where name = ${bound.slice(-12)}`,
    )
    expect(await refused(bound)).toMatch(/403 /)
    const greedy = await addKey(gateway, { role: 'tenant_viewer', organization: gateway.organization.id })
    await using open = new AsyncDisposableStack()
    for (let count = 0; count < 20; count++) open.use(await follow(gateway.address, greedy))
    expect(await refused(greedy)).toMatch(/503 |1013 /)
  })
})

describe('the WebSocket', () => {
  test('takes the cookies of a browser from pages of the gateway alone, and ends when that one signs out', async () => {
    await addPerson(gateway.db, { email: 'bea@example.com', roles: [[gateway.organization.id, 'tenant_viewer']] })
    const browser = createBrowser(gateway.address)
    const json = { 'content-type': 'application/json', origin: gateway.address }
    const body = JSON.stringify({ email: 'bea@example.com', password: PASSWORD, cookies: true })
    const answer = await browser.ask('/api/v1/auth/login', { method: 'POST', headers: json, body })
    expect(answer.status).toBe(200)
    const cookie = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    expect(cookie).toContain('toolway_access')
    await until('the gateway knows where she is a member', async () => {
      const listed = await browser.ask(AT)
      return listed.status === 200
    })
    await using foreign = await openSocket(gateway.address, { cookie, origin: 'http://evil.example' })
    expect(await foreign.ended).toMatch(/^HTTP 403|^4403/)
    await using unsaid = await openSocket(gateway.address, { cookie })
    expect(await unsaid.ended).toMatch(/^4403/)
    await using own = await openSocket(gateway.address, { cookie, origin: gateway.address })
    const csrf = browser.jar.get('toolway_csrf')?.value ?? ''
    const out = await browser.ask('/api/v1/auth/logout', {
      method: 'POST',
      headers: { origin: gateway.address, 'x-csrf-token': csrf },
    })
    expect(out.status).toBeLessThan(300)
    expect(await own.ended).toMatch(/^4401/)
  })

  test('a token that is bound to another organization hears that one; nothing that is sent in is looked at', async () => {
    await addPerson(gateway.db, { email: 'cy@example.com', roles: [[otherId, 'tenant_viewer']] })
    // The gateway hears of a new member by a notification.
    let token = ''
    const enter = async () => {
      const tokens = await signIn(gateway.address, 'cy@example.com', { organization: otherId }).catch(() => undefined)
      return (token = tokens?.access_token ?? '')
    }
    await expect.poll(enter).not.toBe('')
    await using socket = await openSocket(gateway.address, bearing(token))
    await alert(otherId, undefined, 'tool.held')
    const { body } = await createAsk(second, theirs)(`POST ${AT}`, {
      server_url: 'https://x.invalid/',
      auth_type: 'none',
    })
    await until('it hears what changed there', () => told(socket, body['id']).includes('created'))
    expect(alertsOf(socket)).toEqual([])
  })
})

describe('alerts and webhooks of an organization', () => {
  test('are listed for administrators, and each member sees its own; pages are as they are asked for', async () => {
    const [admin, person] = [createAsk(gateway, mine), createAsk(gateway, adas)]
    await alert(gateway.organization.id, ada, 'credential.lost')
    const all = (await admin('GET /api/v1/admin/tenants/default/alerts?limit=2')).body
    expect(all['items']).toHaveLength(2)
    expect(all['total']).toBeGreaterThan(2)
    const own = (await person('GET /api/v1/admin/tenants/default/alerts')).body['items'] as { user_id: string }[]
    expect(own.length).toBeGreaterThan(0)
    expect(new Set(own.map(({ user_id: user }) => user))).toEqual(new Set([ada]))
    expect((await createAsk(gateway, viewers)('GET /api/v1/admin/tenants/default/alerts')).body['total']).toBe(0)
    const kinds = (await admin('GET /api/v1/admin/tenants/default/alerts?kind=credential.lost&limit=200')).body
    expect(new Set((kinds['items'] as { kind: string }[]).map(({ kind }) => kind))).toEqual(
      new Set(['credential.lost']),
    )
  })

  test('an address that is set is told, signed; its secret is shown once, and an address inside is the platform’s to allow', async () => {
    const got: { headers: IncomingMessage['headers']; body: string }[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        got.push({ headers: request.headers, body })
        response.writeHead(204).end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const WEBHOOKS = '/api/v1/admin/tenants/default/webhooks'
    const admin = createAsk(gateway, mine)
    try {
      expect((await admin(`POST ${WEBHOOKS}`, { url })).body['code']).toBe('private.forbidden')
      expect((await admin(`POST ${WEBHOOKS}`, { url: 'http://hooks.example.com/' })).status).toBe(400)
      expect((await createAsk(gateway, adas)(`GET ${WEBHOOKS}`)).status).toBe(403)
      const made = await platform(`POST ${WEBHOOKS}`, { url, events: ['alert', 'integrations_changed'] })
      expect(made.status, made.text).toBe(201)
      const secret = made.body['secret'] as string
      const at = `${WEBHOOKS}/${String(made.body['id'])}`
      const test = await admin(`POST ${at}/test`)
      expect(test.body).toEqual({ delivered: true, status: 204, problem: null })
      await alert(gateway.organization.id, ada, 'credential.lost')
      await until('it is told of the alert', () => got.some(({ body }) => body.includes('"credential.lost"')))
      const id = await make({ name: 'Hooked' })
      await until('it is told of the integration', () =>
        got.some(({ body: said }) => said.includes('"created"') && said.includes(String(id))),
      )
      const ids = got.map(({ headers }) => headers['webhook-id'])
      expect(new Set(ids).size).toBe(ids.length)
      for (const { headers, body: said } of got) {
        const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${said}`
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
        expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(text).digest('base64')}`)
      }
      const turned = await admin(`POST ${at}/rotate`)
      expect(turned.body['secret']).not.toBe(secret)
      const again = await admin(`PUT ${at}`, { description: 'ours', events: ['alert'] })
      expect(again.body).toMatchObject({ description: 'ours', previous_secret_until: expect.any(String) as string })
      for (const hidden of [secret, turned.body['secret'] as string]) {
        for (const { text } of [again, await admin(`GET ${WEBHOOKS}`)]) expect(text).not.toContain(hidden)
        expect(JSON.stringify([await changesIn(gateway), gateway.log])).not.toContain(hidden)
      }
      // Another address inside is as much the platform's to allow as the first one was.
      expect((await admin(`PUT ${at}`, { url: 'http://127.0.0.1:1/' })).body['code']).toBe('private.forbidden')
      expect((await admin(`DELETE ${at}`)).status).toBe(204)
      for (let count = 0; count < 10; count++)
        expect(
          (await admin(`POST ${WEBHOOKS}`, { url: 'https://hooks.example.invalid/', enabled: false })).status,
        ).toBe(201)
      expect((await admin(`POST ${WEBHOOKS}`, { url: 'https://hooks.example.invalid/' })).body['code']).toBe(
        'webhook.limit',
      )
    } finally {
      receiver.closeAllConnections()
      await new Promise((resolve) => receiver.close(resolve))
    }
  })
})
