/** The list of connections, as people use it: real servers, a real authorization server, a real browser. */
// @module-tag long
import { finishOAuth } from '@toolway/contract/admin'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ICON_PATHS } from '../../packages/console/src/ui/icon-paths.ts'
import { startAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected, type ProtectedServer } from '../e2e/peers/authorities/protected-server.ts'
import { putConnection, removeFrom } from '../e2e/peers/connections.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { until } from '../e2e/peers/until.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const EVE = { email: 'eve@example.com', role: 'tenant_viewer' } as const

describe.skipIf(NO_BROWSER)('the list of connections', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let effects: EffectsServer
  let guarded: ProtectedServer
  let ada: WatchedPage
  let page: Page
  beforeAll(async () => {
    const authority = parts.use(await startAuthority('registers'))
    guarded = parts.use(await startProtected(authority))
    effects = parts.use(await startEffects())
    const http = (url: string, more: object = {}) => ({ kind: 'http' as const, url, headers: {}, ...more })
    console = parts.use(
      await startConsole({
        connections: [
          { alias: 'off', title: 'Switched off', enabled: false, wire: http('https://off.example.com/mcp') },
        ],
      }),
    )
    const nobody = http('http://127.0.0.1:9/mcp', { headers: { authorization: 'Bearer of-the-organization' } })
    await putConnection(console.gateway, { alias: 'away', title: 'Away', wire: nobody })
    await putConnection(console.gateway, { alias: 'docs', title: 'Docs', wire: http(guarded.url, OAUTH) })
    await putConnection(console.gateway, { alias: 'effects', title: 'Effects', wire: http(effects.url) })
    await console.gateway.settled('effects')
    await console.gateway.settled('docs')
    await console.gateway.settled('away')
    ada = parts.use(await console.open(ADA))
    ;({ page } = ada)
  })
  afterAll(() => parts.disposeAsync())

  const card = (title: string, on = page) =>
    on.getByRole('listitem').filter({ has: on.getByRole('link', { name: title, exact: true }) })

  test('S2-UI-06: a card says letter, name, way in, address, how it is, tools, and what went wrong', async () => {
    await page.goto('/settings/integrations')
    await card('Effects').getByText('Connected · 4 tools').waitFor()
    // Where a sign-in at a server leads back to; the menu knows whose screen it is.
    expect(await page.getByRole('navigation').locator('[aria-current=page]').innerText()).toContain('Connections')
    const shown: [title: string, badge: string, place: string, state: string, sign: string][] = [
      ['Effects', 'No authentication', effects.url, 'Connected · 4 tools', 'green check'],
      ['Docs', 'OAuth', guarded.url, 'Needs an account', 'grey cross'],
      ['Away', 'API key', 'http://127.0.0.1:9/mcp', 'Failing', 'red cross'],
      ['Switched off', 'No authentication', 'https://off.example.com/mcp', 'Off', 'grey cross'],
    ]
    for (const [title, badge, place, state, sign] of shown) {
      const one = card(title)
      const letter = one.locator('.letter')
      expect(await letter.allInnerTexts(), title).toEqual([
        title
          .split(' ')
          .map((word) => word.slice(0, 1).toUpperCase())
          .join(''),
      ])
      expect(await hueOf(letter), `${title}: its letter is coloured`).not.toBe('grey')
      expect(await one.locator('.mantine-Badge-label').allInnerTexts(), title).toEqual([badge])
      await one.getByText(place, { exact: true }).waitFor()
      const words = one.getByText(state, { exact: true })
      const drawn = words.locator('xpath=..').locator('svg')
      const kind = KINDS[(await drawn.locator('path').getAttribute('d')) ?? '']
      expect(`${await hueOf(drawn)} ${kind}`, title).toBe(sign)
    }
    // The last error is shown on the card of the failed connection, and on no other.
    const wrong = page.getByRole('listitem').filter({ hasText: 'is not available' })
    expect(await wrong.getByRole('heading').allInnerTexts()).toEqual(['Away'])
    await look(page, 'connections')
  })

  test(
    'there are more of than a page holds, and all of them can be reached as cards, with their number',
    { tags: 'long' },
    async () => {
      const names = Array.from({ length: 70 }, (_, at) => `many${String(at).padStart(2, '0')}`)
      const wire = { kind: 'http' as const, url: 'https://many.example.com/mcp', headers: {} }
      for (const alias of names) await putConnection(console.gateway, { alias, title: alias, enabled: false, wire })
      await until('the gateway knows them all', async () => {
        const answer = await page.request.get('/api/v1/admin/tenants/default/connectors?search=many')
        return ((await answer.json()) as { total: number }).total === names.length
      })
      await page.goto('/connections?search=many')
      await page.getByText('1 to 60 of 70').waitFor()
      expect(await page.getByRole('listitem').count()).toBe(60)
      expect(await card('many69').count()).toBe(0)
      await page.getByRole('button', { name: 'Next page' }).click()
      await card('many69').waitFor()
      await page.getByText('61 to 70 of 70').waitFor()
      await look(page, 'connections-second-page')
      await page.goBack()
      await card('many00').waitFor()
      for (const alias of names) await removeFrom(console.gateway, alias)
    },
  )

  test('what is looked for is in the address, as cards or as a table', async () => {
    await page.getByLabel('Search by name').fill('off')
    await page.waitForURL(/search=off/)
    await card('Effects').waitFor({ state: 'detached' })
    await page.getByText('Table', { exact: true }).click()
    await page.getByRole('table', { name: 'Connections' }).getByRole('link', { name: 'Switched off' }).waitFor()
    await page.goto('/connections?view=table')
    await page.getByRole('row', { name: /Effects/ }).waitFor()
    await page.goto('/connections?search=nobody')
    await page.getByText('No connections match').waitFor()
  })

  test('S2-UI-07: a connection is tested, switched off and on, and deleted once that is confirmed', async () => {
    await page.goto('/connections')
    await page.getByRole('button', { name: 'Test Effects' }).click()
    await page.getByText('Effects responds and has 4 tools.').waitFor()
    await page.getByRole('button', { name: 'Test Away' }).click()
    await page.getByRole('alert').getByText('Failed while opening the connection').waitFor()
    await page.getByRole('alert').getByRole('button', { name: 'Copy error report' }).waitFor()

    const choose = async (title: string, action: string) => {
      await page.getByRole('button', { name: `More actions for ${title}` }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await choose('Effects', 'Turn off')
    await card('Effects').getByText('Off', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await card('Effects').getByText('Connected · 4 tools').waitFor()
    await choose('Effects', 'Turn off')
    await card('Effects').getByText('Off', { exact: true }).waitFor()
    await choose('Effects', 'Turn on')
    await card('Effects').getByText('Connected · 4 tools').waitFor()

    const deleted: string[] = []
    page.on('request', (request) => void (request.method() === 'DELETE' && deleted.push(request.url())))
    await choose('Away', 'Delete')
    const asked = page.getByRole('dialog', { name: 'Delete Away?' })
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await asked.waitFor({ state: 'hidden' })
    await card('Away').waitFor()
    await choose('Away', 'Delete')
    await asked.waitFor()
    expect(deleted).toEqual([])
    await asked.getByRole('button', { name: 'Delete' }).click()
    await card('Away').waitFor({ state: 'detached' })
    expect(deleted.map((url) => new URL(url).pathname)).toEqual([expect.stringMatching(/\/away$/)])
  })

  test('S2-UI-08: the list is asked for on entry and after each change, and a second tab sees it by an event', async () => {
    const second = await ada.context.newPage()
    await second.goto('/connections')
    await card('Effects', second).waitFor()
    await putConnection(console.gateway, {
      alias: 'late',
      title: 'Late comer',
      wire: { kind: 'http', url: effects.url, headers: {} },
    })
    await card('Late comer', second).waitFor()
    await card('Late comer').waitFor()
    await page.getByRole('button', { name: 'More actions for Late comer' }).click()
    await page.getByRole('menuitem', { name: 'Turn off' }).click()
    await card('Late comer', second).getByText('Off', { exact: true }).waitFor()
    await second.close()
  })

  test(
    'S2-QRK-01: the way back from a vendor is one hop to the list, which lifts the card; the old address leads there',
    { tags: 'long' },
    async () => {
      const { items } = (await (await page.request.get('/api/v1/integrations')).json()) as { items: Named[] }
      const id = items.find(({ name }) => name === 'Docs')?.id ?? ''
      const hops: string[] = []
      page.once('popup', (popup) =>
        popup.on('response', (response) => {
          const { origin, pathname, search } = new URL(response.url())
          if (!response.request().isNavigationRequest() || origin !== console.gateway.address) return
          // The query parameters that the authorization server adds are single-use and differ each time.
          hops.push(`${response.status()} ${pathname}${pathname === finishOAuth.path ? '' : search}`)
        }),
      )
      const popup = page.waitForEvent('popup')
      await page.getByRole('button', { name: 'Sign in to Docs' }).click()
      const away = await popup
      await card('Docs').getByText('Connected · 2 tools').waitFor()
      await expect
        .poll(() => hops)
        .toEqual([`303 ${finishOAuth.path}`, `200 /settings/integrations?org=default&connected=${id}`])
      if (!away.isClosed()) await away.waitForEvent('close')

      await page.goto(`/settings/mcp?connected=${id}`)
      await page.waitForURL((url) => url.pathname === '/settings/integrations' && url.search === `?connected=${id}`)
      await page.getByRole('status').getByText('Docs is connected').waitFor()
      expect(await page.getByRole('listitem').first().textContent()).toContain('Docs')
      await page.getByRole('button', { name: 'Close' }).click()
      await page.waitForURL((url) => url.search === '')
      await page.goto('/settings/integrations?error=invalid_state&why=spent')
      await page.getByRole('alert').getByText('the link works only once and was already used').waitFor()
    },
  )

  test('S3-OAU-02: an account of a vendor ends at /oauth/success, where a person reads it', async () => {
    await page.goto('/oauth/success?connected=github')
    await page
      .getByRole('status')
      .getByText(/^You are back from GitHub/i)
      .waitFor()
  })

  test('who may only look sees why the rest is not theirs', async () => {
    await using eve = await console.open(EVE)
    await eve.page.goto('/connections')
    await card('Effects', eve.page).waitFor()
    expect(await eve.page.getByRole('button', { name: 'Test Effects' }).isDisabled()).toBe(true)
    await eve.page.getByRole('button', { name: 'More actions for Effects' }).click()
    await eve.page.getByText('Only administrators of this organization can do this.').waitFor()
    expect(await eve.page.getByRole('menuitem', { name: 'Delete' }).isDisabled()).toBe(true)
  })
})

const OAUTH = { auth: { kind: 'oauth' as const } }
interface Named {
  readonly id: string
  readonly name: string
}
interface Painted {
  getComputedStyle(element: unknown): { readonly color: string }
}
const KINDS: Readonly<Record<string, string>> = {
  [ICON_PATHS['circle-check']]: 'check',
  [ICON_PATHS['circle-x']]: 'cross',
}
/** Between the strongest and the weakest of red, green and blue; greys have a touch of blue. */
const GREY_SPREAD = 30

/** Returns the common name of the colour that an element is painted in. */
async function hueOf(one: Locator): Promise<string> {
  const color = await one.evaluate((element) => (globalThis as never as Painted).getComputedStyle(element).color)
  const parts = (color.match(/[\d.]+/g) ?? [])
    .slice(0, 3)
    .map((part) => Number(part) * (color.startsWith('color(') ? 255 : 1))
  const most = Math.max(...parts)
  return most - Math.min(...parts) < GREY_SPREAD ? 'grey' : (['red', 'green', 'blue'][parts.indexOf(most)] ?? color)
}
