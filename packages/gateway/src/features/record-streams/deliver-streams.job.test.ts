/** Tests of record streams: order, at-least-once delivery and the lease, on the real database and over real connections. */
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId, type OrganizationId, type RecordStreamId } from '@toolway/contract'
import { StreamDestination } from '@toolway/contract/admin'
import pg from 'pg'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addAlert } from '../alerts/alerts.rows.ts'
import type { Db } from '../../db/db.ts'
import { INSTALLATION } from '../../snapshot/installation.ts'
import { addStream, listStreams } from './record-streams.rows.ts'
import type { StreamItem } from './stream-items.rows.ts'
import { fingerprintOf, listUnsigned, signCheckpoint, storeCheckpoint } from '../../records/chain/checkpoints.ts'
import { prune } from '../../records/retention.ts'
import { storeRecords } from '../../records/records.ts'
import { createTestDatabase } from '../../testing/database.ts'
import { addTestOrganization } from '../../testing/organization.ts'
import { testEntry } from '../../testing/record-entry.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { connectTls } from '../../upstreams/http/guarded-tls.ts'
import { recordStreamSealContext } from '../../vault/sealed-columns.ts'
import { createVault } from '../../vault/vault.ts'
import { isFresh, isSignedBy } from '../webhooks/verify.ts'
import { newWebhookSecret } from '../webhooks/signature.ts'
import { createSendBatch } from './send-batch.ts'
import { createDeliverStreams } from './deliver-streams.job.ts'

const vault = createVault(Buffer.alloc(32, 6))
const quiet = { info() {}, warn() {} }
const SECRET = newWebhookSecret()

