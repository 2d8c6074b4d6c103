/**
 * Work that gateways do by themselves, with three of them on one database: each job once, and what a killed gateway held is taken over.
 *
 * Leases are a minute long (30 s for record streams, 20 s for lists). The short form ages the leases of the killed gateway in the
 * database; `TEST_REPLICAS=all` waits for them and for the looks each minute.
 */
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { newId, type RecordStreamId } from '@toolway/contract'
import { StreamDestination } from '@toolway/contract/admin'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { addAlert } from '../../packages/gateway/src/features/alerts/alerts.rows.ts'
import { addStream } from '../../packages/gateway/src/features/record-streams/record-streams.rows.ts'
import { createTestVault } from '../../packages/gateway/src/testing/gateway.ts'
import { PATIENCE_MS } from '../../packages/gateway/src/testing/patience.ts'
import { addPerson, askAdmin, createBrowser, PASSWORD, signIn } from '../../packages/gateway/src/testing/people.ts'
import { recordStreamSealContext, webhookSecretSealContext } from '../../packages/gateway/src/vault/sealed-columns.ts'
import { newWebhookSecret } from '../../packages/gateway/src/features/webhooks/signature.ts'
import { addWebhook } from '../../packages/gateway/src/features/webhooks/webhooks.rows.ts'
import { changingTool } from '../e2e/peers/servers/changing-server.ts'
import { startAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected } from '../e2e/peers/authorities/protected-server.ts'
import { callTool, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { formIn } from '../e2e/peers/people/oauth-person.ts'
import { walkThrough } from '../e2e/peers/people/identity-provider.ts'
import { startCounted, type CountedServer } from '../e2e/peers/servers/counted-server.ts'
import { until } from '../e2e/peers/until.ts'
import { startCluster, type Cluster, type Member } from './cluster.ts'
import { ownerOf, startJobReceiver, type JobReceiver } from './job-receiver.ts'

const EMAIL = 'ada@example.com'
const IS_ALL = process.env['TEST_REPLICAS'] === 'all'
const LISTED = ['one', 'two', 'three', 'four', 'five']
const HOOKS = 6
const ALERTS = 10
const vault = createTestVault()
const Nothing = z.object({})
const Count = z.object({ count: z.int() })

const parts = new AsyncDisposableStack()
let counted: CountedServer
let cluster: Cluster
beforeAll(async () => {
  counted = parts.use(await startCounted({ tools: [changingTool('look')] }))
  const connections = Object.fromEntries(LISTED.map((name) => [name, { url: counted.url(`/open/${name}`) }]))
  cluster = parts.use(await startCluster({ declared: { connections } }))
})
afterAll(() => parts.disposeAsync())

const HER_KEY = `uru_${'cd'.repeat(32)}`

const at = (member: Member, alias: string, key = cluster.key): RawPeer => ({
  url: `${member.address}/api/v1/default/connectors/${alias}/mcp`,
  key,
  era: 'modern',
})

const addAlerts = async (count: number) => {
  for (let one = 0; one < count; one++)
    await cluster.db.system((sql) =>
      addAlert(sql, { organizationId: cluster.organization.id, kind: 'credential.lost', detail: { number: one } }),
    )
}

const addHook = (url: string) => {
  const { id: organizationId } = cluster.organization
  const words = { url, private: true, description: null, events: ['alert'], enabled: true }
  return cluster.db.organization(organizationId, (sql) =>
    addWebhook(sql, organizationId, words, (id) => vault.seal(newWebhookSecret(), webhookSecretSealContext(id))),
  )
}

const addRecordStream = (url: string, alerts = true): Promise<RecordStreamId> =>
  cluster.db.system((sql) =>
    addStream(sql, cluster.organization.id, {
      words: {
        name: 'siem',
        destination: StreamDestination.parse({ kind: 'webhook', url }),
        private: true,
        alerts,
        enabled: true,
      },
      fromNow: true,
      seal: (id) => vault.seal(JSON.stringify({ webhook: newWebhookSecret() }), recordStreamSealContext(id)),
    }),
  )

const itemsIn = ({ got }: JobReceiver) =>
  got.flatMap(({ body }) => (JSON.parse(body) as { data: { items: { id: string; kind: string }[] } }).data.items)

const alertsOf = async (kind: string) => {
  const [row] = await cluster.db.system(
    (sql) => sql(Count)`select count(*)::int as count from alerts where kind = ${kind}`,
  )
  return row?.count
}

/** Deliveries of webhooks that are not over. */
const waiting = async () => {
  const [row] = await cluster.db.system(
    (sql) => sql(Count)`
      select count(*)::int as count from webhook_deliveries where delivered_at is null and given_up_at is null`,
  )
  return row?.count
}

const idsOf = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).toSorted()
const once = (ids: readonly string[]) => [...new Set(ids)].toSorted()

