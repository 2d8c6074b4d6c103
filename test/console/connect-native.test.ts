/** Native connectors in the catalog: chosen, looked at before they are connected, connected with a key, and called. */
// @module-tag long
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const KEY = 'key_0123456789abcdef'

/** Cursor's list of members, for one key (https://cursor.com/docs/account/teams/admin-api). */
async function startCursor(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(({ headers, url }, response) => {
    const known = headers.authorization === `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`
    response.writeHead(known ? (url === '/teams/members' ? 200 : 404) : 401, { 'content-type': 'application/json' })
    const teamMembers = [{ id: 1, name: 'Ada Lovelace', email: 'ada@example.com', role: 'owner' }]
    response.end(JSON.stringify(known ? { teamMembers } : { error: 'Unauthorized' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

describe.skipIf(NO_BROWSER)('native connectors', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let page: Page
  let cursor: Awaited<ReturnType<typeof startCursor>>
  beforeAll(async () => {
    cursor = parts.use(await startCursor())
    console = parts.use(await startConsole())
    ;({ page } = parts.use(await console.open(ADA)))
  })
  afterAll(() => parts.disposeAsync())
  const press = (name: string | RegExp) => page.getByRole('button', { name }).click()

  test('are in the catalog by category, each vendor once', async () => {
    await page.goto('/connections/new')
    await look(page, 'connect-catalog')
    await page.getByText('Project management').click()
    const cards = page.getByRole('list').getByRole('button')
    await expect
      .poll(() => cards.allInnerTexts())
      .toEqual([expect.stringMatching(/^Jira/), expect.stringMatching(/^Linear/)])
    await page.getByText('All', { exact: true }).click()
    await page.getByLabel('Search the catalog').fill('github')
    await expect
      .poll(() => cards.allInnerTexts())
      .toEqual([expect.stringMatching(/^GitHub\n/), expect.stringMatching(/^GitHub Copilot\n/)])
  })

  test('say what their tools do, which scopes they need, and what the vendor offers itself', async () => {
    await page.goto('/connections/new')
    await press(/^GitHub\b(?! Copilot)/)
    await page.getByText('27 tools').waitFor()
    await page.getByText('No OAuth app for GitHub yet').waitFor()
    await look(page, 'connect-native')
    await press('Show the tools')
    await page.getByText('github_create_issue', { exact: true }).waitFor()
    await look(page, 'connect-native-tools')
    await page.getByText('Read', { exact: true }).click()
    await page.getByRole('listitem').filter({ hasText: 'repo' }).first().waitFor()
    // The address leads a colleague to the same connector.
    await page.reload()
    await page.getByText('27 tools').waitFor()
    await page.getByText('GitHub’s MCP server').click()
    expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe('https://api.githubcopilot.com/mcp/')
    await page.getByText('Native', { exact: true }).click()
    await page.getByText('27 tools').waitFor()
    await press('Set up the OAuth app')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Client ID').fill('Iv1.client')
    await dialog.getByLabel('Client secret').fill('a secret of sixteen or more')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByText('No OAuth app for GitHub yet').count()).toBe(0)
    await page.getByRole('button', { name: 'Connect and sign in' }).waitFor()
  })

  test('are connected with a key in one step, and called', async () => {
    await page.goto('/connections/new')
    await page.getByLabel('Search the catalog').fill('cursor')
    await press(/^Cursor/)
    await page.getByText('18 tools').waitFor()
    await look(page, 'connect-native-key')
    await page.getByLabel('Key or token').fill(KEY)
    await page.getByLabel('URL', { exact: true }).fill(cursor.url)
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('heading', { name: 'Cursor is connected' }).waitFor()
    const table = page.getByRole('table', { name: 'Tools' })
    await table.getByRole('row', { name: /cursor_list_members.*Reads/ }).waitFor()
    await look(page, 'connect-native-done')
    await page.getByRole('combobox', { name: /Tool/ }).click()
    await page.getByRole('option', { name: 'cursor_list_members' }).click()
    await press('Run')
    await page.getByText('ada@example.com').first().waitFor()
    await page.goto('/connections/cursor?tab=settings')
    const scopes = page.getByRole('form', { name: 'Scopes' })
    await scopes.getByRole('combobox').click()
    await page.getByRole('option', { name: 'Tools that read', exact: true }).click()
    await scopes.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    await page.reload()
    await expect.poll(() => scopes.getByRole('combobox').inputValue()).toBe('Tools that read')
    await look(page, 'connection-native-settings')
    await page.goto('/connections/cursor')
    await look(page, 'connection-native')
  })
})
