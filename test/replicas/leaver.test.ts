/**
 * A leaver, at two gateways in processes of their own on one PostgreSQL and one Redis: the identity provider says `active: false` to one
 * of them, and at the other everything of that person ends.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPasswords } from '../../packages/gateway/src/identity/passwords.ts'
import { createBrowser, PASSWORD } from '../../packages/gateway/src/testing/people.ts'
import { connectWithOAuth, createStore } from '../e2e/peers/clients/oauth-client.ts'
import { startListening } from '../e2e/peers/clients/listener.ts'
import { ask, callTool, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { addKey, createAsk } from '../e2e/peers/people/administrators.ts'
import { createPerson } from '../e2e/peers/people/oauth-person.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { startHanging, type HangingServer } from '../e2e/peers/servers/hanging-server.ts'
import { until } from '../e2e/peers/until.ts'
import { createScim, patch, tokenFor, USER, type Scim } from '../e2e/scim/scim-client.ts'
import { within } from '../setup/form.ts'
import { startCluster, type Cluster, type Member } from './cluster.ts'

const EMAIL = 'leaver@example.com'
const Nothing = z.object({})

describe.each([
  { name: 'the database', settings: {} },
  { name: 'a Redis stream', settings: { TOOLWAY_CHANGES: 'redis' } },
])('two gateways that hear of changes by $name', ({ settings }) => {
  const parts = new AsyncDisposableStack()
  let cluster: Cluster
  let hanging: HangingServer
  let effects: EffectsServer
  let here: Member
  let there: Member
  let scim: Scim
  beforeAll(async () => {
    hanging = parts.use(await startHanging())
    effects = parts.use(await startEffects())
    const connections = { slow: { url: hanging.url }, effects: { url: effects.url, trusted: true } }
    cluster = parts.use(await startCluster({ gateways: 2, redis: true, settings, declared: { connections } }))
    const [first, second] = cluster.members
    if (first === undefined || second === undefined) throw new Error('there are no two gateways')
    ;[here, there] = [first, second]
    const key = await addKey(cluster, { role: 'platform_admin' })
    scim = createScim(here.address, 'default', await tokenFor(createAsk(here, key), 'default'))
    const rule = {
      ...{ name: 'ask', action: 'approve', reason: 'look first' },
      ...{ match: { tools: ['effects__write_note'] }, parameters: {} },
    }
    const added = await createAsk(here, key)('POST /api/v1/organizations/default/rules', rule)
    if (added.status !== 201) throw new Error(added.text)
  })
  afterAll(() => parts.disposeAsync())

  const at = (alias: string, key: string | undefined): RawPeer => ({
    url: `${there.address}/api/v1/default/connectors/${alias}/mcp`,
    ...{ key, era: 'modern' },
  })

  /** Provided by SCIM, and with a password, so that the person has everything that a person can have. */
  async function provide(): Promise<string> {
    const emails = [{ value: EMAIL, primary: true }]
    const made = await scim('POST /Users', { schemas: [USER], userName: EMAIL, active: true, emails })
    expect(made.status, made.text).toBe(201)
    const id = String(made.body['id'])
    const password = await createPasswords({ shortest: 12 }).hash(PASSWORD)
    await cluster.db.system((sql) => sql(Nothing)`update users set password = ${password} where id = ${id}`)
    return id
  }

  async function browse() {
    const browser = createBrowser(cluster.address)
    await browser.submit('/sign-in', { email: EMAIL, password: PASSWORD })
    const cookie = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    // The account stays, and may be in other organizations; the session reaches this one no more.
    return async () => {
      const me = await fetch(`${there.address}/api/v1/auth/me`, { headers: { cookie } })
      const { organizations = [] } = (await me.json()) as { organizations?: { slug: string }[] }
      return organizations.some(({ slug }) => slug === 'default')
    }
  }

  async function approve(key: string) {
    const call = () => callTool(at('effects', key), 'write_note', { text: 'later' })
    const id = await until('the call waits', async () => /approvals\/(apr_[a-z0-9]{26})/.exec((await call()).text)?.[1])
    const Row = z.object({ waits: z.boolean() })
    return async () => {
      const rows = await cluster.db.system(
        (sql) => sql(Row)`
          select state = 'pending' and expires_at > now() as waits from approvals where id = ${id}`,
      )
      return rows.some(({ waits }) => waits)
    }
  }

  test('C-ID-07: end everything of a leaver at the other one within five seconds', async ({ annotate }) => {
    const id = await provide()
    // A member has one such key; this one is known here.
    await cluster.db.system((sql) => sql(Nothing)`delete from keys where user_id = ${id}`)
    // A member has one such key; this one is known here.
    await cluster.db.system((sql) => sql(Nothing)`delete from keys where user_id = ${id}`)
    const key = await addKey(cluster, {
      ...{ role: 'tenant_member', organization: cluster.organization.id, user: id as never },
    })
    const lists = (of: string | undefined) => async () => (await ask(at('slow', of), 'tools/list')).status === 200
    await until('the key is known', lists(key))
    const store = createStore()
    await using client = await connectWithOAuth(
      'SDK 2',
      cluster.connectionUrl('slow'),
      createPerson(cluster.address, { email: EMAIL }),
      { store },
    )
    expect(await client.tools()).toEqual(['hang'])
    const token = store.tokens?.access_token
    expect(await lists(token)()).toBe(true)
    const hasSession = await browse()
    expect(await hasSession()).toBe(true)
    const waits = await approve(key)
    expect(await waits()).toBe(true)
    await using stream = await startListening(at('slow', token), { toolsListChanged: true })
    const call = ask(at('slow', key), 'tools/call', { name: 'hang', arguments: {} })
    await until('the call is under way', () => hanging.calls() === 1)

    const begun = performance.now()
    const took = () => Math.round(performance.now() - begun)
    const over = async (what: string, stands: () => Promise<boolean>) => {
      await until(what, async () => !(await stands()))
      return took()
    }
    const ends = {
      'answer to SCIM': scim(`PATCH /Users/${id}`, patch({ op: 'Replace', path: 'active', value: 'False' })).then(took),
      key: over('the key is refused', lists(key)),
      'OAuth token': over('the token is refused', lists(token)),
      'console session': over('the session is over', hasSession),
      'running call': call.then(took),
      'event stream': stream.ended.then(took),
      'waiting approval': over('the approval is over', waits),
    }
    const names = Object.keys(ends)
    const figures = await Promise.all(Object.values(ends))
    await annotate(names.map((name, index) => `${name}: ${figures[index]} ms`).join(', '))
    for (const figure of figures) expect(figure).toBeLessThan(within(5_000))
    expect(hanging.calls()).toBe(0)
    // Where the change was made, it counts with the answer.
    expect(
      (await ask({ ...at('slow', key), url: `${here.address}/api/v1/default/connectors/slow/mcp` }, 'tools/list'))
        .status,
    ).not.toBe(200)
  })
})
