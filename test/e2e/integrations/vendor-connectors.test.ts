/**
 * Every native connector behind a real gateway, at a double of its vendor that knows the vendor's own description: connected by the
 * vendor's own OAuth or a key, listed, called, paged, renewed and cut off, by an official client.
 */
// @module-tag long
import { PROVIDERS } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { CONNECTORS, type Json, type Tool, type Vendor as Connector } from '../../../packages/connectors/src/index.ts'
import { ROWS } from '../../../packages/connectors/src/rows.ts'
import { startTestGateway, type TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { addPerson } from '../../../packages/gateway/src/testing/people.ts'
import type * as agent from '../../../packages/gateway/src/upstreams/http/agent.ts'
import type * as guarded from '../../../packages/gateway/src/upstreams/http/guarded-fetch.ts'
import { descriptionsFolder } from '../../connectors/descriptions.ts'
import { answer, drive, wireOf } from '../../connectors/drive.ts'
import { carries, nextPage } from '../../connectors/next-pages.ts'
import { ask } from '../peers/clients/raw-client.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { createConnectingPerson } from '../peers/people/connecting-person.ts'
import { until } from '../peers/until.ts'
import { FAKES } from '../peers/vendors/fakes.ts'
import { createVendorApi, type VendorApi } from '../peers/vendors/vendor-api.ts'
import { CLIENT, registerRedirect, type Vendor } from '../peers/vendors/vendor.ts'
import { startVendors } from '../peers/vendors/vendors.ts'

/** Where an address of a vendor's is here. Connections name the vendor's own: its accounts are for no other. */
const routes = vi.hoisted(() => ({
  map: (address: string): string => address,
  /** Of a vendor's API: the double has the other hosts of one below its own. */
  api: (origin: string): string => origin,
}))
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

vi.mock('../../../packages/gateway/src/upstreams/http/agent.ts', async (original) => {
  const real = await original<typeof agent>()
  return {
    ...real,
    createPool(origin: string, options: agent.PoolOptions) {
      const to = new URL(routes.api(origin))
      const pool = real.createPool(to.origin, { ...options, allowPrivate: true })
      const under = to.pathname.replace(/\/$/, '')
      const send = pool.dispatch.bind(pool)
      pool.dispatch = (given, handler) => send({ ...given, path: `${under}${given.path}` }, handler)
      return pool
    },
  }
})

const folder = descriptionsFolder()
if (folder === undefined)
  process.stderr.write('\nSKIPPED: doubles of vendors need their descriptions (TOOLWAY_VENDORS).\n\n')

const PLACE = '/api/v1/admin/tenants/default/connectors'
const EMAIL = 'ada@example.com'
const KEY = 'key-0123456789abcdef'
const connectors = await Promise.all(Object.values(CONNECTORS).map(({ load }) => load()))
const TITLES: Readonly<Record<string, string>> = { linear: 'S3-CON-13: linear, by GraphQL with Relay paging' }
/** Connectors with tools that take files; the gateway's own tools for files are listed beside those. */
const TAKE_FILES: ReadonlySet<string> = new Set(['gmail', 'outlook', 'slack'])
const FILE_TOOLS = ['upload_file', 'download_file']
const reports = new Map<string, string[]>()

const familyOf = ({ id }: Connector) => PROVIDERS.find(({ connectors: of }) => of.includes(id))?.family ?? ''

/** A fake of the vendor's sign-in that can be made to forget. */
function forgetful(fake: Vendor): Vendor & { forgets: boolean } {
  return {
    live: fake.live,
    forgets: false,
    answer(asked) {
      if (!this.forgets || (asked.form.get('grant_type') ?? asked.json?.['grant_type']) !== 'refresh_token')
        return fake.answer(asked)
      const form = new URLSearchParams(asked.form)
      if (form.has('refresh_token')) form.set('refresh_token', 'made-up')
      const json = asked.json === undefined ? undefined : { ...asked.json, refresh_token: 'made-up' }
      return fake.answer({ ...asked, form, json })
    },
  }
}

describe.skipIf(folder === undefined)('connectors at doubles of their vendors', () => {
  const parts = new AsyncDisposableStack()
  let gateway: TestGateway
  let platform: Ask

  beforeAll(async () => {
    const families = new Set(connectors.map(familyOf))
    const settings = Object.fromEntries(
      [...families].flatMap((family) => [
        [`${family.toUpperCase()}_CLIENT_ID`, CLIENT.id],
        [`${family.toUpperCase()}_CLIENT_SECRET`, CLIENT.secret],
      ]),
    ) as Record<string, string>
    gateway = parts.use(await startTestGateway({ settings }))
    platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    await addPerson(gateway.db, { email: EMAIL, roles: [[gateway.organization.id, 'tenant_admin']] })
    registerRedirect(`${gateway.address}/oauth/callback`)
  }, 60_000)
  afterAll(async () => {
    await parts.disposeAsync()
    const lines = [...reports].map(([id, steps]) => `${id.padEnd(14)} ${steps.join(', ')}`)
    process.stdout.write(`\n${lines.length} connectors at their doubles:\n${lines.join('\n')}\n`)
  })

  const peer = (id: string) => ({ url: gateway.connectionUrl(id), key: gateway.key, era: 'modern' as const })
  const call = async (id: string, name: string, given: Json) =>
    (await ask(peer(id), 'tools/call', { name, arguments: given })).answer

  test.each(connectors.map((connector) => [TITLES[connector.id] ?? connector.id, connector] as const))(
    '%s',
    async (_, connector) => {
      const { id } = connector
      const done: string[] = []
      reports.set(id, done)
      const isKeyed = 'key' in connector.auth
      const fake = forgetful(FAKES[familyOf(connector)]?.() ?? { live: new Set(), answer: () => undefined })
      const live = isKeyed ? new Set([KEY]) : (fake.live as Set<string>)
      const api = createVendorApi(folder ?? '', connector, (token) => live.has(token))
      await using doubles = await startVendors([api, fake])
      routes.map = (address) => (address.startsWith('https:') ? doubles.map(address) : address)
      const { address = '' } = CONNECTORS[id] ?? {}
      routes.api = (origin) => routes.map(origin === address ? address : origin.replace('https://', `${address}/`))

      await connect(connector, { api, isKeyed })
      done.push(isKeyed ? 'key' : 'OAuth')

      const { answer: listed } = await ask(peer(id), 'tools/list')
      const names = ((listed.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
      const own = [...connector.tools.keys()]
      expect(names.toSorted()).toEqual([...own, ...(TAKE_FILES.has(id) ? FILE_TOOLS : [])].toSorted())
      done.push(`${own.length} tools`)

      const [name, tool] = listing(connector)
      const given = { ...ROWS[id]?.place, ...ROWS[id]?.tools[name.slice(id.length + 1)]?.[0]?.[0] }
      const walked = await walk(api, { id, name, tool, given })
      done.push(`${walked} pages of ${name}`)

      if (!isKeyed) {
        const [before] = live
        live.clear()
        const renewed = await call(id, name, given)
        expect(renewed.result, JSON.stringify(renewed)).toMatchObject({ structuredContent: expect.anything() })
        expect([live.size, live.has(before ?? '')]).toEqual([1, false])
        done.push('renewed')
      }
      fake.forgets = true
      live.clear()
      const cut = await call(id, name, given)
      // A token of seconds ago may not be known everywhere yet: a person is asked only if it lasts (call-credentials.test.ts).
      const fault = isKeyed
        ? { code: 'NEEDS_AUTH', fault: 'credential.needed', connect_url: expect.stringContaining('/connect/') }
        : { code: 'UNAVAILABLE', fault: 'credential.busy' }
      expect(cut.result).toMatchObject({ isError: true, _meta: { 'dev.toolway/fault': fault } })
      done.push('cut off')
      expect(api.problems).toEqual([])
      await platform(`DELETE ${PLACE}/${id}`)
    },
  )

  async function connect(connector: Connector, { isKeyed, api }: At): Promise<void> {
    const { id } = connector
    const made = await platform(`POST ${PLACE}`, {
      alias: id,
      connector: 'native',
      native: { vendor: id },
    })
    expect(made.status, made.text).toBe(201)
    const count = connector.tools.size + (TAKE_FILES.has(id) ? FILE_TOOLS.length : 0)
    await until('its tools are read', async () => {
      const { answer: listed } = await ask(peer(id), 'tools/list')
      return ((listed.result?.['tools'] ?? []) as unknown[]).length === count
    })
    if (isKeyed) {
      const kept = await platform(`POST ${PLACE}/${id}/accounts`, { key: KEY, check: true, owner: 'organization' })
      expect(kept.status, `${kept.text} ${api.problems.join()}`).toBe(201)
      return
    }
    const link = await platform(`POST ${PLACE}/${id}/link`, { owner: 'organization' })
    expect(link.status, link.text).toBe(200)
    const person = createConnectingPerson(gateway.address, { email: EMAIL, route: routes.map })
    const last = await person.open(String(link.body['url']))
    expect(last.status, last.html).toBe(200)
    await until(`${id} has an account`, async () => {
      const { body } = await platform(`GET ${PLACE}/${id}/accounts`)
      return (body['items'] as unknown[] | undefined)?.length === 1
    })
  }

  /** A read that has pages, or one at least. */
  function listing({ tools }: Connector): readonly [string, Tool] {
    const reads = [...tools].filter(([, { effect, unsupported }]) => effect === 'read' && unsupported === undefined)
    const found = reads.find(([, { paging }]) => paging !== undefined) ?? reads[0]
    if (found === undefined) throw new Error('no tool reads')
    return found
  }

  async function walk(api: VendorApi, { id, name, tool, given }: Walking): Promise<number> {
    const { paging } = tool
    const asked = drive(tool, given, () => answer({})).requests.at(-1)
    if (asked === undefined) throw new Error(`${name} asks nothing`)
    const { pathname } = wireOf(asked).url
    if (paging !== undefined) {
      const page = nextPage(paging, asked.base.replaceAll(/\{[^{}]+\}/g, 'c1'))
      const { status, headers, body } = page.answer
      const said = { status, headers, json: numbered(body) }
      api.next = { path: pathname, said }
      const first = await call(id, name, given)
      api.next = undefined
      const cursor = (first.result?.['structuredContent'] as Json | undefined)?.['next_cursor']
      expect(cursor, JSON.stringify(first)).toBeTypeOf('string')
      await second(String(cursor), numbered(page.values) as Json)
      return 2
    }
    const only = await call(id, name, given)
    expect(only.result, JSON.stringify(only)).toMatchObject({ structuredContent: expect.anything() })
    return 1

    async function second(cursor: string, values: Json): Promise<void> {
      const before = api.served.length
      const { result } = await call(id, name, { ...given, cursor })
      expect(result, JSON.stringify(result)).toMatchObject({ structuredContent: { items: expect.any(Array) } })
      // A check of the new account may read the same page list meanwhile.
      const sent = api.served.slice(before).filter(({ url }) => url.pathname === pathname)
      const hasCursor = sent.some(
        ({ url, body }) => carries(Object.fromEntries(url.searchParams), values) || carries(body, values),
      )
      expect(hasCursor).toBe(true)
    }
  }
})

/** Some vendors take nothing but numbers for cursors. */
const numbered = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null).replaceAll('next-1', '1234567890'))

interface At {
  readonly api: VendorApi
  readonly isKeyed: boolean
}

interface Walking {
  readonly id: string
  readonly name: string
  readonly tool: Tool
  readonly given: Json
}
