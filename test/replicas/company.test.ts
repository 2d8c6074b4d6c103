/**
 * Two companies on one installation of two gateways: each brings its people by a provider of its own, and all that an administrator or
 * a member does is done in a real browser. The leaver's provider speaks SCIM, as providers do.
 */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, askAdmin, PASSWORD } from '../../packages/gateway/src/testing/people.ts'
import { buildSamlProviderOfGo } from '../../tools/counterparts.ts'
import { NO_BROWSER, openPage } from '../console/support/browser.ts'
import { ensureBuilt } from '../console/support/console.ts'
import { ask, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { CLIENT, startIdentityProvider } from '../e2e/peers/people/identity-provider.ts'
import { startSamlProviderOfGo } from '../e2e/peers/people/saml-go-provider.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { until } from '../e2e/peers/until.ts'
import { createScim, GROUP, patch, USER } from '../e2e/scim/scim-client.ts'
import { IS_SHORT } from '../setup/form.ts'
import { startCluster, type Cluster } from './cluster.ts'

const LEDGER = '/o/acme/t/ledger'
const ADMIN = 'admin@example.com'
const ADA = { sub: 'ada', email: 'ada@acme.example', email_verified: true, name: 'Ada' }
const BEN = { sub: 'ben', email: 'ben@acme.example', email_verified: true, name: 'Ben' }
// Built by nobody whose tests leave this file out.
const go = IS_SHORT ? { lacking: 'it is for the long form' } : buildSamlProviderOfGo()

async function addProvider(page: Page, fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void>) {
  await page.getByRole('button', { name: 'Add an identity provider' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an identity provider' })
  await fill(dialog)
  await dialog.getByLabel('The provider is in a private network').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

async function choose(page: Page, name: string, act: string) {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: act }).click()
}

/** The address to enter at the provider. */
async function readAddress(page: Page, provider: string, label: string): Promise<string> {
  await choose(page, provider, 'Addresses for the provider')
  const dialog = page.getByRole('dialog', { name: 'Addresses for the provider' })
  const text = await dialog.getByRole('region', { name: label }).innerText()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  return text.trim()
}

/** The organization's own page, the way through its provider, and the console. */
async function signIn(page: Page, organization: string, provider: string) {
  await page.goto(`/o/${organization}/sign-in`)
  await page.getByRole('link', { name: `Sign in with ${provider}` }).click()
  await page.waitForURL(new RegExp(`/o/${organization}(/|$|\\?)`))
}

/** A key that a member makes in the console. */
async function makeKey(page: Page, organization: string): Promise<string> {
  await page.goto(`/o/${organization}/keys`)
  await page.getByRole('button', { name: 'Create key' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('laptop')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  return (await dialog.getByRole('region', { name: 'laptop' }).innerText()).trim()
}

const peerAt = (address: string, place: string, key: string): RawPeer => ({
  url: `${address}${place}/mcp`,
  key,
  era: 'modern',
})

/** The names of the tools there, undefined where the caller sees nothing. */
async function namesAt(peer: RawPeer): Promise<readonly string[] | undefined> {
  const { answer } = await ask(peer, 'tools/list')
  const tools = answer.result?.['tools'] as { name: string }[] | undefined
  return tools?.map(({ name }) => name).toSorted()
}

describe.skipIf(NO_BROWSER || 'lacking' in go)('C-ID-14: two companies on two gateways', () => {
  const parts = new AsyncDisposableStack()
  let cluster: Cluster
  let admin: Page
  beforeAll(async () => {
    await ensureBuilt()
    const effects = parts.use(await startEffects())
    const connections = { books: { url: effects.url, trusted: true } }
    const declared = { organizations: { acme: { connections }, globex: { connections } } }
    cluster = parts.use(await startCluster({ gateways: 2, redis: true, declared }))
    await addPerson(cluster.db, { email: ADMIN, platformAdmin: true })
    const login = { body: { email: ADMIN, password: PASSWORD } }
    for (const { address } of cluster.members)
      await until('each gateway knows the administrator', async () => {
        return (await askAdmin(address, 'POST /auth/login', login)).status === 200
      })
    const opened = parts.use(await openPage(cluster.address))
    admin = opened.page
    await admin.goto('/sign-in')
    await admin.getByLabel('Email').fill(ADMIN)
    await admin.getByLabel('Password').fill(PASSWORD)
    await admin.getByRole('button', { name: 'Sign in', exact: true }).click()
    await admin.waitForURL(/\/$|\/o\//)
  })
  afterAll(() => parts.disposeAsync())

  test('acme signs in by OpenID Connect: group, toolset, rule, and a leaver', async () => {
    const provider = parts.use(await startIdentityProvider([`${cluster.address}/unused`]))
    await admin.goto('/o/acme/settings?tab=signIn')
    await addProvider(admin, async (dialog) => {
      await dialog.getByLabel('Name').fill('Acme ID')
      await dialog.getByLabel('Issuer address').fill(provider.address)
      await dialog.getByLabel('Client ID').fill(CLIENT.id)
      await dialog.getByLabel('Client secret').fill(CLIENT.secret)
    })
    provider.allow(await readAddress(admin, 'Acme ID', 'Redirect address'))
    provider.is(ADA)
    const [trial] = await Promise.all([
      admin.context().waitForEvent('page'),
      choose(admin, 'Acme ID', 'Try the sign-in'),
    ])
    await trial.getByText(ADA.email).first().waitFor()
    await trial.close()
    await choose(admin, 'Acme ID', 'Turn on')
    await admin.getByText('Identity provider turned on').waitFor()
    await admin.getByRole('button', { name: 'Add a domain' }).click()
    await admin.getByRole('dialog').getByLabel('Domain').fill('acme.example')
    await admin.getByRole('dialog').getByRole('button', { name: 'Add a domain' }).click()
    await admin.getByRole('button', { name: 'Vouch for it' }).click()
    await admin.getByText('Vouched for by the platform').waitFor()
    await admin.getByRole('button', { name: 'Create a SCIM token' }).click()
    await admin.getByRole('dialog').getByLabel('Name').fill('Acme ID')
    await admin.getByRole('dialog').getByRole('button', { name: 'Create a SCIM token' }).click()
    const token = await admin
      .getByRole('dialog')
      .getByText(/^twscim_/)
      .innerText()
    await admin.getByRole('dialog').getByRole('button', { name: 'I have saved the secret' }).click()

    // The provider brings its people and a group before anybody signs in.
    const scim = createScim(cluster.address, 'acme', token)
    const bring = async ({ email, name }: typeof ADA) => {
      const made = await scim('POST /Users', { schemas: [USER], userName: email, displayName: name, active: true })
      expect(made.status, made.text).toBe(201)
      return String(made.body['id'])
    }
    const ada = await bring(ADA)
    await bring(BEN)
    const group = { schemas: [GROUP], displayName: 'Finance', members: [{ value: ada }] }
    expect((await scim('POST /Groups', group)).status).toBe(201)

    await admin.goto('/o/acme/toolsets')
    await admin.getByRole('button', { name: 'New toolset' }).click()
    await admin.getByLabel('Title').fill('Ledger')
    await admin.getByRole('button', { name: 'Create toolset' }).click()
    await admin.waitForURL(/\/toolsets\/ledger/)
    await admin.getByRole('tab', { name: 'Access' }).click()
    await admin.getByRole('switch', { name: /everyone in the organization/ }).uncheck({ force: true })
    await admin.getByRole('combobox', { name: 'Groups' }).fill('fin')
    await admin.getByRole('option', { name: /Finance/ }).click()
    await admin.getByRole('button', { name: 'Save' }).click()
    await admin.getByText('Ledger saved').waitFor()
    await admin.goto('/o/acme/rules')
    await admin.getByRole('link', { name: 'Block destructive tools' }).click()
    await admin.getByRole('checkbox', { name: 'Writes', exact: true }).check()
    await admin.getByLabel('Condition', { exact: true }).fill("'finance' in principal.groups")
    await admin.getByLabel('Reason').fill('Finance changes nothing')
    await admin.getByLabel('Name').fill('finance-keeps')
    await admin.getByRole('button', { name: 'Save and turn on' }).click()
    await admin.getByRole('heading', { name: 'finance-keeps', level: 1 }).waitFor()

    const arrive = async (person: typeof ADA) => {
      provider.is(person)
      const { page } = parts.use(await openPage(cluster.address))
      await signIn(page, 'acme', 'Acme ID')
      return { page, key: await makeKey(page, 'acme') }
    }
    const [hers, his] = [await arrive(ADA), await arrive(BEN)]
    const everywhere = await Promise.all(
      cluster.members.map(async ({ address }) => ({
        ledger: await namesAt(peerAt(address, LEDGER, hers.key)),
        his: await namesAt(peerAt(address, LEDGER, his.key)),
        all: await namesAt(peerAt(address, '', his.key)),
      })),
    )
    const finance = ['books__list_all', 'books__look_up']
    const all = [...finance, 'books__write_note']
    expect(everywhere).toEqual(cluster.members.map(() => ({ ledger: finance, his: undefined, all })))

    // Her provider says that she has left.
    const cookie = (await hers.page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    const begun = performance.now()
    expect((await scim(`PATCH /Users/${ada}`, patch({ op: 'Replace', path: 'active', value: 'False' }))).status).toBe(
      200,
    )
    const took = await Promise.all(
      cluster.members.flatMap(({ address }) =>
        [
          until(
            'her key is refused',
            async () => (await ask(peerAt(address, '', hers.key), 'tools/list')).status !== 200,
          ),
          until(
            'her console is closed',
            async () =>
              (await fetch(`${address}/api/v1/admin/tenants/acme/toolsets`, { headers: { cookie } })).status >= 401,
          ),
        ].map(async (end) => end.then(() => Math.round(performance.now() - begun))),
      ),
    )
    process.stderr.write(`a leaver is gone from two gateways after (key, console) ${took.join(', ')} ms\n`)
    expect(Math.max(...took)).toBeLessThan(5_000)
    expect(await namesAt(peerAt(cluster.address, '', his.key))).toEqual(all)
    provider.is(ADA)
    await hers.page.context().clearCookies()
    await hers.page.goto('/o/acme/sign-in')
    await hers.page.getByRole('link', { name: 'Sign in with Acme ID' }).click()
    await hers.page.getByText('your membership in this organization is suspended').waitFor()
  })

  test('globex signs in by SAML, and neither company sees the other', async () => {
    if ('lacking' in go) throw new Error(go.lacking)
    const provider = parts.use(await startSamlProviderOfGo(go.program))
    await admin.goto('/o/globex/people?tab=groups')
    await admin.getByRole('button', { name: 'New group' }).first().click()
    await admin.getByLabel('Title').fill('Finance')
    await admin.getByRole('button', { name: 'Create group' }).click()
    await admin.getByRole('table', { name: 'Groups' }).getByText('Finance', { exact: true }).waitFor()
    await admin.goto('/o/globex/settings?tab=signIn')
    const metadata = await provider.metadata()
    await addProvider(admin, async (dialog) => {
      await dialog.getByRole('combobox', { name: 'Provider', exact: true }).click()
      await admin.getByRole('option', { name: 'SAML 2.0' }).click()
      await dialog.getByLabel('Name').fill('Globex ID')
      await dialog.getByLabel('Metadata of the provider').fill(metadata)
      await dialog.getByRole('combobox', { name: 'Email addresses' }).click()
      await admin.getByRole('option', { name: 'Always' }).click()
      await dialog.getByLabel('Claims with groups').fill('eduPersonAffiliation')
      await dialog.getByRole('button', { name: 'Add a group' }).click()
      await dialog.getByRole('textbox', { name: 'Group at the provider' }).fill('money')
      await dialog.getByRole('combobox', { name: 'Role' }).click()
      await admin.getByRole('option', { name: 'Member', exact: true }).click()
      await dialog.getByRole('textbox', { name: 'Groups here' }).fill('finance')
    })
    const entityId = await readAddress(admin, 'Globex ID', 'Entity ID (audience), and address of our metadata')
    await provider.enter(await (await fetch(entityId)).text())
    await choose(admin, 'Globex ID', 'Turn on')
    await admin.getByText('Identity provider turned on').waitFor()

    await provider.is({
      NameID: 'grace-1',
      NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      UserEmail: 'grace@globex.example',
      UserCommonName: 'Grace',
      Groups: ['money'],
    })
    const { page } = parts.use(await openPage(cluster.address))
    await signIn(page, 'globex', 'Globex ID')
    const key = await makeKey(page, 'globex')
    expect(await namesAt(peerAt(cluster.address, '', key))).toHaveLength(3)
    expect(await namesAt(peerAt(cluster.address, LEDGER, key))).toBeUndefined()
    const answers = await Promise.all(
      ['nowhere', 'acme'].map(async (slug) => {
        const answer = await page.request.get(`/api/v1/admin/tenants/${slug}/toolsets`)
        const { correlation_id: _, ...body } = (await answer.json()) as Record<string, unknown>
        return [answer.status(), body]
      }),
    )
    expect(answers[1]).toEqual(answers[0])
    await admin.goto('/o/globex/people')
    await admin.getByText('grace@globex.example').waitFor()
    expect(await admin.getByText(/acme\.example/).count()).toBe(0)
  })
})
