/**
 * A gateway with an OAuth app at every provider, all of whose vendors are fakes, and a person who sets out for one of them from the
 * gateway's own address. The way out has to lead to `vendors.map`.
 */
import { PROVIDERS } from '@toolway/contract'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../../../packages/gateway/src/testing/gateway.ts'
import { addPerson, createBrowser, PASSWORD } from '../../../../packages/gateway/src/testing/people.ts'
import { until } from '../until.ts'
import { FAKES } from '../vendors/fakes.ts'
import { CLIENT, registerRedirect } from '../vendors/vendor.ts'
import { startVendors, type Vendors } from '../vendors/vendors.ts'
import { addKey, createAsk } from './administrators.ts'
import { formIn } from './oauth-person.ts'

const PUBLIC = 'https://gateway.example'
const OAUTH = '/api/v1/oauth/default'
const Count = z.object({ count: z.int() })

type Browser = ReturnType<typeof createBrowser>

/** A person whom the vendor sends back. */
export interface Departed {
  readonly back: URL
  /** How often a vendor was asked for tokens since. */
  exchanges(): number
  /** Accounts that were kept since. */
  kept(): Promise<number>
}

export interface ProviderHome extends AsyncDisposable {
  readonly vendors: Vendors
  /** The person who sets out, another one who is signed in, and a browser without a sign-in. */
  readonly browser: Browser
  readonly stranger: Browser
  readonly nobody: Browser
  depart(provider: string): Promise<Departed>
  arrive(back: URL, by: Browser): Promise<{ readonly status: number; readonly location: string | null }>
}

export async function startProviderHome(): Promise<ProviderHome> {
  const parts = new AsyncDisposableStack()
  const vendors = parts.use(await startVendors(Object.values(FAKES).map((create) => create())))
  const gateway = parts.use(await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: PUBLIC } }))
  const admin = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  for (const { key: provider } of PROVIDERS) {
    registerRedirect(`${PUBLIC}${OAUTH}/callback/${provider}`)
    const app = { provider, client_id: CLIENT.id, client_secret: CLIENT.secret }
    const { status, text } = await admin(`POST ${OAUTH}/config`, app)
    if (status !== 200) throw new Error(`${provider}: ${text}`)
  }
  const [browser, stranger] = [await signedIn(gateway, 'ada'), await signedIn(gateway, 'bob')]
  return {
    ...{ vendors, browser, stranger, nobody: createBrowser(gateway.address) },
    async depart(provider) {
      const there = await fetch(vendors.map((await toVendor(browser, provider)).href), { redirect: 'manual' })
      const back = new URL(there.headers.get('location') ?? '')
      const [asked, before] = [vendors.asked.length, await countOf(gateway)]
      return {
        back,
        exchanges: () => vendors.asked.slice(asked).filter((one) => one.startsWith('POST ')).length,
        kept: async () => (await countOf(gateway)) - before,
      }
    },
    async arrive(back, by) {
      const { status, headers } = await by.ask(here(back.href), { headers: { 'sec-fetch-site': 'cross-site' } })
      return { status, location: headers.get('location') }
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

const here = (url: string) => url.replace(PUBLIC, '')

async function countOf({ db }: TestGateway): Promise<number> {
  const [row] = await db.system((sql) => sql(Count)`select count(*)::int as count from credentials`)
  return row?.count ?? 0
}

async function signedIn(gateway: TestGateway, name: string): Promise<Browser> {
  const email = `${name}@example.com`
  await addPerson(gateway.db, { email, roles: [[gateway.organization.id, 'tenant_member']] })
  const browser = createBrowser(gateway.address)
  await until(`the gateway knows ${name}`, async () => {
    await browser.submit('/sign-in', { email, password: PASSWORD }, { origin: PUBLIC })
    return (await begin(browser, 'github')).status === 303
  })
  return browser
}

const begin = (browser: Browser, provider: string) =>
  browser.ask(`${OAUTH}/auth/${provider}`, { headers: { accept: 'text/html' } })

/** From the gateway's address for a provider to the vendor's own. */
async function toVendor(browser: Browser, provider: string): Promise<URL> {
  const begun = await begin(browser, provider)
  if (begun.status !== 303) throw new Error(`${provider}: ${begun.status} ${await begun.text()}`)
  const path = here(begun.headers.get('location') ?? '')
  const { action, fields } = formIn(await (await browser.ask(path)).text()) ?? { action: path, fields: {} }
  const html = await (await browser.submit(here(action), fields, { origin: PUBLIC })).text()
  return new URL((/content="0; url=([^"]+)"/.exec(html)?.[1] ?? '').replaceAll('&amp;', '&'))
}
