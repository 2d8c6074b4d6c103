/** What axe does not see: 400 % zoom and other sizes of windows, and colours that the system of the reader forces upon a page (WCAG 2.2, 1.4.10 and 1.4.11). */
// @module-tag long
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { photograph, settled } from './support/look.ts'

const ROUTES = [
  ...['/', '/connections', '/connections?view=table', '/connections/work', '/connections/work?tab=tools'],
  ...['/connections/work?tab=settings', '/connections/new', '/tools', '/toolsets', '/clients', '/playground', '/agent'],
  ...[
    '/files',
    '/rules',
    '/rules/new',
    '/rules?tab=access',
    '/approvals',
    '/records',
    '/usage',
    '/service-levels',
    '/runtime',
    '/people',
  ],
  ...['/keys', '/settings', '/settings?tab=installation', '/organizations', '/users', '/accounts', '/me'],
]
const SIZES = [
  // 1280 × 1024 at 400 %.
  { width: 320, height: 256 },
  { width: 768, height: 1024 },
  { width: 1920, height: 1080 },
]

describe.skipIf(NO_BROWSER)('the console', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    const effects = parts.use(await startEffects())
    console = parts.use(await startConsole({ connections: [{ alias: 'work', wire: httpWire(effects.url) }] }))
    await console.gateway.settled('work')
    await callTool({ url: console.gateway.url, key: console.gateway.key, era: 'modern' }, 'work__look_up')
  })
  afterAll(() => parts.disposeAsync())

  test.each(SIZES)('is read at $width × $height without scrolling to the side, on every screen', async (size) => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.setViewportSize(size)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const wide: string[] = []
    for (const route of ROUTES) {
      await page.goto(`/o/default${route}`)
      await settled(page)
      await photograph(page, `${route.replaceAll(/\W+/g, '-').slice(1) || 'home'}-${size.width}`)
      const by = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (by !== 0) wide.push(`${route}: ${String(by)} px`)
    }
    expect(wide).toEqual([])
  })

  test('shows in forced colours what has the focus, what is on and what is shown in charts', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    const colourOf = (shown: Locator) =>
      shown.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).backgroundColor)
    await page.goto('/o/default/tools')
    const track = page.locator('.mantine-Switch-track')
    await page.getByRole('switch').first().press('Space')
    await page.getByRole('switch', { checked: false }).waitFor()
    expect(await colourOf(track.nth(0))).not.toBe(await colourOf(track.nth(1)))
    const border = (shown: Locator) =>
      shown.evaluate((element) => element.ownerDocument.defaultView?.getComputedStyle(element).borderTopStyle)
    expect(await border(track.nth(0))).toBe('solid')
    const tab = (selected: boolean) => page.getByRole('tab', { selected }).first()
    expect(await colourOf(tab(true))).not.toBe(await colourOf(tab(false)))
    const menu = page.getByRole('navigation', { name: 'Menu' })
    expect(await colourOf(menu.getByRole('link', { name: 'Tools', exact: true }))).not.toBe(
      await colourOf(menu.getByRole('link', { name: 'Keys' })),
    )
    const ring = await menu.getByRole('link', { name: 'Keys' }).evaluate((element) => {
      element.focus()
      return element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle
    })
    expect(ring).not.toBe('none')

    await page.goto('/o/default/usage')
    const cells = page.getByRole('table', { name: 'Tools over time' }).getByRole('cell')
    await cells.first().waitFor()
    expect(await colourOf(cells.first())).not.toBe(await colourOf(cells.last()))
    const range = page.locator('.mantine-SegmentedControl-label')
    expect(await colourOf(range.nth(0))).not.toBe(await colourOf(range.nth(1)))
  })
})
