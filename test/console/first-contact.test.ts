/** A server that nobody trusts, in the console: its effects are unknown, and the first refusal offers what mends it. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { addKey, createAsk } from '../e2e/peers/people/administrators.ts'
import { startEffects, type EffectsServer } from '../e2e/peers/servers/effects-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

describe.skipIf(NO_BROWSER)('a server that nobody trusts', () => {
  const parts = new AsyncDisposableStack()
  let upstream: EffectsServer
  let console: ConsoleGateway
  beforeAll(async () => {
    upstream = parts.use(await startEffects())
    console = parts.use(await startConsole({ connections: [{ alias: 'work', wire: httpWire(upstream.url) }] }))
    await console.gateway.settled('work')
    const platform = createAsk(console.gateway, await addKey(console.gateway, { role: 'platform_admin' }))
    await platform('PUT /api/v1/admin/tenants/default/settings', { approvals: 'ask-destructive' })
  })
  afterAll(() => parts.disposeAsync())

  const call = async (tool: string) => {
    const { gateway } = console
    const { answer } = await callTool({ url: gateway.connectionUrl('work'), key: gateway.key, era: 'modern' }, tool, {})
    return String(answer.result?.content?.[0]?.text)
  }

  test('its tools have an unknown effect wherever one is shown, and are found by it', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/tools')
    await page.getByRole('row', { name: /look_up.*Unknown/ }).waitFor()
    await page.getByRole('row', { name: /drop_all.*Destructive/ }).waitFor()
    await look(page, 'tools-unknown')
    await page.goto('/tools?effect=unknown')
    await page.getByRole('row', { name: /write_note.*Unknown/ }).waitFor()
    expect(await page.getByRole('row', { name: /drop_all/ }).count()).toBe(0)
    await page.goto('/tools?effect=write')
    await page.getByRole('heading', { level: 1, name: 'Tools' }).waitFor()
    await expect.poll(() => page.getByRole('row', { name: /write_note/ }).count()).toBe(0)
    // Of one connection, too.
    await page.goto('/connections/work?tab=tools&effect=unknown')
    await page.getByRole('row', { name: /write_note.*Unknown/ }).waitFor()
    expect(await page.getByRole('row', { name: /drop_all/ }).count()).toBe(0)
    await page.goto('/connections/work?tab=tools&effect=write')
    await page.getByText('No tools match').waitFor()
  })

  test('an organization without rules is told which calls ask all the same', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/rules')
    await page
      .getByText('Destructive tools and tools whose effect is unknown still ask for an approval first')
      .waitFor()
    await page.getByRole('link', { name: 'Change when approval is needed' }).waitFor()
    await look(page, 'rules-empty')
    await using german = await console.open(ADA, 'de-DE')
    await german.page.goto('/rules')
    await german.page.getByText('verlangen trotzdem vorher eine Freigabe').waitFor()
    await look(german.page, 'rules-empty-german')
  })

  test('a request that a mark has caused offers to trust the server, and then the call goes through', async () => {
    expect(await call('drop_all')).toMatch(/^APPROVAL_REQUIRED/)
    expect(await call('write_note')).toMatch(/^APPROVAL_REQUIRED/)
    expect(await call('look_up')).toMatch(/^APPROVAL_REQUIRED/)
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/approvals')
    const question = 'Trust what the server of work says about its tools?'
    // The newest is open, and is the one that a mark has caused.
    await page.getByText(question).waitFor()
    await page.getByText('4 of 4 tools ask for an approval before a call.').waitFor()
    await page.getByText('Then 1 of its tools still asks.').waitFor()
    await look(page, 'approvals-trust')
    await using german = await console.open(ADA, 'de-DE')
    await german.page.goto('/approvals')
    await german.page.getByRole('button', { name: 'Dem Server vertrauen' }).waitFor()
    await look(german.page, 'approvals-trust-german')
    await page.getByRole('button', { name: 'Trust the server' }).click()
    await page.getByText('work is trusted').waitFor()
    await expect.poll(() => page.getByText(question).count()).toBe(0)
    await expect.poll(() => call('look_up')).toBe('did look_up')
    expect(await call('drop_all')).toMatch(/^APPROVAL_REQUIRED/)
    expect(upstream.called).toEqual(['look_up'])
  })
})
