/**
 * A way to an account that comes to nothing leaves nothing that looks connected: the connection that was made for it needs an account, and
 * one that worked before works on with the account that it had.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Connection } from '../../../packages/contract/src/admin/index.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import { startAuthority, type RunningAuthority } from '../peers/authorities/authority.ts'
import { startProtected, type ProtectedServer } from '../peers/authorities/protected-server.ts'
import { callTool } from '../peers/clients/raw-client.ts'
import { toolNames } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { createConnectingPerson } from '../peers/people/connecting-person.ts'
import { CONNECTORS } from '../peers/states/cells.ts'
import { until } from '../peers/until.ts'

const EMAIL = 'ada@example.com'
const Nothing = z.object({})

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let admin: Ask
let authority: RunningAuthority
let server: ProtectedServer
beforeAll(async () => {
  authority = parts.use(await startAuthority('registers'))
  server = parts.use(await startProtected(authority))
  gateway = parts.use(await startTestGateway())
  admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  await addPerson(gateway.db, { email: EMAIL, roles: [[gateway.organization.id, 'tenant_admin']] })
})
afterAll(() => parts.disposeAsync())

const add = async (alias: string) => {
  const added = await admin(`POST ${CONNECTORS}`, { alias, url: server.url, private: true, auth: { kind: 'oauth' } })
  expect(added.status, added.text).toBe(201)
}
const accountsOf = async (alias: string) =>
  (await admin(`GET ${CONNECTORS}/${alias}/accounts`)).body['items'] as object[]
const shown = async (alias: string) => (await admin(`GET ${CONNECTORS}/${alias}`)).body as Connection
const call = async (alias: string) =>
  (await callTool({ url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' }, 'who_am_i')).answer

/** Thrown in place of the way back, which the browser then goes later. */
class Stopped extends Error {
  readonly address: string
  constructor(address: string) {
    super('on the way back')
    this.address = address
  }
}

interface Ways {
  /** The flow is over when its person comes back. */
  readonly late?: boolean
}

/** As far as the way leads. */
async function signIn(alias: string, replaces?: string, { late = false }: Ways = {}) {
  const link = await admin(`POST ${CONNECTORS}/${alias}/link`, { owner: 'organization', replaces })
  expect(link.status, link.text).toBe(200)
  let stops = late
  const route = (address: string): string => {
    if (stops && address.includes('/oauth/callback')) throw new Stopped(address)
    return address
  }
  const person = createConnectingPerson(gateway.address, { email: EMAIL, route })
  try {
    return await person.open(String(link.body['url']))
  } catch (thrown) {
    if (!(thrown instanceof Stopped)) throw thrown
    await gateway.db.system((sql) => sql(Nothing)`update oauth_flows set expires_at = now() - interval '1 minute'`)
    stops = false
    return person.open(thrown.address)
  }
}

const ENDS: readonly [string, Ways, () => void][] = [
  ['is denied by the person', {}, () => void (authority.denies = true)],
  [
    'ends with an error of the authorization server',
    {},
    () => authority.break((response) => void response.writeHead(500).end('{"error":"server_error"}')),
  ],
  ['takes too long', { late: true }, () => {}],
]

describe.each(ENDS)('a sign-in that %s', (name, ways, begin) => {
  const alias = `fresh-${name.length}`
  const before = `older-${name.length}`

  test('leaves a new connection without an account, and says so', async () => {
    await add(alias)
    await add(before)
    expect((await signIn(before)).url.pathname).toBe('/connect/done')
    await until('its tools are there', async () => (await toolNames(gateway, gateway.connectionUrl(before))).length > 0)
    const [kept] = (await accountsOf(before)) as { id: string }[]

    begin()
    try {
      for (const [one, replaces] of [
        [alias, undefined],
        [before, kept?.id],
      ] as const) {
        const last = await signIn(one, replaces, ways)
        expect(last.html, one).not.toContain('is connected')
      }
    } finally {
      authority.denies = false
      authority.break(undefined)
    }

    expect(await accountsOf(alias)).toEqual([])
    expect(await shown(alias)).toMatchObject({ status: 'needs_auth', needs: 'account', tools: 0 })
    expect(JSON.stringify(await call(alias))).not.toContain('who_am_i for')
    // The one before is as it was, and is called as ever.
    expect(await accountsOf(before)).toMatchObject([{ id: kept?.id, state: 'good' }])
    expect(await shown(before)).toMatchObject({ status: 'connected', needs: null })
    expect((await call(before)).result?.content?.[0]?.text).toContain('who_am_i for ada')
  })
})
