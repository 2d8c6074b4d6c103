/**
 * The stories of the console, in clicks: each is done in a real browser by pressing and typing alone, and has a budget of clicks.
 * Fields that are typed into are not counted, nor is a press of Enter in them.
 */
// @module-tag long
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeInstallation } from '../cli/installation.ts'
import { startAuthority } from '../e2e/peers/authorities/authority.ts'
import { startProtected } from '../e2e/peers/authorities/protected-server.ts'
import { connectClient } from '../e2e/peers/clients/client.ts'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { addKey, createAsk, type Ask } from '../e2e/peers/people/administrators.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { httpWire, processOf } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER, openPage } from './support/browser.ts'
import { ADA, ensureBuilt, startConsole, type ConsoleGateway, type Person } from './support/console.ts'

const BOB: Person = { email: 'bob@example.com', role: 'tenant_admin' }
const MINUTE = 60_000

const FOCUS = `(() => {
  const at = document.activeElement
  return at === null || at === document.body ? 'nowhere' : at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.textContent ?? '').slice(0, 60)
})()`

/**
 * Presses, and how many there were. As a screen reader needs it: each thing that is pressed has a name, and afterwards the focus is
 * somewhere; a page that is reached by a link of the menu is read from its heading.
 */
function presser(page: Page) {
  let presses = 0
  return {
    press: async (what: Locator) => {
      const read = await what.ariaSnapshot()
      expect(read).toMatch(/^- (?:button|link|radio|checkbox|switch|tab) "[^"]+"|^- text: \S/)
      const inMenu = (await what.locator('xpath=ancestor::nav').count()) > 0
      await what.click()
      presses += 1
      await expect
        .poll(() => page.evaluate(FOCUS), { message: `focus after ${read}` })
        .toMatch(inMenu ? /^H1 / : /^(?!nowhere)/)
    },
    presses: () => presses,
  }
}

/** Holds the budget, and prints the figure on stderr. */
function expectWithin(budget: number, story: string, presses: number): void {
  process.stderr.write(`story: ${story}: ${presses} clicks of ${budget}\n`)
  expect(presses, story).toBeLessThanOrEqual(budget)
}

const inMenu = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name, exact: true })