test('the lists of a server are asked for by one gateway of three at a start, and all three have what it changes', async () => {
  for (const name of LISTED) expect([name, counted.lists(`/open/${name}`)]).toEqual([name, 1])
  // Each gateway hears the announcement on a stream of its own.
  for (const name of LISTED) await expect.poll(() => counted.streams(`/open/${name}`)).toBeGreaterThanOrEqual(3)
  for (const name of LISTED) {
    counted.offer(`/open/${name}`, [changingTool('look'), changingTool('more')])
    counted.announce(`/open/${name}`)
  }
  for (const name of LISTED)
    for (const member of cluster.members)
      await until(
        `${member.address} has the new tool of ${name}`,
        async () => !(await callTool(at(member, name), 'more')).text.includes('tool.unknown'),
      )
  // A gateway that hears of it only after the look of another one began has to ask again, so on a busy machine some do.
  for (const name of LISTED) expect(counted.lists(`/open/${name}`)).toBeGreaterThanOrEqual(2)
})

test('messages of webhooks and items of a record stream are delivered once by three gateways', async () => {
  await using hooked = await startJobReceiver()
  await using streamed = await startJobReceiver()
  for (let one = 0; one < HOOKS; one++) await addHook(`${hooked.url}/${one}`)
  await addRecordStream(streamed.url)
  const calls = cluster.members.flatMap((member) => LISTED.map((name) => callTool(at(member, name), 'look')))
  await Promise.all([addAlerts(ALERTS), ...calls])
  await expect.poll(waiting).toBe(0)
  const called = () => itemsIn(streamed).filter(({ kind }) => kind === 'call')
  await expect.poll(() => called().length).toBeGreaterThanOrEqual(calls.length)
  await expect.poll(() => itemsIn(streamed).filter(({ kind }) => kind === 'alert').length).toBe(ALERTS)
  expect(hooked.got).toHaveLength(HOOKS * ALERTS)
  expect(idsOf(hooked.got)).toEqual(once(idsOf(hooked.got)))
  expect(idsOf(itemsIn(streamed))).toEqual(once(idsOf(itemsIn(streamed))))
  await cluster.db.system((sql) => sql(Nothing)`update webhooks set enabled = false`)
  await cluster.db.system((sql) => sql(Nothing)`update record_streams set enabled = false`)
})

