/** The console in German, where the browser or a person prefers it. */
// @module-tag long
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const nav = JSON.parse(
  readFileSync(new URL('../../packages/console/src/texts/de/nav.json', import.meta.url), 'utf8'),
) as Record<'connections' | 'rules' | 'records' | 'settings' | 'me', string>

describe.skipIf(NO_BROWSER)('languages', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    const probe = parts.use(await startProbe())
    console = parts.use(
      await startConsole({
        connections: [{ alias: 'probe', title: 'Probe', wire: { kind: 'http', url: probe.url, headers: {} } }],
      }),
    )
    await console.gateway.settled('probe')
  })
  afterAll(() => parts.disposeAsync())

  test('a browser that prefers German gets German: headings and dates', async () => {
    await using opened = await console.open(ADA, 'de-AT')
    const { page } = opened
    for (const [path, name] of Object.entries({
      '/connections': nav.connections,
      '/rules': nav.rules,
      '/records': nav.records,
      '/settings': nav.settings,
      '/me': nav.me,
    })) {
      await page.goto(`${path}?org=default`)
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
    }
    expect(await page.locator('html').getAttribute('lang')).toBe('de-AT')
    const time = page.locator('time').first()
    expect(await time.getAttribute('title')).toMatch(/^\d{2}\.\d{2}\.\d{4}, /)
    expect(await time.textContent()).toMatch(/^(?:vor|in|jetzt)\b/)
    await look(page, 'me-german')
    await page.goto('/?org=default')
    await look(page, 'home-german')
    // Sentences of the gateway too, whose script has to be there before the modules.
    await page.goto('/connections/new?org=default')
    await page.getByText('Vorgänge, Sprints, Boards und Projekte in Jira.').waitFor()
    await page.goto('/records?org=default&action=connection.add')
    await page.getByText('Verbindung hinzugefügt').first().waitFor()
  })

  test('a person changes the language under their account, and it stays', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const texts: string[] = []
    page.on('request', (request) => {
      if (/\/de-[\w-]+\.js$/.test(request.url())) texts.push(request.url())
    })
    await page.goto('/me')
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en-US')
    // Those who read English do not load German.
    expect(texts).toEqual([])
    await page.getByText('Deutsch', { exact: true }).click()
    await page.getByRole('heading', { level: 1, name: nav.me }).waitFor()
    expect(texts).toHaveLength(1)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: nav.me }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    await page.getByText('English', { exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  })

  test('other languages get English', async () => {
    await using opened = await console.open(ADA, 'fr-FR')
    const { page } = opened
    await page.goto('/connections')
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('en')
  })
})
