/** What stands around every screen. */
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

  test('it looks well and has no barriers', async () => {
    await using opened = await console.open(ADA)
    await opened.page.goto('/')
    await opened.page.getByRole('navigation', { name: 'Menu' }).waitFor()
    await look(opened.page, 'frame')
  })
})