/** Connections to one server whose accounts are kept by one authorization server, each connected by her. */
async function connectAccounts(url: string, aliases: readonly string[]): Promise<void> {
  const [{ address }] = cluster.members as [Member]
  const { access_token: token } = await signIn(address, EMAIL)
  for (const alias of aliases) {
    const body = { alias, title: alias, url }
    expect((await askAdmin(address, 'POST /admin/tenants/default/connectors', { token, body })).status).toBe(201)
    const browser = createBrowser(cluster.address)
    await browser.submit('/sign-in', { email: EMAIL, password: PASSWORD })
    let onward = ''
    // The balancer leads to a gateway that may not have heard of the connection yet.
    await until('a gateway leads on to the authorization server', async () => {
      const link = await askAdmin(address, `POST /admin/tenants/default/connectors/${alias}/link`, { token, body: {} })
      const path = new URL(String(link.body.url)).pathname
      const { action, fields } = formIn(await (await browser.ask(path)).text()) ?? { action: path, fields: {} }
      const html = await (await browser.submit(action, fields)).text()
      onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1] ?? ''
      return onward !== ''
    })
    const back = new URL(await walkThrough(onward.replaceAll('&amp;', '&'), `${cluster.address}/`))
    const answer = await browser.ask(back.pathname + back.search, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(answer.status).toBeLessThan(400)
  }
  for (const member of cluster.members)
    for (const alias of aliases)
      await until(`${member.address} serves ${alias}`, async () => isHers(await who(member, alias)))
}

const who = async (member: Member, alias: string) => (await callTool(at(member, alias, HER_KEY), 'who_am_i')).text
/** A person with a key of her own, which has the accounts that she connects. */
async function addAda(): Promise<void> {
  const { id: organization } = cluster.organization
  const ada = await addPerson(cluster.db, {
    email: EMAIL,
    platformAdmin: true,
    roles: [[organization, 'tenant_admin']],
  })
  await cluster.db.system(
    (sql) => sql(Nothing)`
      insert into keys (id, organization_id, name, hint, hash, origin, role, user_id)
      values (${newId('key')}, ${organization}, 'ada', 'uru_cdcd', ${vault.hash(HER_KEY)}, 'test', 'tenant_admin', ${ada.id})`,
  )
}

const isHers = (text: string) => text.includes('who_am_i for ada')

/** Run out as if time had passed; the gateways hear of it from the database. */
const expire = (aliases: readonly string[]) =>
  cluster.db.system(
    (sql) => sql(Nothing)`
      update credentials set expires_at = now() - interval '1 minute'
       where connection_id in (select id from connections where alias = any(${aliases}::text[]))`,
  )

