/** Delivered to a real server, by one and by two gateways, with everything that can go wrong there. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId, type OrganizationId, type WebhookId } from '@toolway/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addAlert } from '../alerts/alerts.rows.ts'
import { listAlerts } from '../alerts/list-alerts.rows.ts'
import type { Db } from '../../db/db.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { createTestVault } from '../../testing/gateway.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { previousWebhookSecretSealContext, webhookSecretSealContext } from '../../vault/sealed-columns.ts'
import { newWebhookSecret } from './signature.ts'
import { addWebhook, listWebhooks, rotateSecret } from './webhooks.rows.ts'
import { createDeliverWebhooks, PAUSES } from './deliver-webhooks.job.ts'
import { createSendWebhook } from './send-webhook.ts'

const vault = createTestVault()
const Nothing = z.object({})
const Pid = z.object({ pid: z.int() })
const QUIET = { info() {}, warn() {} }

interface Got {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A receiver that answers as it is told. */
async function startReceiver() {
  const got: Got[] = []
  const state = { answer: (response: ServerResponse) => void response.writeHead(204).end() }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      got.push({ headers: request.headers, body })
      state.answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    got,
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const deliverer = (db: Db) =>
  createDeliverWebhooks({
    db,
    send: createSendWebhook({ vault, fetchFor: createGuardedFetch, now: Date.now }),
    random: () => 0.5,
    log: QUIET,
  })

interface Hook {
  readonly id: WebhookId
  readonly organizationId: OrganizationId
  readonly secret: string
}

async function hook(db: Db, url: string, { reach = true, events = ['alert'], slug = 'acme' } = {}): Promise<Hook> {
  const { id: organizationId } = await addTestOrganization(db, slug)
  const secret = newWebhookSecret()
  const words = { url, private: reach, description: null, events, enabled: true }
  const id = await db.organization(organizationId, (sql) =>
    addWebhook(sql, organizationId, words, (whk) => vault.seal(secret, webhookSecretSealContext(whk))),
  )
  return { id, organizationId, secret }
}

const alert = (db: Db, organizationId: OrganizationId, detail: object = { account: 'work' }) =>
  db.system((sql) =>
    addAlert(sql, { organizationId, kind: 'credential.lost', detail: detail as Record<string, unknown> }),
  )

const find = async (db: Db, { organizationId, id }: Hook) => {
  const found = (await db.organization(organizationId, listWebhooks)).find((one) => one.id === id)
  return found ?? expect.fail('it is gone')
}

/** Makes waiting deliveries due at once. */
const hurry = (db: Db) =>
  db.system(
    (sql) => sql(Nothing)`update webhook_deliveries set next_try = now() - interval '1 second', leased_until = null`,
  )

function isSigned({ headers, body }: Got, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const text = `${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`
  const signature = `v1,${createHmac('sha256', key).update(text).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(signature)
}

describeEachPostgres('webhooks', (createDatabase) => {
  test('a message that another gateway delivers while this one looks for work is not delivered again', async () => {
    await using database = await createDatabase()
    await using receiver = await startReceiver()
    const { db } = database
    const wanted = await hook(db, receiver.url)
    await alert(db, wanted.organizationId)
    const job = deliverer(db)
    let running: Promise<void> | undefined
    await db.system(async (sql) => {
      await sql(Nothing)`update webhook_deliveries set delivered_at = now()`
      running = job.run()
      // It has chosen the message and waits for its row.
      const isWaiting = () => sql(Pid)`select pid from pg_locks where not granted and pid <> pg_backend_pid()`
      await expect.poll(async () => (await isWaiting()).length).toBe(1)
    })
    await running
    expect(receiver.got).toEqual([])
    await job.close()
  })

  test('an alert reaches the address that asked for it once, signed, though two gateways deliver', async () => {
    await using database = await createDatabase()
    await using receiver = await startReceiver()
    const { db } = database
    const wanted = await hook(db, receiver.url)
    const unasked = await hook(db, `${receiver.url}/x`, { events: ['tool.held'], slug: 'other' })
    const [one, other] = [deliverer(db), deliverer(db)]
    const alerts = await Promise.all([
      alert(db, wanted.organizationId),
      alert(db, wanted.organizationId),
      alert(db, unasked.organizationId),
    ])
    await Promise.all([one.run(), other.run(), one.run()])
    expect(receiver.got).toHaveLength(2)
    const told = receiver.got.map(({ body }) => JSON.parse(body) as { type: string; data: { alert_id: string } })
    expect(new Set(told.map(({ data }) => data.alert_id))).toEqual(new Set(alerts.slice(0, 2)))
    expect(told[0]).toMatchObject({ type: 'credential.lost', data: { detail: { account: 'work' } } })
    expect(receiver.got.every((got) => isSigned(got, wanted.secret))).toBe(true)
    expect(receiver.got.some((got) => isSigned(got, unasked.secret))).toBe(false)
    expect(await find(db, wanted)).toMatchObject({
      waiting: 0,
      last_problem: null,
      delivered_at: expect.any(Date) as Date,
    })
    await hurry(db)
    await one.run()
    expect(receiver.got).toHaveLength(2)
    await Promise.all([one.close(), other.close()])
  })

  test('one that fails is tried again under the same id, until it is taken', async () => {
    await using database = await createDatabase()
    await using receiver = await startReceiver()
    const { db } = database
    const wanted = await hook(db, receiver.url)
    const job = deliverer(db)
    receiver.state.answer = (response) => void response.writeHead(500).end('<html>secret inside</html>')
    await alert(db, wanted.organizationId)
    await job.run()
    expect(await find(db, wanted)).toMatchObject({
      waiting: 1,
      enabled: true,
      last_problem: 'it responded with HTTP 500',
    })
    // Not before its time.
    await job.run()
    expect(receiver.got).toHaveLength(1)
    receiver.state.answer = (response) => void response.socket?.destroy()
    await hurry(db)
    await job.run()
    expect((await find(db, wanted)).last_problem).toMatch(/^it could not be reached/)
    receiver.state.answer = (response) => void response.writeHead(200).end('ok')
    await hurry(db)
    await job.run()
    expect(await find(db, wanted)).toMatchObject({ waiting: 0, last_problem: null })
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(receiver.got).toHaveLength(3)
    await job.close()
  })

  test('one that takes nothing at all is switched off after its last try, and administrators are told', async () => {
    await using database = await createDatabase()
    await using receiver = await startReceiver()
    const { db } = database
    const dead = await hook(db, receiver.url)
    const job = deliverer(db)
    receiver.state.answer = (response) => void response.writeHead(503).end()
    await alert(db, dead.organizationId)
    for (let tries = 0; tries <= PAUSES.length; tries++) {
      await job.run()
      await hurry(db)
    }
    await job.run()
    expect(receiver.got).toHaveLength(PAUSES.length + 1)
    expect(await find(db, dead)).toMatchObject({
      enabled: false,
      off_reason: 'after 8 tries it responded with HTTP 503',
      waiting: 0,
    })
    const all = { kind: undefined, connectionId: undefined, userId: undefined }
    const told = await db.organization(dead.organizationId, (sql) => listAlerts(sql, all, { limit: 10, offset: 0 }))
    expect(told.map(({ kind, user_id: user }) => [kind, user])).toEqual([
      ['webhook.off', null],
      ['credential.lost', null],
    ])
    expect(told[0]?.detail).toMatchObject({ webhook: dead.id, problem: 'after 8 tries it responded with HTTP 503' })
    await alert(db, dead.organizationId)
    await job.run()
    expect(receiver.got).toHaveLength(PAUSES.length + 1)
    await job.close()
  })

  test('one that says it is gone is switched off at once; a redirect is not followed', async () => {
    await using database = await createDatabase()
    await using receiver = await startReceiver()
    await using elsewhere = await startReceiver()
    const { db } = database
    const wanted = await hook(db, receiver.url)
    const job = deliverer(db)
    receiver.state.answer = (response) => void response.writeHead(307, { location: elsewhere.url }).end()
    await alert(db, wanted.organizationId)
    await job.run()
    expect(elsewhere.got).toEqual([])
    expect((await find(db, wanted)).last_problem).toBe('it responded with HTTP 307, and redirects are not followed')
    receiver.state.answer = (response) => void response.writeHead(410).end()
    await hurry(db)
    await job.run()
    expect(await find(db, wanted)).toMatchObject({
      enabled: false,
      off_reason: 'it responded with HTTP 410: it is permanently gone',
    })
    await job.close()
  })

  test('a private address is not reached where nobody allowed it, and one that hangs holds up no other', async () => {
    await using database = await createDatabase()
    await using receiver = await startReceiver()
    await using other = await startReceiver()
    const { db } = database
    const inside = await hook(db, receiver.url, { reach: false })
    const fine = await hook(db, other.url, { slug: 'fine' })
    const hanging = await hook(db, receiver.url, { slug: 'hanging' })
    const job = deliverer(db)
    receiver.state.answer = () => {}
    await alert(db, inside.organizationId)
    await alert(db, hanging.organizationId)
    await alert(db, fine.organizationId)
    const running = job.run()
    await expect.poll(() => other.got.length).toBe(1)
    await expect
      .poll(async () => (await find(db, inside)).last_problem)
      .toBe('its address does not resolve, or is in a network that is not allowed')
    expect(receiver.got.length).toBeLessThanOrEqual(1)
    // A delivery that hangs ends with the gateway, and counts as no failure: the next gateway tries it.
    await job.close()
    await running
    expect(await find(db, hanging)).toMatchObject({ waiting: 1, last_problem: null })
  })

  test('while its secret is turned both secrets prove a message; afterwards only the new one', async () => {
    await using database = await createDatabase()
    await using receiver = await startReceiver()
    const { db } = database
    const wanted = await hook(db, receiver.url)
    const next = newWebhookSecret()
    await db.organization(wanted.organizationId, (sql) =>
      rotateSecret(sql, wanted.id, {
        next: vault.seal(next, webhookSecretSealContext(wanted.id)),
        previous: vault.seal(wanted.secret, previousWebhookSecretSealContext(wanted.id)),
        hours: 24,
      }),
    )
    const job = deliverer(db)
    await alert(db, wanted.organizationId)
    await job.run()
    await db.system((sql) => sql(Nothing)`update webhooks set previous_until = now()`)
    await alert(db, wanted.organizationId)
    await job.run()
    const proofs = receiver.got.map((got) => [isSigned(got, next), isSigned(got, wanted.secret)])
    expect(proofs).toEqual([
      [true, true],
      [true, false],
    ])
    await job.close()
  })

  test('no more than so many messages wait, none is longer than its bound, and old alerts go', async () => {
    await using database = await createDatabase()
    const { db } = database
    const wanted = await hook(db, 'https://hooks.example.invalid/')
    await db.organization(
      wanted.organizationId,
      (sql) => sql(Nothing)`
      insert into alerts (id, organization_id, kind, detail)
      select 'alr_' || n, ${wanted.organizationId}, 'tool.held', jsonb_build_object('text', repeat('x', 20000))
        from generate_series(1, 5) n`,
    )
    const [longest] = await db.system(
      (sql) => sql(z.object({ size: z.int() }))`
      select max(length(payload::text)) as size from webhook_deliveries`,
    )
    expect(longest?.size).toBeLessThan(1_000)
    await db.system(
      (sql) => sql(Nothing)`
      insert into webhook_deliveries (id, organization_id, webhook_id, about, payload)
      select 'msg_' || n, ${wanted.organizationId}, ${wanted.id}, n::text, '{}' from generate_series(1, 995) n`,
    )
    await alert(db, wanted.organizationId)
    expect((await find(db, wanted)).waiting).toBe(1_000)
    await db.system(
      (sql) => sql(Nothing)`update alerts set created_at = now() - interval '91 days' where kind = 'tool.held'`,
    )
    const job = deliverer(db)
    await job.clean()
    await job.close()
    const all = { kind: undefined, connectionId: undefined, userId: undefined }
    const left = await db.organization(wanted.organizationId, (sql) => listAlerts(sql, all, { limit: 10, offset: 0 }))
    expect(left.map(({ kind }) => kind)).toEqual(['credential.lost'])
  })

  test('an organization is removed with its connections, credentials and webhooks, and a removal tells nobody outside', async () => {
    await using database = await createDatabase()
    const { db } = database
    const { organizationId } = await hook(db, 'https://hooks.example.invalid/', { events: ['integrations_changed'] })
    const connection = newId('con')
    const count = async () => {
      const rows = await db.system(
        (sql) => sql(z.object({ action: z.string() }))`
        select payload -> 'data' ->> 'action' as action from webhook_deliveries order by created_at, about`,
      )
      return rows.map(({ action }) => action).sort()
    }
    await db.system(
      (sql) => sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, origin)
      values (${connection}, ${organizationId}, 'a', 'A', 'mcp.http', '{}', 'test')`,
    )
    await db.system(
      (sql) => sql(Nothing)`
      insert into credentials (id, organization_id, provider, connection_id, sealed_access_token)
      values (${newId('crd')}, ${organizationId}, 'mcp', ${connection}, 'x')`,
    )
    expect(await count()).toEqual(['connected', 'created'])
    // A renewal is nothing new.
    await db.system((sql) => sql(Nothing)`update credentials set version = version + 1, renewed_at = now()`)
    expect(await count()).toHaveLength(2)
    await db.system((sql) => sql(Nothing)`update credentials set problem = 'refused'`)
    await db.system((sql) => sql(Nothing)`update connections set status = 'connected'`)
    await db.system((sql) => sql(Nothing)`update connections set era = '{"revision":"x","at":1}'`)
    expect(await count()).toEqual(['connected', 'created', 'disconnected', 'synced'])
    await db.system((sql) => sql(Nothing)`delete from connections`)
    expect(await count()).toEqual(['connected', 'created', 'deleted', 'disconnected', 'synced'])
    await db.system(
      (sql) => sql(Nothing)`
      insert into connections (id, organization_id, alias, title, connector, settings, origin)
      values (${connection}, ${organizationId}, 'a', 'A', 'mcp.http', '{}', 'test')`,
    )
    await db.system((sql) => sql(Nothing)`delete from organizations where id = ${organizationId}`)
    expect(await count()).toEqual([])
  })
})
