/** Keys and the clients that signed in, as a member and as those who look after them see them. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { PASSWORD } from '../../packages/gateway/src/testing/people.ts'
import { connectClient } from '../e2e/peers/clients/client.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway, type Person } from './support/console.ts'
import { look } from './support/look.ts'

const BEN: Person = { email: 'ben@example.com', role: 'tenant_member' }

// Pictures are taken on machines that may be busy with other things.
describe.skipIf(NO_BROWSER)('keys', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let ada: WatchedPage
  let ben: WatchedPage
  beforeAll(async () => {
    console = parts.use(await startConsole())
    ada = parts.use(await console.open(ADA))
    ben = parts.use(await console.open(BEN))
  })
  afterAll(() => parts.disposeAsync())

  const gatewayTakes = async (key: string): Promise<boolean> => {
    const headers = { authorization: `Bearer ${key}` }
    const { status } = await fetch(`${console.gateway.address}/api/v1/auth/me`, { headers })
    return status === 200
  }
  const recorded = (action: string) =>
    console.gateway.db.system(
      (sql) =>
        sql(z.object({ outcome: z.string() }))`select outcome from records where method = ${action} order by seq`,
    )
  const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

  test('S0-AUT-16: the personal key is masked, shown again for the password, on record, and made anew', async () => {
    const { page } = ben
    await page.goto('/keys')
    await page.getByRole('button', { name: 'Create your personal key' }).click()
    expect(await page.getByRole('tab').allInnerTexts()).toEqual(['Yours', 'Authorized clients'])
    const first = await page.getByRole('region', { name: 'The key' }).innerText()
    expect(await gatewayTakes(first)).toBe(true)

    await page.reload()
    await page.getByText(first.slice(0, 8)).waitFor()
    expect(await page.content()).not.toContain(first)
    await page.getByRole('button', { name: 'Show the key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Show your personal key' })
    await dialog.getByLabel(/^Password/).fill('not the one')
    await dialog.getByRole('button', { name: 'Show the key' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel(/^Password/).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Show the key' }).click()
    expect(await page.getByRole('region', { name: 'The key' }).innerText()).toBe(first)
    expect((await recorded('key.reveal')).map(({ outcome }) => outcome)).toEqual(['refused', 'ok'])

    await page.getByRole('button', { name: 'Regenerate' }).click()
    await page.getByRole('dialog').getByText('The old key stops working immediately').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Regenerate' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await expect.poll(() => page.getByRole('region', { name: 'The key' }).innerText()).not.toBe(first)
    const second = await page.getByRole('region', { name: 'The key' }).innerText()
    expect([await gatewayTakes(first), await gatewayTakes(second)]).toEqual([false, true])
    await look(page, 'keys-mine')
  })

  test('an administrator makes a key of the organization, sees which client uses it, and removes it', async () => {
    const { page } = ada
    await page.goto('/keys?tab=organization')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create an organization key' })
    await dialog.getByLabel('Name').fill('nightly job')
    await dialog.getByText('Read only').click()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const key = await dialog.getByRole('region', { name: 'nightly job' }).innerText()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await row(page, 'nightly job').getByText('Never').waitFor()
    {
      await using client = await connectClient({ kind: 'SDK 1', url: console.gateway.url, key })
      await client.tools()
    }
    await row(page, 'nightly job').getByText('from e2e').waitFor()
    await look(page, 'keys-organization')

    await page.getByRole('button', { name: 'Remove the key nightly job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row(page, 'nightly job').waitFor({ state: 'detached' })
    expect(await gatewayTakes(key)).toBe(false)
  })

  test(
    'a key is bound to a toolset and ends on a day of choice, and the list says both exactly',
    { tags: 'long' },
    async () => {
      const { page } = ada
      await page.goto('/keys?tab=organization')
      const dialog = page.getByRole('dialog', { name: 'Create an organization key' })
      const make = async (name: string) => {
        await dialog.getByRole('button', { name: 'Create key' }).click()
        const key = await dialog.getByRole('region', { name }).innerText()
        await dialog.getByRole('button', { name: 'Done' }).click()
        return key
      }
      await page.getByRole('button', { name: 'Create key' }).click()
      await dialog.getByLabel('Name').fill('by days')
      await make('by days')
      await row(page, 'by days').getByText('in 90 days').waitFor()

      await page.getByRole('button', { name: 'Create key' }).click()
      await dialog.getByLabel('Name').fill('bound')
      await dialog.getByRole('combobox', { name: 'Expires' }).click()
      await page.getByRole('option', { name: 'On a date' }).click()
      await dialog.getByLabel('Last day').fill('2099-02-20')
      await dialog.getByRole('combobox', { name: 'Toolset' }).click()
      await page.getByRole('option', { name: '(read-only)' }).click()
      await look(page, 'keys-make')
      const key = await make('bound')
      await row(page, 'bound').getByText('toolset read-only').waitFor()
      await row(page, 'bound').getByText('Feb 20, 2099').waitFor()
      const at = (toolset: string) =>
        fetch(`${console.gateway.address}/o/default/t/${toolset}/rest/tools`, {
          headers: { authorization: `Bearer ${key}` },
        })
      expect([(await at('read-only')).status, (await at('standard')).status]).toEqual([200, 404])
    },
  )

  test('clients that signed in are ended by who let them in, and by administrators', { tags: 'long' }, async () => {
    await allow(console, 'Cursor', 'fam_one')
    await allow(console, 'Claude', 'fam_two')
    const { page: own } = ben
    await own.goto('/keys?tab=clients')
    await row(own, 'Claude').waitFor()
    await own.getByRole('button', { name: 'Revoke access for Cursor' }).click()
    await own.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row(own, 'Cursor').waitFor({ state: 'detached' })

    const { page } = ada
    await page.goto('/keys?tab=clients')
    await page.getByText('No client has signed in yet').waitFor()
    await page.getByText('All members').click()
    await page.waitForURL(/whose=all/)
    await row(page, 'Claude').getByText(BEN.email).waitFor()
    await look(page, 'keys-clients')
    await page.getByRole('button', { name: 'Revoke access for Claude' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row(page, 'Claude').waitFor({ state: 'detached' })
  })

  test('the platform has keys and clients of its own; a client’s secret is shown once', { tags: 'long' }, async () => {
    const { page } = ada
    await page.goto('/keys?tab=platform')
    await page.getByRole('button', { name: 'Create platform key' }).click()
    await page.getByLabel('Name').fill('operator')
    await page.getByRole('button', { name: 'Create key' }).click()
    expect(await page.getByRole('region', { name: 'operator' }).innerText()).toMatch(/^smcp_pa_/)
    await page.getByRole('button', { name: 'Done' }).click()
    await row(page, 'operator').getByText('Platform', { exact: true }).waitFor()

    await page.getByRole('tab', { name: 'Registered clients' }).click()
    await page.getByRole('button', { name: 'Add a client' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a client' })
    await dialog.getByLabel('Name').fill('Our chat')
    await dialog.getByLabel('Redirect URLs').fill('https://chat.example.com/callback')
    await dialog.getByRole('button', { name: 'Add client' }).click()
    const secret = await dialog.getByRole('region', { name: 'Client secret' }).innerText()
    expect(await dialog.getByRole('region', { name: 'Client ID' }).innerText()).toMatch(/^client_/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await row(page, 'Our chat').waitFor()
    expect(await page.content()).not.toContain(secret)
    await look(page, 'keys-registered')
    await page.getByRole('button', { name: 'Remove the client Our chat' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No registered clients').waitFor()
  })
})

/** Ben let a client in. */
async function allow({ gateway }: ConsoleGateway, name: string, id: string): Promise<void> {
  const resource = `${gateway.address}/mcp`
  await gateway.db.system(
    (sql) => sql(z.object({}))`
      with entered as (
        insert into sign_ins (id, user_id, client, expires_at)
        select ${id}, id, ${name}, now() + interval '1 day' from users where email = ${BEN.email} returning id, user_id)
      insert into oauth_grants (id, organization_id, user_id, client_id, client_name, client_host, resource, effect_limit, epoch)
      select id, ${gateway.organization.id}, user_id, ${`client_${name}`}, ${name}, 'localhost', ${resource}, 'read', 0 from entered`,
  )
}
