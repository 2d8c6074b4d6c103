/** Usage of a large organization: numbers that need more room than those of a demo, in two languages and on a telephone, and slow answers. */
// @module-tag long
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Usage } from '@toolway/contract/admin'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { photograph, settled } from './support/look.ts'

/** The meaning of one call of the test. */
const EACH = 1_400_350

/** The answer of the gateway, of a company in which much more is called. */
async function enlarge(route: Route): Promise<void> {
  const response = await route.fetch()
  const usage = (await response.json()) as Usage
  const large = <Row extends Usage['total']>(row: Row): Row => ({
    ...row,
    ...{ calls: row.calls * EACH, failed: row.failed * EACH, refused: row.refused * EACH },
    p95_ms: row.p95_ms === null ? null : 1_234_567,
  })
  await route.fulfill({ response, json: { ...usage, total: large(usage.total), steps: usage.steps.map(large) } })
}

/** The labels of the vertical axes, and how many pixels of each lie outside of its chart. */
async function axesOf(page: Page) {
  const found: { text: string; outside: number }[] = []
  for (const chart of await page.locator('.recharts-wrapper').all()) {
    const frame = await chart.boundingBox()
    for (const label of await chart.locator('.recharts-yAxis-tick-labels text').all()) {
      const box = await label.boundingBox()
      const text = (await label.textContent()) ?? ''
      found.push({ text, outside: Math.max(0, Math.round((frame?.x ?? 0) - (box?.x ?? 0))) })
    }
  }
  return found
}

describe.skipIf(NO_BROWSER)('usage of a large organization', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    console = parts.use(await startConsole({}))
    const { gateway } = console
    const peer = { url: gateway.url, key: gateway.key, era: 'modern' } as const
    for (let one = 0; one < 3; one++)
      await callTool(peer, 'demo__calculate', { expression: '6*7' }).catch(() => undefined)
  })
  afterAll(() => parts.disposeAsync())

  test.each([
    ['en-US', 1280, /^[\d.]+M$/],
    ['en-US', 360, /^[\d.]+M$/],
    ['de-DE', 1280, /^[\d,]+\sMio\.$/],
    ['de-DE', 360, /^[\d,]+\sMio\.$/],
  ])('has whole numbers on its axes and beside its sparklines: %s at %i px', async (locale, width, millions) => {
    await using opened = await console.open(ADA, locale)
    const { page } = opened
    await page.setViewportSize({ width, height: 800 })
    await page.route(/\/usage\?/, enlarge)
    await page.goto('/o/default/usage')
    await page.locator('.recharts-yAxis-tick-labels text').first().waitFor()
    await settled(page)
    await expect.poll(() => axesOf(page).then((all) => all.some(({ text }) => millions.test(text)))).toBe(true)
    const axes = await axesOf(page)
    expect(axes.filter(({ outside }) => outside > 0)).toEqual([])
    for (const line of await page.locator('.sparkline').all())
      expect((await line.boundingBox())?.width ?? 0).toBeGreaterThanOrEqual(90)
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(wide).toBe(0)
    await photograph(page, `usage-large-${locale}-${width}`)
  })

  test('shows old figures dimmed and busy, and exports none of them, until those of the new time range are here', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default/usage')
    const csv = page.getByRole('button', { name: /CSV/ })
    await expect.poll(() => csv.isEnabled()).toBe(true)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/usage\?.*step=day/, async (route) => {
      await released
      await route.continue()
    })
    await page.getByText('31 days', { exact: true }).click()
    await page.getByRole('status', { name: 'Loading: Usage' }).waitFor()
    expect(await csv.isDisabled()).toBe(true)
    release()
    await expect.poll(() => csv.isEnabled()).toBe(true)
    await expect.poll(() => page.getByRole('status', { name: 'Loading: Usage' }).count()).toBe(0)
  })
})