describe.skipIf(NO_BROWSER)('a story', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let platform: Ask
  let protectedUrl = ''
  let effectsUrl = ''
  beforeAll(async () => {
    const effects = parts.use(await startEffects())
    effectsUrl = effects.url
    const authority = parts.use(await startAuthority('registers'))
    const server = parts.use(await startProtected(authority, { name: 'Acme CRM' }))
    protectedUrl = server.url
    const off = 'http://127.0.0.1:9/mcp'
    console = parts.use(
      await startConsole({
        connections: [
          { alias: 'work', title: 'Work', wire: httpWire(effects.url) },
          { alias: 'gone', title: 'Gone away', wire: { kind: 'http', url: off, headers: {} } },
        ],
      }),
    )
    await Promise.all([console.gateway.settled('work'), console.gateway.settled('gone')])
    platform = createAsk(console.gateway, await addKey(console.gateway, { role: 'platform_admin' }))
  })
  afterAll(() => parts.disposeAsync())

  const call = (name: string, given: Record<string, unknown> = {}) =>
    callTool({ url: console.gateway.url, key: console.gateway.key, era: 'modern' }, name, given)

  test('from the first run to the first call of one’s own client: 8 clicks, and a minute of machine time', async () => {
    await ensureBuilt()
    const began = performance.now()
    await using here = await makeInstallation()
    const gateway = await here.start()
    await using opened = await openPage(gateway.address)
    const { page } = opened
    const { press, presses } = presser(page)
    await page.goto('/')
    await page.getByLabel('Setup code').fill((await here.firstSecrets()).code)
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await press(page.getByRole('button', { name: 'Set up Toolway' }))
    await press(page.getByRole('link', { name: 'Connect a client' }).first())
    await press(page.getByRole('button', { name: 'Another client' }))
    await press(page.getByText('Key', { exact: true }))
    await press(page.getByRole('button', { name: 'Create key' }))
    await press(page.getByRole('button', { name: 'Create key' }))
    const key = await page.getByRole('region', { name: /^Key: / }).innerText()
    await using client = await connectClient({ kind: 'SDK 2 by discovery', url: `${gateway.address}/mcp`, key })
    expect(await client.call('demo__calculate', { expression: '6*7' })).toMatchObject({ content: [{ type: 'text' }] })
    await page.getByText('Everything works.').waitFor()
    const took = performance.now() - began
    process.stderr.write(`story: first run to first call in ${(took / 1000).toFixed(1)} s of machine time\n`)
    expect(took).toBeLessThan(MINUTE)
    expectWithin(8, 'first run to first call', presses())
    gateway.signal('SIGTERM')
    await gateway.ended
  })

  test('a remote server with OAuth is added: 5 clicks, the provider’s among them', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { press, presses } = presser(page)
    await page.goto('/o/default')
    await press(page.getByRole('link', { name: 'Add a connection' }).first())
    await page.getByLabel('URL, command, mcp.json, OpenAPI document or name').fill(protectedUrl)
    await press(page.getByRole('button', { name: 'Continue' }))
    await page.getByText('It uses OAuth').waitFor()
    await press(page.getByRole('button', { name: 'Continue' }))
    await press(page.getByRole('button', { name: 'Connect and sign in' }))
    await page.getByRole('heading', { name: 'Acme CRM is connected' }).waitFor()
    expectWithin(5, 'add a remote server with OAuth', presses())
  })

  test('an mcp.json is imported after a review of duplicates and secrets: 3 clicks', async () => {
    const memory = processOf('memory')
    const program = { command: memory.command, args: [...memory.args] }
    const json = {
      mcpServers: {
        again: { url: effectsUrl },
        notes: { ...program, env: { NOTES_TOKEN: 'sk-of-ada' } },
        same: program,
      },
    }
    await using opened = await console.open(ADA)
    const { page } = opened
    const { press, presses } = presser(page)
    const made: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/connectors')) made.push(request.url())
    })
    await page.goto('/o/default')
    await press(page.getByRole('link', { name: 'Add a connection' }).first())
    await page.getByLabel('URL, command, mcp.json, OpenAPI document or name').fill(JSON.stringify(json))
    await page.getByText('No servers are contacted until you connect.').waitFor()
    const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('checkbox', { name }) })
    await row('again').getByText('Already connected').waitFor()
    await row('same').getByText('Same as notes above').waitFor()
    await row('notes').getByText('Stored encrypted: NOTES_TOKEN').waitFor()
    for (const name of ['again', 'same']) expect(await page.getByRole('checkbox', { name }).isChecked()).toBe(false)
    expect(made).toEqual([])
    await press(page.getByRole('button', { name: 'Connect 1 server' }))
    await page
      .getByRole('listitem')
      .filter({ has: page.getByText('notes', { exact: true }) })
      .getByText(/Connected · \d+ tools/)
      .waitFor()
    expect(made).toHaveLength(1)
    expectWithin(3, 'import an mcp.json', presses())
  })

  test('a call is approved from the notice on Home: 2 clicks', async () => {
    await platform('POST /api/v1/organizations/default/rules', {
      ...{ name: 'ask', action: 'approve', reason: 'A person looks first' },
      ...{ match: { tools: ['work__write_note'] }, parameters: { by: { roles: ['tenant_admin'] } } },
    })
    await using opened = await console.open(BOB)
    const { page } = opened
    const { press, presses } = presser(page)
    await page.goto('/o/default')
    await call('work__write_note')
    await press(page.getByRole('link', { name: 'Review' }))
    await press(page.getByRole('button', { name: 'Approve once', exact: true }))
    await page
      .getByText(/approved/i)
      .first()
      .waitFor()
    expectWithin(2, 'approve from the notice', presses())
    await platform('DELETE /api/v1/organizations/default/rules/ask')
  })

  test('who called what yesterday, and why it failed: 3 clicks', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { press, presses } = presser(page)
    await call('work__nothing')
    // All that happened here happened a day ago, as this browser sees it.
    await page.clock.setFixedTime(Date.now() + 24 * 3_600_000)
    await page.goto('/o/default')
    await press(inMenu(page, 'Audit log'))
    await press(page.getByRole('button', { name: 'Yesterday', exact: true }))
    await press(page.getByRole('button', { name: 'Open the record for work__nothing' }).first())
    await page.getByRole('dialog', { name: 'Record' }).getByText('tool.unknown').first().waitFor()
    expectWithin(3, 'who called what yesterday, and why it failed', presses())
  })

  test('a colleague is invited with a link, chooses a password, and is signed in: 3 clicks and 1', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { press, presses } = presser(page)
    await page.goto('/o/default')
    await press(inMenu(page, 'People'))
    await press(page.getByRole('button', { name: 'Add a person' }))
    await page.getByLabel('Email address').fill('cleo@example.com')
    await page.keyboard.press('Enter')
    await press(page.getByRole('button', { name: 'Copy the link' }))
    const link = await page.evaluate<string>('navigator.clipboard.readText()')
    expectWithin(3, 'invite a colleague with a link', presses())

    // The code is in the fragment, which is sent nowhere, and leaves the address at once.
    expect(link).toMatch(/^http:\/\/[^#?]+\/welcome#code=/)
    await using other = await openPage(console.gateway.address)
    const { press: pressThere, presses: pressesThere } = presser(other.page)
    // What a link says of whose account it is for is anybody's word.
    await other.page.goto(`${link}&email=ceo%40example.com`)
    await expect.poll(() => new URL(other.page.url()).hash).toBe('')
    await expect.poll(() => other.page.getByLabel('Email').inputValue()).toBe('cleo@example.com')
    await other.page.getByLabel(/^New password/).fill('correct horse battery')
    await pressThere(other.page.getByRole('button', { name: 'Set password and sign in' }))
    await other.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expectWithin(1, 'accept an invitation', pressesThere())
    // It was good once.
    await using late = await openPage(console.gateway.address)
    await late.page.goto(link)
    await late.page.getByRole('alert').waitFor()
    await late.page.getByRole('link', { name: 'Enter a code' }).waitFor()
    await late.page.goto('/welcome')
    await late.page.getByText('This link is incomplete.').waitFor()
  })

  test('a broken connection is looked into from Home: 3 clicks', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { press, presses } = presser(page)
    await page.goto('/o/default')
    await press(page.getByRole('link', { name: 'Gone away' }).first())
    await press(page.getByRole('button', { name: 'Test now' }))
    await page
      .getByText(/nothing is listening|is not available/)
      .first()
      .waitFor()
    expectWithin(3, 'mend a broken connection from Home', presses())
  })

  test('destructive tools are blocked everywhere: 3 clicks', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { press, presses } = presser(page)
    await page.goto('/o/default')
    await press(inMenu(page, 'Rules'))
    await press(page.getByRole('link', { name: 'Block destructive tools' }))
    await page.getByLabel('Reason').fill('Nothing is deleted by agents')
    await press(page.getByRole('button', { name: 'Save and turn on' }))
    await page
      .getByText(/ is on|saved/)
      .first()
      .waitFor()
    expectWithin(3, 'block destructive tools', presses())
    await expect.poll(async () => (await call('work__drop_all')).text).toContain('Nothing is deleted by agents')
  })
})
