/** Events elsewhere appear here, delivered by one stream for all tabs. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'

const STREAM = /\/organizations\/default\/events$/

describe.skipIf(NO_BROWSER)('the console, live', () => {
  let console: ConsoleGateway
  beforeAll(async () => {
    console = await startConsole()
  })
  afterAll(() => console[Symbol.asyncDispose]())

  test('eight tabs share one stream, and when its tab is closed another holds it', async () => {
    await using opened = await console.open(ADA)
    const { context, page } = opened
    let streams = 0
    context.on('request', (request) => (streams += STREAM.test(new URL(request.url()).pathname) ? 1 : 0))
    const first = page.waitForRequest((request) => STREAM.test(new URL(request.url()).pathname))
    await page.goto('/')
    await first
    // More than a browser opens connections: a tab that could not get one would never have its heading.
    const tabs = []
    for (let n = 0; n < 7; n++) {
      const tab = await context.newPage()
      tabs.push(tab)
      await tab.goto('/')
      await tab.getByRole('heading', { level: 1 }).waitFor()
    }
    expect(streams).toBe(1)
    const next = context.waitForEvent('request', (request) => STREAM.test(new URL(request.url()).pathname))
    await page.close()
    await next
    expect(streams).toBe(2)
  })
})