/** A receiver that takes what is signed, unless it is told to fail. */
async function receiver() {
  const items: StreamItem[] = []
  const ids: string[] = []
  const state = { fails: 0, status: 204, asked: 0 }
  const server = createServer((request, response) => {
    void take(request).then(({ headers, body }) => {
      state.asked++
      const message = {
        id: String(headers['webhook-id']),
        timestamp: String(headers['webhook-timestamp']),
        signature: String(headers['webhook-signature']),
        body,
      }
      if (!isFresh(message, Date.now()) || !isSignedBy(message, SECRET)) return response.writeHead(401).end()
      if (state.fails-- > 0) return response.writeHead(503).end()
      ids.push(message.id)
      items.push(...(JSON.parse(body.toString()) as { data: { items: StreamItem[] } }).data.items)
      return response.writeHead(state.status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    items,
    ids,
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function take(request: IncomingMessage): Promise<{ headers: IncomingHttpHeaders; body: Buffer }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return { headers: request.headers, body: Buffer.concat(chunks) }
}

const send = createSendBatch({
  vault,
  reveal: (_owner, text) => Promise.resolve(text),
  connectTls,
  fetchFor: (reach) => createGuardedFetch(reach),
  now: Date.now,
  host: 'gateway-1',
})
const delivering = (db: Db, more: { late?: number } = {}) => {
  const job = createDeliverStreams({ db, send, random: () => 0.5, log: quiet, ...more })
  return Object.assign(job, { [Symbol.asyncDispose]: () => job.close() })
}

const add = (db: Db, owner: string, url: string, from: 'now' | 'start' = 'start'): Promise<RecordStreamId> =>
  db.system((sql) =>
    addStream(sql, owner, {
      words: {
        name: 'siem',
        destination: StreamDestination.parse({ kind: 'webhook', url }),
        private: true,
        alerts: true,
        enabled: true,
      },
      fromNow: from === 'now',
      seal: (id) => vault.seal(JSON.stringify({ webhook: SECRET }), recordStreamSealContext(id)),
    }),
  )

const record = (db: Db, organization: OrganizationId, count: number) =>
  db.system((sql) =>
    storeRecords(
      sql,
      Array.from({ length: count }, () => testEntry({ org_id: organization })),
    ),
  )
/** As retention does, from a checkpoint. Leaves a record of itself. */
const removeAll = (db: Db, organization: OrganizationId) =>
  db.system(async (sql) => {
    const key = { id: 'k1', ...generateKeyPairSync('ed25519') }
    for (const head of await listUnsigned(sql, organization))
      await storeCheckpoint(sql, signCheckpoint(head, key, new Date()))
    const actor = { id: 'retention', type: 'system', correlationId: 'c' } as const
    const from = { keyId: undefined, address: undefined, userAgent: undefined }
    const signers = [fingerprintOf(key.publicKey)]
    await prune(sql, { actor: { ...actor, ...from }, organization, before: new Date(), signers })
  })
const due = (db: Db) =>
  db.system((sql) => sql(z.object({ id: z.string() }))`update record_streams set next_try = now() returning id`)

test('records arrive in the order of the chain and alerts beside them, signed, and each once where nothing fails', async () => {
  await using database = await createTestDatabase()
  await using to = await receiver()
  const { db } = database
  const { id } = await addTestOrganization(db, 'acme')
  await add(db, id, to.url)
  await record(db, id, 1_203)
  await db.system((sql) => addAlert(sql, { organizationId: id, kind: 'tool.held', detail: { tool: 'x' } }))
  await using job = delivering(db)
  await job.run()
  // More than a batch of records waited: the alert does not wait for all of them.
  expect(to.items.findIndex(({ kind }) => kind === 'alert')).toBeLessThan(1_000)
  const records = to.items.filter(({ kind }) => kind === 'call')
  expect(records.map(({ seq }) => seq)).toEqual(Array.from({ length: 1_203 }, (_, at) => at + 1))
  expect(to.items.filter(({ kind }) => kind === 'alert')).toMatchObject([{ method: 'tool.held', organization_id: id }])
  expect(new Set(to.items.map((one) => one.id)).size).toBe(to.items.length)
  const [stream] = await db.system((sql) => listStreams(sql, id))
  expect(stream).toMatchObject({ waiting: 0, last_problem: null, behind_since: null })
})

test('what was not taken comes again, as the same message with the same items, and nothing is skipped', async () => {
  await using database = await createTestDatabase()
  await using to = await receiver()
  const { db } = database
  const { id } = await addTestOrganization(db, 'acme')
  await record(db, id, 10)
  await add(db, id, to.url)
  await using job = delivering(db)
  // It took the batch and said that it did not: the same batch comes again although there is more by then.
  to.state.status = 500
  await job.run()
  await record(db, id, 10)
  to.state.status = 204
  await due(db)
  // A run that the clock began before the stream was due has nothing to send.
  const batches = () => to.ids.filter((messageId) => messageId.includes(id))
  await expect.poll(() => job.run().then(() => batches().length)).toBeGreaterThan(1)
  // The alert that the stream is behind may come in between.
  const [first, second] = batches()
  expect(second).toBe(first)
  const records = to.items.filter(({ seq }) => seq !== null)
  expect(records.slice(0, 10)).toEqual(records.slice(10, 20))
  expect([...new Set(records.map(({ seq }) => seq))]).toEqual(Array.from({ length: 20 }, (_, at) => at + 1))
})

test('a stream that stays down is behind, has its administrators told once, and keeps up again', async () => {
  await using database = await createTestDatabase()
  await using to = await receiver()
  const { db } = database
  const { id } = await addTestOrganization(db, 'acme')
  await using job = delivering(db, { late: 0 })
  await record(db, id, 3)
  await add(db, id, to.url)
  to.state.fails = 3
  for (let tries = 0; tries < 3; tries++) {
    await due(db)
    await job.run()
  }
  expect((await db.system((sql) => listStreams(sql, id)))[0]).toMatchObject({
    waiting: 3,
    last_problem: 'it responded with HTTP 503',
    behind_since: expect.any(Date),
  })
  const alerts = () => to.items.filter(({ kind, method }) => kind === 'alert' && method === 'stream.behind').length
  await expect
    .poll(async () => {
      await due(db)
      await job.run()
      return alerts()
    })
    .toBe(1)
  expect((await db.system((sql) => listStreams(sql, id)))[0]).toMatchObject({ waiting: 0, behind_since: null })
})

test('records that retention removed before they were delivered are told, also where that failed at first', async () => {
  await using database = await createTestDatabase()
  await using to = await receiver()
  const { db } = database
  const { id } = await addTestOrganization(db, 'acme')
  await record(db, id, 3)
  await removeAll(db, id)
  await record(db, id, 2)
  await add(db, id, to.url)
  const owner = new pg.Client(database.connection)
  await owner.connect()
  await using _ = { [Symbol.asyncDispose]: () => owner.end() }
  await owner.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
    create trigger refuse before insert on alerts for each row execute function refuse()`)
  await using job = delivering(db)
  await job.run()
  await owner.query(`drop trigger refuse on alerts; update record_streams set leased_until = null`)
  await job.run()
  const gaps = () =>
    to.items.filter(({ method }) => method === 'stream.gap').map(({ detail }) => JSON.parse(String(detail)) as unknown)
  // An alert waits for the transactions that were open when it was made, those of other tests among them.
  await expect
    .poll(async () => {
      await due(db)
      await job.run()
      return gaps().length
    })
    .toBe(1)
  expect(gaps()).toMatchObject([{ records: 3 }])
  expect(to.items.filter(({ seq }) => seq !== null).map(({ seq }) => seq)).toEqual([4, 5, 6])
})

test('of several gateways one delivers a stream at a time; one that begins now sends nothing of before', async () => {
  await using database = await createTestDatabase()
  await using to = await receiver()
  const { db } = database
  const { id } = await addTestOrganization(db, 'acme')
  await record(db, id, 5)
  await add(db, id, to.url, 'now')
  await using one = delivering(db)
  await using two = delivering(db)
  await using three = delivering(db)
  await record(db, id, 40)
  await due(db)
  await Promise.all([one, two, three].map((job) => job.run()))
  expect(to.items.filter(({ seq }) => seq !== null).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 40 }, (_, at) => at + 6),
  )
})

test('a stream of the installation has the records of every organization and of the platform; one of an organization its own', async () => {
  await using database = await createTestDatabase()
  await using all = await receiver()
  await using own = await receiver()
  const { db } = database
  const acme = await addTestOrganization(db, 'acme')
  const other = await addTestOrganization(db, 'other')
  await record(db, acme.id, 3)
  await record(db, other.id, 4)
  await db.system((sql) => storeRecords(sql, [testEntry({ id: newId('rec'), org_id: undefined })]))
  await add(db, INSTALLATION, all.url)
  await add(db, acme.id, own.url)
  await using job = delivering(db)
  await job.run()
  const of = (items: readonly StreamItem[]) => items.map((item) => item.organization_id).toSorted()
  expect(of(own.items)).toEqual([acme.id, acme.id, acme.id])
  expect(of(all.items)).toEqual(
    [...Array<string>(3).fill(acme.id), ...Array<string>(4).fill(other.id), 'platform'].toSorted(),
  )
})

test('an address in a private network gets nothing from a stream that may not reach one', async () => {
  await using database = await createTestDatabase()
  await using to = await receiver()
  const { db } = database
  const { id } = await addTestOrganization(db, 'acme')
  await using job = delivering(db)
  await record(db, id, 1)
  await add(db, id, to.url)
  await db.system((sql) => sql(z.object({ id: z.string() }))`update record_streams set private = false returning id`)
  await job.run()
  expect(to.state.asked).toBe(0)
  expect((await db.system((sql) => listStreams(sql, id)))[0]?.last_problem).toContain('not allowed')
})
