/** The playground: a tool is called as a client would call it, by the sign-in of a browser and nothing else. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { httpWire, processOf } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

describe.skipIf(NO_BROWSER)('the playground', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let opened: WatchedPage
  let page: Page
  beforeAll(async () => {
    const modern = parts.use(await startEverythingServer({ era: 'modern' }))
    const connection = (alias: string, wire: unknown) => ({ alias, title: alias, wire: wire as never })
    console = parts.use(
      await startConsole({
        connections: [connection('every', processOf('everything')), connection('asks', httpWire(modern.url))],
      }),
    )
    await Promise.all(['every', 'asks'].map((alias) => console.gateway.settled(alias)))
    opened = parts.use(await console.open(ADA))
    page = opened.page
  })
  afterAll(() => parts.disposeAsync())

  const choose = async (tool: string) => {
    await page.getByRole('combobox', { name: 'Tool' }).click()
    await page.getByRole('combobox', { name: 'Tool' }).fill(tool)
    await page.getByRole('option', { name: tool }).first().click()
  }
  const last = (tool: string) => page.getByRole('article', { name: `Call of ${tool}` }).last()

  test('a tool is found, its form filled in, called and answered', async () => {
    await page.goto('/playground?connection=every')
    await choose('get-sum')
    await page.getByLabel(/^a\b/).fill('20')
    await page.getByLabel(/^b\b/).fill('22')
    await page.keyboard.press('Control+Enter')
    await last('get-sum').getByText(/42/).first().waitFor()
    await look(page, 'playground')
  })
})
