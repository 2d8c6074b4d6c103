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
    await page.getByRole('heading', { level: 1, name: 'Toolway documentation' }).waitFor()
    const picture = page.getByRole('img', { name: /^The console/ })
    const width = await picture.evaluate(async (image) => {
      const shown = image as unknown as { decode(): Promise<void>; readonly naturalWidth: number }
      await shown.decode()
      return shown.naturalWidth
    })
    expect(width).toBeGreaterThan(0)
    const menu = await page.locator('.VPSidebar a').allInnerTexts()
    expect(menu.slice(0, 2)).toEqual(['Tutorial: three servers of your own', 'The first day'])
    expect(menu.indexOf('Deployment')).toBeGreaterThan(menu.indexOf('Rules'))
    await page.getByRole('link', { name: 'Limits', exact: true }).first().click()
    await page.waitForURL('/docs/guides/limits')
    await page.getByRole('heading', { level: 1, name: 'Limits' }).waitFor()
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('sandbox bubblewrap')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/(guides|reference)\//)
    // What a person looks for is found in the guide to it, not where its words happen to stand.
    for (const [words, guide] of [
      ['block destructive tools', '/docs/guides/policy'],
      ['first three servers', '/docs/guides/tutorial'],
    ] as const) {
      await page.getByRole('button', { name: 'Search' }).click()
      await page.getByRole('searchbox').fill(words)
      await expect.poll(() => page.getByRole('option').first().getByRole('link').getAttribute('href')).toContain(guide)
      await page.keyboard.press('Escape')
    }
    for (const path of ['reference/requirements', 'architecture', 'adr/0001-record-decisions', 'README'])
      expect((await page.request.get(`/docs/${path}`, { headers: { accept: 'text/html' } })).status(), path).toBe(404)
    // A link out of the site leads to the repository, and an unknown page is not found.
    expect((await page.request.get('/docs/guides/none', { headers: { accept: 'text/html' } })).status()).toBe(404)
  })
})