test('accounts that expire are renewed by one token request each, and what a killed gateway held is taken over', async () => {
  await using authority = await startAuthority('strict')
  await using server = await startProtected(authority)
  await addAda()
  const accounts = ['docs-1', 'docs-2', 'docs-3']
  await connectAccounts(server.url, accounts)
  const before = authority.counts.refreshes
  const renewed = () => authority.counts.refreshes - before
  const callAll = async () => {
    const calls = cluster.members.flatMap((member) =>
      accounts.flatMap((alias) => [who(member, alias), who(member, alias)]),
    )
    expect((await Promise.all(calls)).filter((text) => !isHers(text))).toEqual([])
    return renewed()
  }
  await expire(accounts)
  await expect.poll(callAll).toBe(accounts.length)
  expect(await callAll()).toBe(accounts.length)
  if (IS_ALL) {
    // Each gateway looks each minute, and nobody calls.
    await expire(['docs-1', 'docs-2'])
    await cluster.db.system(
      (sql) => sql(Nothing)`
        update credentials set sealed_refresh_token = null, expires_at = now() + interval '2 hours'
         where connection_id in (select id from connections where alias = 'docs-3')`,
    )
    await sleep(130_000)
    expect(renewed()).toBe(accounts.length + 2)
    expect(await alertsOf('credential.expiring')).toBe(1)
  }

  await using hooked = await startJobReceiver()
  await using streamed = await startJobReceiver()
  await addHook(hooked.url)
  const stream = await addRecordStream(streamed.url, false)
  const [hook, batch] = [hooked.hold(), streamed.hold()]
  await addAlerts(3)
  await call(5)
  const pids = cluster.members.map(({ running }) => running.pid)
  const [message, items] = await Promise.all([hook, batch])
  const [delivering, streaming] = [
    await ownerOf(message.port, hooked.url, pids),
    await ownerOf(items.port, streamed.url, pids),
  ]
  // The same gateway renews an account, too.
  const renewals = authority.counts.refreshes
  const victim = cluster.members.find(({ running }) => running.pid === delivering) ?? expect.fail('it is no gateway')
  let asking: number | undefined
  authority.break(({ socket }) => {
    authority.break(undefined)
    asking = socket?.remotePort ?? 0
  })
  await expire(['docs-1'])
  const broken: Promise<string>[] = []
  await until('it asks the authorization server', async () => {
    broken.push(who(victim, 'docs-1').catch(() => ''))
    await sleep(100)
    return asking !== undefined
  })
  const holders = [delivering, streaming, await ownerOf(asking ?? 0, authority.issuer, pids)]
  const killed = cluster.members.filter(({ running }) => holders.includes(running.pid))
  const left = cluster.members.filter((member) => !killed.includes(member))
  for (const { running } of killed) running.signal('SIGKILL')
  await Promise.all([...broken, ...killed.map(({ running }) => running.ended)])
  expect(left.length).toBeGreaterThan(0)
  // Held by the one that is gone: nobody else begins it meanwhile.
  await addAlerts(1)
  await call(5, left)
  // Alerts that the others deliver meanwhile are leased for a moment, too.
  await expect.poll(leased).toBe(3)
  if (!IS_ALL) await age()
  await addAlerts(1)
  const patience = { timeout: IS_ALL ? 90_000 : PATIENCE_MS }
  await expect.poll(waiting, patience).toBe(0)
  for (const member of left) await expect.poll(async () => isHers(await who(member, 'docs-1')), patience).toBe(true)
  await expect.poll(async () => (await undelivered(stream)) === 0, patience).toBe(true)
  // At least once: a message whose answer its gateway did not live to note comes again, as the same message; no other one does.
  const again = (all: readonly { readonly id: string }[]) =>
    idsOf(all).filter((id, place, ids) => ids[place - 1] === id)
  expect(again(hooked.got)).toEqual([message.id])
  expect(once(idsOf(hooked.got))).toHaveLength(5)
  expect(again(streamed.got)).toEqual([items.id])
  const bodies = streamed.got
    .filter(({ id }) => id === items.id)
    .map(({ body }) => (JSON.parse(body) as { data: object }).data)
  expect(bodies).toEqual([bodies[0], bodies[0]])
  // The request of the killed one reached nobody; its successor's is the only one that the authorization server answered.
  expect(authority.counts.refreshes - renewals).toBe(1)
  expect(authority.counts.refusedRefreshes).toBe(0)
})

/** Leases that somebody holds now, of the three kinds. */
const leased = async () => {
  const [row] = await cluster.db.system(
    (sql) => sql(Count)`
      select ((select count(*) from webhook_deliveries where leased_until > now())
              + (select count(*) from record_streams where leased_until > now())
              + (select count(*) from credentials where leased_until > now()))::int as count`,
  )
  return row?.count
}

/** The leases have run out, as if time had passed. */
const age = () =>
  cluster.db.system(async (sql) => {
    await sql(Nothing)`update webhook_deliveries set leased_until = now() where leased_until is not null`
    await sql(Nothing)`update record_streams set leased_until = now() where leased_until is not null`
    await sql(Nothing)`update credentials set leased_until = now() where leased_until is not null`
  })

/** Calls at some gateways, each on record. */
const call = (count: number, members = cluster.members) =>
  Promise.all(members.flatMap((member) => Array.from({ length: count }, () => callTool(at(member, 'one'), 'look'))))

/** Records of the organization that a stream has not delivered. */
const undelivered = async (stream: RecordStreamId) => {
  const [row] = await cluster.db.system(
    (sql) => sql(Count)`
      select (c.seq - k.seq)::int as count from record_chains c
        join record_stream_cursors k on k.organization_id = c.organization_id and k.stream_id = ${stream}
       where c.organization_id = ${cluster.organization.id}`,
  )
  return row?.count
}
