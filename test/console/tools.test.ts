/** The screen of all tools, with a thousand of them. */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'
import { ALIASES, MANY, manyConnections, startManyTools } from './support/many-tools.ts'

const parts = new AsyncDisposableStack()
let console: ConsoleGateway

const rows = (page: Page) => page.getByRole('table', { name: 'Tools in this organization' }).getByRole('row')
const table = (page: Page) => page.getByRole('table', { name: 'Tools in this organization' })

describe.skipIf(NO_BROWSER)('the tools of an organization', () => {
  beforeAll(async () => {
    const server = parts.use(await startManyTools())
    console = parts.use(await startConsole({ connections: manyConnections(server) }))
    await Promise.all(ALIASES.map((alias) => console.gateway.settled(alias)))
  })
  afterAll(() => parts.disposeAsync())

  test('a thousand are in one table, of which only what is near the window is in the document', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/tools')
    await table(page).waitFor()
    expect(MANY).toBeGreaterThanOrEqual(1_000)
    expect(Number(await table(page).getAttribute('aria-rowcount'))).toBe(MANY + 1)
    expect(await rows(page).count()).toBeLessThan(60)

    // The filter: what is typed, and what the address says to a colleague.
    await page.getByRole('textbox', { name: 'Search tools' }).fill('report_49')
    await page.getByText('10 of 1,', { exact: false }).waitFor()
    expect(await rows(page).count()).toBe(11)
    await page.waitForURL(/q=report_49/)
    await page.goto('/tools?q=odd&state=on')
    await page.getByRole('button', { name: 'archive__odd_name' }).waitFor()
    // A character that reverses the text direction is shown by its code point.
    await table(page).getByText('Reads ⟨U+202E⟩txt.exe').first().waitFor()
    expect(await rows(page).count()).toBe(2)
  })

  test('any of them is found by the search for everything, which the server does', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Go to a page or run an action' }).fill('report_499')
    await page.getByRole('dialog').getByText('archive__report_499', { exact: true }).click()
    await page.waitForURL(/\/o\/default\/tools\?.*tool=archive__report_499/)
    await page.getByRole('dialog').getByText('report_499').first().waitFor()
  })

  test('the Playground has the first of them while the others are on their way', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let held = 0
    await page.route(/\/api\/v1\/console\/default\/mcp$/, async (route) => {
      if (route.request().postData()?.includes('"cursor"') === true) {
        held += 1
        await released
      }
      await route.continue()
    })
    await page.goto('/o/default/playground')
    const field = page.getByRole('combobox', { name: 'Tool' })
    await page.getByText(/^[\d,]+ tools so far; others are being loaded\.$/).waitFor()
    expect(held).toBeGreaterThan(0)
    await field.fill('report_001')
    await page.getByRole('option', { name: /archive__report_001/ }).click()
    await page.getByLabel(/^year\b/).fill('2001')
    release()
    await page.getByText(`Showing 100 of ${MANY.toLocaleString('en-US')}. Type to find others.`).waitFor()
    // What was begun stays.
    expect(await page.getByLabel(/^year\b/).inputValue()).toBe('2001')
  })

  test('those that are selected are switched together, and back again', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/tools?q=report_4&connection=archive')
    await page.getByRole('checkbox', { name: 'Select all 100 shown' }).check()
    await page.getByText(/^100 selected, about [\d,]+ tokens$/).waitFor()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByText('100 tools turned off').waitFor()
    expect(await listed('report_4')).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('switch', { name: 'archive__report_400 is on', checked: true }).waitFor()
    await expect.poll(() => listed('report_4')).toBe(100)
  })

  test('one is switched on the screen before the gateway has answered, and back where it refuses', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/tools?q=report_123')
    const held = Promise.withResolvers<void>()
    await page.route('**/switch', async (route) => {
      await held.promise
      await route.fulfill({ status: 503, json: { detail: 'The database cannot be reached.' } })
    })
    const name = /^archive__report_123 is on$/
    await page.getByRole('switch', { name }).press('Space')
    await page.getByRole('switch', { name, checked: false }).waitFor()
    held.resolve()
    await page.getByRole('switch', { name, checked: true }).waitFor()
    await page.getByText('The database cannot be reached.').waitFor()
    expect(await listed('report_123')).toBe(1)
  })

  test(
    'one is read whole: what it says and takes, where it is listed, and what is odd about it',
    { tags: 'long' },
    async () => {
      await using opened = await console.open(ADA)
      const { page } = opened
      await page.goto('/tools?q=report_00')
      await page.getByRole('checkbox', { name: 'Select twin__report_000' }).check()
      await look(page, 'tools')
      await page.getByRole('button', { name: 'twin__report_000' }).click()
      const drawer = page.getByRole('dialog', { name: 'twin__report_000' })
      await drawer.getByText('A report that the archive has too.').waitFor()
      await drawer.getByText('Another connection has a tool with the same name').waitFor()
      expect(await drawer.getByRole('link', { name: 'Try it' }).getAttribute('href')).toContain(
        '/playground?tool=twin__report_000',
      )
      await look(page, 'tool-about')
      await drawer.getByRole('tab', { name: 'Input' }).click()
      await drawer.getByText('One of: table, text, both').waitFor()
      await drawer.getByText('1990 to 2040').waitFor()
      await look(page, 'tool-input')
      await drawer.getByRole('tab', { name: 'Toolsets' }).click()
      await drawer.getByRole('link', { name: 'Read-only tools' }).waitFor()
      await page.keyboard.press('Escape')
      await drawer.waitFor({ state: 'hidden' })
      expect(new URL(page.url()).search).toBe('?q=report_00')
    },
  )

  test('a preview is the very list that a caller gets', { tags: 'long' }, async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/tools?view=preview&who=role:tenant_viewer&where=toolset:read-only')
    await page.getByText('Viewers can see these tools but cannot call them.').waitFor()
    await page.getByText('More than 128 tools.').waitFor()
    await page.goto('/tools?view=preview&who=key:test&where=connection:twin&revision=2025-06-18')
    await page.getByText(/^1 tool, .* about [\d,]+ tokens · As Member$/).waitFor()
    await page.getByRole('button', { name: 'report_000' }).click()
    await page.getByRole('dialog').getByText('A report that the archive has too.', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await look(page, 'tools-preview')
    await page.goto('/tools?view=preview&who=role:tenant_member&where=toolset:admin')
    await page.getByText('This caller does not have access to this endpoint').waitFor()
  })
})

/** How many tools whose names begin so a client of the gateway is listed. */
async function listed(name: string): Promise<number> {
  const response = await fetch(console.gateway.connectionUrl('archive'), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${console.gateway.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  const { result } = (await response.json()) as { result: { tools: { name: string }[] } }
  return result.tools.filter((tool) => tool.name.startsWith(name)).length
}
