/** Features of the source system's web application besides its forms, each found and used in one visit. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GIVEN_CLIENT, startAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected } from '../e2e/peers/authorities/protected-server.ts'
import { connectClient, textOf } from '../e2e/peers/clients/client.ts'
import { callTool, openSession } from '../e2e/peers/clients/raw-client.ts'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'

describe.skipIf(NO_BROWSER)('a tour', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    const probe = parts.use(await startProbe({ era: 'legacy' }))
    console = parts.use(await startConsole({ connections: [{ alias: 'probe', wire: httpWire(probe.url) }] }))
    await console.gateway.settled('probe')
  })
  afterAll(() => parts.disposeAsync())

  test('S3-UI-03: client presets to copy, tool switchboard, pool, sessions, log, test console and catalog are there and work', async () => {
    const { gateway } = console
    await callTool(await openSession(gateway.url, gateway.key), 'probe__echo', { text: 'x' })
    await using opened = await console.open(ADA)
    const { page } = opened
    const tab = (name: string) => page.getByRole('tab', { name }).click()
    const menu = (name: string) =>
      page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true }).click()

    // Presets: what is copied is the entry of that client, with the address of this gateway.
    await page.goto('/clients?client=claude-desktop&way=key')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('Copy it now').waitFor()
    await page.getByRole('button', { name: 'Copy (step 1, JSON)' }).click()
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    expect(Object.keys(JSON.parse(await copied()) as object)).toEqual(['mcpServers'])
    expect(await copied()).toContain(gateway.url)
    const others = page.getByRole('button', { name: /^(Claude Code|ChatGPT|Cursor|VS Code|Codex|Windsurf|n8n)/ })
    expect(await others.count()).toBeGreaterThanOrEqual(7)

    // The switchboard: a tool that is switched off is in nobody's list.
    await menu('Tools')
    await page.getByRole('textbox', { name: 'Search tools' }).fill('probe__echo')
    const echo = (checked: boolean) => page.getByRole('switch', { name: 'probe__echo is on', checked })
    await echo(true).press('Space')
    await page.getByText('1 tool turned off').waitFor()
    const call = () => callTool({ url: gateway.url, key: gateway.key, era: 'modern' }, 'probe__echo', { text: 'x' })
    await until('it is in nobody’s list', async () => (await call()).answer.error !== undefined)
    await echo(false).press('Space')
    await page.getByText('1 tool turned on').waitFor()

    await menu('Runtime')
    await tab('Pool')
    await page.getByRole('button', { name: 'Close the session with probe' }).first().waitFor()
    await tab('Sessions')
    await page.getByRole('row').filter({ hasText: 'raw 1.0.0' }).waitFor()
    await tab('Log')
    await page.getByRole('region', { name: 'Log lines' }).getByText('probe__echo').first().waitFor()

    await menu('Playground')
    await page.getByRole('combobox', { name: 'Tool' }).fill('echo')
    await page.getByRole('option', { name: 'echo' }).first().click()
    await page.getByLabel(/^text/i).fill('from the tour')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page
      .getByRole('article', { name: /^Call to/ })
      .getByText('from the tour')
      .first()
      .waitFor()

    await menu('Connections')
    await page.getByRole('link', { name: 'Connect', exact: true }).first().click()
    await page.getByRole('heading', { name: 'From the catalog' }).waitFor()
    await page.getByLabel('Search the catalog').fill('github')
    await page
      .getByRole('button', { name: /^GitHub/ })
      .first()
      .waitFor()
  })
  test('S3-UI-02: an organization is made, OAuth configured, an account connected with a connector, and a client uses it', async () => {
    const { address, url } = console.gateway
    const authority = parts.use(await startAuthority('given', { redirectUris: [`${address}/oauth/callback`] }))
    const docs = parts.use(await startProtected(authority))
    await using opened = await console.open(ADA)
    const { page } = opened
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await page.goto('/organizations')
    await press('New organization')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('Acme')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Short name' }).fill('acme')
    await press('Create organization')
    await page.getByText('Acme created.').waitFor()

    // OAuth of a vendor is configured ahead, that of a server of one's own where it is asked for.
    await page.goto('/settings?tab=apps&org=acme')
    await page.getByRole('button', { name: 'Add OAuth app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add OAuth app' })
    await dialog.getByRole('combobox', { name: 'Vendor' }).click()
    await page.getByRole('option', { name: 'GitHub', exact: true }).click()
    await dialog.getByLabel('Client ID').fill('Iv1.client')
    await dialog.getByLabel('Client secret').fill('a secret of sixteen or more')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row').filter({ hasText: 'Iv1.client' }).waitFor()

    await page.goto('/connections/new?org=acme')
    await page.getByLabel('URL, command, mcp.json, OpenAPI document or name').fill(docs.url)
    await press('Continue')
    await press('Continue')
    await page.getByLabel('Name (optional)').fill('Docs')
    const [popup] = await Promise.all([page.waitForEvent('popup'), press('Connect and sign in')])
    await popup.getByLabel('Client ID').fill(GIVEN_CLIENT.id)
    await popup.getByLabel('Client secret').fill(GIVEN_CLIENT.secret)
    await popup.getByRole('button', { name: 'Save and continue' }).click()
    await popup.getByRole('button', { name: `Continue to ${new URL(authority.issuer).host}` }).click()
    await page.getByRole('heading', { name: 'Docs is connected' }).waitFor()

    await page.goto('/clients?org=acme&client=generic&way=key')
    await press('Create key')
    await press('Create key')
    const key = await page.getByRole('region', { name: /^Key:/ }).innerText()
    await using client = await connectClient({ kind: 'SDK 1', url, key })
    expect((await client.tools()).map(({ name }) => name)).toEqual(['docs__who_am_i', 'docs__write_note'])
    expect(textOf(await client.call('docs__who_am_i'))).toContain('ada')
    await page.getByText('Connected', { exact: true }).waitFor()
    await page.goto('/records?org=acme&tool=docs__who_am_i')
    await page.getByRole('button', { name: 'Open the record for docs__who_am_i' }).waitFor()
  })
})
