/** Services of the catalog with settings of their own: n8n is connected by its key, and this gateway itself with one press. */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startN8n, type N8nDouble } from '../e2e/peers/n8n/n8n-double.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

describe.skipIf(NO_BROWSER)('services of the catalog', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let n8n: N8nDouble
  let page: Page
  beforeAll(async () => {
    n8n = parts.use(
      await startN8n([
        {
          id: 'wf1',
          name: 'Client query',
          active: true,
          tags: [{ name: 'shared' }],
          nodes: [
            {
              name: 'Webhook',
              type: 'n8n-nodes-base.webhook',
              webhookId: '11111111-1111-4111-8111-111111111111',
              parameters: { responseMode: 'lastNode', path: 'clients', httpMethod: 'POST' },
            },
          ],
          run: () => ({ found: ['Acme Ltd'] }),
        },
      ]),
    )
    console = parts.use(await startConsole())
    ;({ page } = parts.use(await console.open(ADA)))
  })
  afterAll(() => parts.disposeAsync())
  const press = (name: string | RegExp) => page.getByRole('button', { name }).click()

  test('n8n takes an address, a key and the tag of its workflows, and shows its tools', async () => {
    await page.goto('/connections/new')
    await page.getByLabel('Search the catalog').fill('n8n')
    await press(/^n8n\b/)
    await page.getByLabel(/^URL/).fill(n8n.url)
    await page.getByLabel('X-N8N-API-KEY').fill(n8n.key)
    expect(await page.getByLabel('Tag').inputValue()).toBe('toolway')
    await page.getByLabel('Tag').fill('shared')
    await look(page, 'connect-service')
    await press('Continue')
    await press('Connect')
    await page.getByRole('heading', { name: /is connected/ }).waitFor()
    await page.getByRole('cell', { name: 'Client query', exact: true }).waitFor()
    await look(page, 'connect-service-tools')
  })

  test('this gateway itself needs nothing, and its tools are there', async () => {
    await page.goto('/connections/new')
    await page.getByLabel('Search the catalog').fill('toolway')
    await press(/^Toolway\b/)
    await press('Continue')
    await press('Connect')
    await page
      .getByRole('cell', { name: /show my account/i })
      .first()
      .waitFor()
  })
})
