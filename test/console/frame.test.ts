/** The frame around every screen. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

describe.skipIf(NO_BROWSER)('the frame of the console', () => {
  let console: ConsoleGateway
  beforeAll(async () => {
    console = await startConsole()
  })
  afterAll(() => console[Symbol.asyncDispose]())

  test('whoever is not signed in is led to the sign-in page, and back to where they were', async () => {
    await using opened = await console.open()
    await opened.page.goto('/keys?org=default')
    await opened.page.waitForURL(/\/sign-in\?next=/)
    expect(new URL(opened.page.url()).searchParams.get('next')).toBe('/keys?org=default')
  })

  test('it looks well and has no barriers', { tags: 'long' }, async () => {
    await using opened = await console.open(ADA)
    await opened.page.goto('/')
    await opened.page.getByRole('navigation', { name: 'Menu' }).waitFor()
    await look(opened.page, 'frame')
  })

  test('its first screen stands, and asks nothing more while nothing happens', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const began = performance.now()
    await page.goto('/')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Keys' }).click({ trial: true })
    process.stderr.write(`console: first screen in ${Math.round(performance.now() - began)} ms\n`)
    await page.getByText('No tool has been called').waitFor()
    await page.getByText('Nothing needs your attention').waitFor()
    let asked: string[] = []
    let lastAt = Date.now()
    page.on('request', (request) => {
      lastAt = Date.now()
      if (new URL(request.url()).pathname.startsWith('/api')) asked.push(request.url())
    })
    await expect.poll(() => Date.now() - lastAt).toBeGreaterThan(1_000)
    asked = []
    await page.waitForTimeout(3_000)
    expect(asked).toEqual([])
  })
})
