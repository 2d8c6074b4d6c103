/**
 * Every screen with a company in it (`npm run town`, at a fiftieth): the lists light, dark and on a telephone, searched for barriers,
 * and every screen in German on a telephone, where words are longest. Nothing sticks out, and a list says how many there are.
 */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestVault } from '../../packages/gateway/src/testing/gateway.ts'
import { fillTown } from '../town/fill.ts'
import { SMALL } from '../town/size.ts'
import { openStreet } from '../town/street.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { startConsole, type ConsoleGateway } from './support/console.ts'
import { look, photograph, settled } from './support/look.ts'

const PASSWORD = 'correct horse battery'
/** Where a company's rows make the difference. */
const LISTS = [
  '/',
  '/connections',
  '/tools',
  '/toolsets',
  '/rules',
  '/approvals',
  '/records',
  '/usage?range=month',
  '/people',
]
const OTHERS = [
  ...['/connections?view=table', '/connections/new', '/clients', '/playground', '/rules/new', '/rules?tab=access'],
  ...['/approvals?tab=history', '/service-levels', '/runtime', '/people?tab=groups', '/keys?tab=organization'],
  ...['/settings?tab=alerts', '/accounts', '/me'],
]
const nameOf = (route: string) => `town-${route.replaceAll(/\W+/g, '-').slice(1) || 'home'}`

describe.skipIf(NO_BROWSER)('a company', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    const street = parts.use(await openStreet())
    console = parts.use(await startConsole())
    const { db } = console.gateway
    const size = { ...SMALL, records: 3_000 }
    const options = { size, seed: 1, now: Date.now(), password: PASSWORD, port: street.port }
    await fillTown({ db, vault: createTestVault() }, options)
  })
  afterAll(() => parts.disposeAsync())

  const open = async (locale?: string): Promise<WatchedPage> => {
    const opened = await console.open(undefined, locale)
    const data = { email: 'admin@meridian.example', password: PASSWORD, cookies: true }
    const answer = await opened.page.request.post('/api/v1/auth/login', { data })
    expect(answer.ok()).toBe(true)
    return opened
  }
  const read = async (page: Page, path: string): Promise<{ total: number; items: Record<string, string>[] }> => {
    const answer = await page.request.get(`/api/v1/${path}`)
    expect(answer.ok(), path).toBe(true)
    return (await answer.json()) as { total: number; items: Record<string, string>[] }
  }

  test('is read in its lists: light, dark and on a telephone', async () => {
    await using opened = await open()
    for (const route of LISTS) {
      await opened.page.goto(`/o/meridian${route}`)
      await look(opened.page, nameOf(route))
    }
  })

  test('is read in German on a telephone, where words are longest, without anything that sticks out', async () => {
    await using opened = await open('de-DE')
    const { page } = opened
    await page.setViewportSize({ width: 360, height: 740 })
    const wide: string[] = []
    const [connection] = (await read(page, 'admin/tenants/meridian/connectors')).items
    const [rule] = (await read(page, 'organizations/meridian/rules')).items
    const own = [`/connections/${connection?.['alias']}`, `/rules/${rule?.['id']}`]
    for (const route of [...LISTS, ...OTHERS, ...own]) {
      await page.goto(`/o/meridian${route}`)
      await settled(page)
      await photograph(page, `${nameOf(route)}-german-360`)
      const by = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (by !== 0) wide.push(`${route}: ${String(by)} px`)
    }
    expect(wide).toEqual([])
  })

  test('has lists that say how many tools there are, not how many came', async () => {
    await using opened = await open()
    const { page } = opened
    const tools = await read(page, 'organizations/meridian/tools?limit=1')
    expect(tools.total).toBeGreaterThan(1_000)
    const total = tools.total.toLocaleString('en-US')
    await page.goto('/o/meridian/tools')
    await page.getByText(`${total} of ${total} shown`).waitFor()
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(tools.total + 1))
  })
})
