/**
 * Accounts at a vendor, connected at the addresses that the source system had for it: with an organization's own OAuth app or with the
 * gateway's. The vendor is a fake that was written from what GitHub publishes; the way out alone leads to it.
 */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser, PASSWORD } from '../../../packages/gateway/src/testing/people.ts'
import type * as guarded from '../../../packages/gateway/src/upstreams/http/guarded-fetch.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { formIn } from '../peers/people/oauth-person.ts'
import { until } from '../peers/until.ts'
import { createGitHub } from '../peers/vendors/code.ts'
import { CLIENT } from '../peers/vendors/vendor.ts'
import { startVendors, type Vendors } from '../peers/vendors/vendors.ts'

/** Where an address of a vendor's really is. */
const routes = vi.hoisted(() => ({ map: (address: string): string => address }))
vi.mock('../../../packages/gateway/src/upstreams/http/guarded-fetch.ts', async (original) => {
  const real = await original<typeof guarded>()
  return {
    ...real,
    createGuardedFetch(reach: guarded.GuardedFetchParts, limits: guarded.GuardedFetchLimits) {
      const send = real.createGuardedFetch({ ...reach, privateOrigins: 'any' }, limits)
      return (url: string, options: guarded.FetchOptions) => send(routes.map(url), options)
    },
  }
})

const GLOBAL = { id: 'Iv1.of-the-gateway', secret: 'of-the-gateway-0123456789' }
const Kept = z.object({ provider: z.string(), user_id: z.string().nullable(), connection_id: z.string().nullable() })
const parts = new AsyncDisposableStack()
const github = createGitHub()
let vendors: Vendors
let gateway: TestGateway
let admin: Ask
let browser: ReturnType<typeof createBrowser>
let ada: string

beforeAll(async () => {
  vendors = parts.use(await startVendors([github]))
  routes.map = vendors.map
  gateway = parts.use(
    await startTestGateway({
      settings: {
        TOOLWAY_PUBLIC_URL: 'https://gateway.example',
        GITHUB_CLIENT_ID: GLOBAL.id,
        GITHUB_CLIENT_SECRET: GLOBAL.secret,
      },
      others: [{ slug: 'other', name: 'Other', connections: [], toolsets: [], keys: [] }],
    }),
  )
  admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const { id: other } = (await admin('GET /api/v1/admin/tenants/other')).body as { id: never }
  const roles = [gateway.organization.id, other].map((id) => [id, 'tenant_member'] as const)
  ada = (await addPerson(gateway.db, { email: 'ada@example.com', roles })).id
  browser = createBrowser(gateway.address)
  await until('the gateway knows her', async () => {
    await browser.submit('/sign-in', { email: 'ada@example.com', password: PASSWORD }, { origin: PUBLIC })
    return (await browser.ask('/api/v1/auth/me')).status === 200
  })
  // Each organization is told of its members by itself.
  await until('both organizations know her', async () => {
    const begun = await Promise.all(['default', 'other'].map((organization) => begin(organization)))
    return begun.every(({ status }) => status === 303)
  })
})
afterAll(() => parts.disposeAsync())

const PUBLIC = 'https://gateway.example'
const here = (url: string) => url.replace(PUBLIC, '')

const begin = (organization: string) =>
  browser.ask(`/api/v1/oauth/${organization}/auth/github`, { headers: { accept: 'text/html' } })

/** From the address of an organization to the vendor's own. */
async function depart(organization: string): Promise<URL> {
  const begun = await begin(organization)
  expect(begun.status, await begun.clone().text()).toBe(303)
  const path = here(begun.headers.get('location') ?? '')
  const { action, fields } = formIn(await (await browser.ask(path)).text()) ?? { action: path, fields: {} }
  const html = await (await browser.submit(here(action), fields, { origin: PUBLIC })).text()
  return new URL((/content="0; url=([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&'))
}
const kept = () =>
  gateway.db.system((sql) => sql(Kept)`select provider, user_id, connection_id from credentials order by created_at`)

test("S3-OAU-03: an organization's own OAuth app is asked with before the gateway's, and is nobody else's", async () => {
  const appOf = async (organization: string) => (await depart(organization)).searchParams.get('client_id')
  expect([await appOf('default'), await appOf('other')]).toEqual([GLOBAL.id, GLOBAL.id])
  const app = { provider: 'github', client_id: CLIENT.id, client_secret: CLIENT.secret }
  expect((await admin('POST /api/v1/oauth/default/config', app)).status).toBe(200)
  expect([await appOf('default'), await appOf('other')]).toEqual([CLIENT.id, GLOBAL.id])
  const listed = async (organization: string) =>
    (await admin(`GET /api/v1/oauth/${organization}/config`)).body['total'] as number
  expect([await listed('default'), await listed('other')]).toEqual([1, 0])
})

test('S3-OAU-01, S3-OAU-02: the callback brings an account home, and says so at /oauth/success', async () => {
  const app = { provider: 'github', client_id: CLIENT.id, client_secret: CLIENT.secret }
  expect((await admin('POST /api/v1/oauth/default/config', app)).status).toBe(200)
  const there = await fetch(vendors.map((await depart('default')).href), { redirect: 'manual' })
  const back = new URL(there.headers.get('location') ?? '')
  expect(back.origin + back.pathname).toBe(`${PUBLIC}/api/v1/oauth/default/callback/github`)
  // The vendor takes no other secret than the shared account of the organization's own app.
  const done = await browser.ask(here(back.href), { headers: { 'sec-fetch-site': 'cross-site' } })
  expect([done.status, done.headers.get('location')]).toEqual([303, '/oauth/success?connected=github'])
  expect(await kept()).toEqual([{ provider: 'github', user_id: ada, connection_id: null }])
  expect(github.live.size).toBe(1)
  // It is of that organization alone.
  const listed = async (organization: string) =>
    (await admin(`GET /api/v1/oauth/${organization}/auth`)).body['items'] as unknown[]
  expect([(await listed('default')).length, (await listed('other')).length]).toEqual([1, 0])
  for (const token of github.live) expect((await admin('GET /api/v1/oauth/default/auth')).text).not.toContain(token)
})
