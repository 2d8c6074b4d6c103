/** Accounts that Composio keeps: a member connects one there, sees it in the connection, and removes it. */
// @module-tag long
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, startComposio, type ComposioDouble } from '../e2e/peers/composio/composio-double.ts'
import { NO_BROWSER } from './support/browser.ts'
import { startConsole } from './support/console.ts'
import { look } from './support/look.ts'

describe.skipIf(NO_BROWSER)('accounts at Composio', () => {
  const parts = new AsyncDisposableStack()
  let composio: ComposioDouble
  let page: Page
  beforeAll(async () => {
    composio = parts.use(await startComposio([{ slug: 'GMAIL_FETCH_EMAILS', toolkit: 'gmail' }]))
    composio.accounts.push({
      ...{ id: 'ca_old', user: 'bea@example.com', toolkit: 'gmail', alias: 'old', status: 'EXPIRED' },
    })
    const console = parts.use(
      await startConsole({
        connections: [
          {
            ...{ alias: 'gmail', title: 'Gmail' },
            wire: {
              kind: 'composio',
              url: composio.url,
              headers: { 'x-api-key': API_KEY },
              words: { toolkits: ['gmail'] },
            },
          },
        ],
      }),
    )
    await console.gateway.settled('gmail')
    ;({ page } = parts.use(await console.open({ email: 'bea@example.com', role: 'tenant_admin' })))
  })
  afterAll(() => parts.disposeAsync())

  test('are listed with their state, connected on the page of Composio, and removed', async () => {
    await page.goto('/connections/gmail?tab=accounts')
    const row = page.getByRole('row').filter({ hasText: 'old' })
    await row.getByText('Must be reconnected').waitFor()
    await row.getByText('Stored by the server').waitFor()
    await look(page, 'accounts-brokered')

    const opened = page.waitForEvent('popup')
    await page.getByRole('button', { name: 'Connect my account' }).click()
    const away = await opened
    await away.getByRole('button', { name: 'Continue to Composio' }).click()
    // The window closes by itself when this page has noticed.
    await page.getByRole('row').filter({ hasText: 'Healthy' }).waitFor()
    expect(composio.accounts.map(({ status }) => status).sort()).toEqual(['ACTIVE', 'EXPIRED'])

    await row.getByRole('button', { name: /^More actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Disconnect' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await row.waitFor({ state: 'detached' })
    expect(composio.accounts.map(({ id }) => id)).not.toContain('ca_old')
  })
})
