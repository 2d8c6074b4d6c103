/** The documentation as the gateway serves it: built from docs, read and searched in a browser. */
// @module-tag long
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureDocs } from '../../tools/docs.mjs'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'

describe.skipIf(NO_BROWSER)('the documentation', () => {
  let console: ConsoleGateway
  beforeAll(async () => {
    const fault = await ensureDocs(resolve(import.meta.dirname, '../..'), process.execPath)
    if (fault !== undefined) throw new Error(fault.sentence)
    console = await startConsole()
  })
  afterAll(() => console[Symbol.asyncDispose]())

  test('is a click away from the console, has the guides in its menu, and finds what is searched', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default')
    await page.getByRole('button', { name: /^Account menu for/ }).click()
    await page.getByRole('menuitem', { name: 'Documentation' }).click()
    await page.waitForURL('/docs')
    await page.getByRole('heading', { level: 1, name: 'Documentation' }).waitFor()
    await page.getByRole('link', { name: 'Limits', exact: true }).first().click()
    await page.waitForURL('/docs/guides/limits')
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('sandbox bubblewrap')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/(guides|reference)\//)
    // A link out of the site leads to the repository, and an unknown page is not found.
    expect((await page.request.get('/docs/guides/none', { headers: { accept: 'text/html' } })).status()).toBe(404)
  })
})
