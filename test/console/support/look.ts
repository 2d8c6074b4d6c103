/**
 * A screen as three people see it: light, dark, and on a telephone of 360 px. Each is photographed (`.reports/pictures`, to be looked
 * at), searched for barriers by axe, and measured: nothing sticks out to the side. The short form of the tests waits for the screen
 * and takes no pictures, and in CI, where nobody looks at them, none are taken either.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { IS_SHORT } from '../../setup/form.ts'

const PICTURES = resolve(import.meta.dirname, '../../../.reports/pictures')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const WAYS = [
  { way: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { way: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { way: '360', colorScheme: 'light', viewport: { width: 360, height: 740 } },
] as const

/** Waits until nothing on the page is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1, h2, form').first().waitFor()
  // Asked from here: a page of ours evaluates no text.
  await expect.poll(() => page.locator('[aria-busy="true"]').count()).toBe(0)
}

/**
 * Light and dark differ in colours only, so dark is checked for contrast alone. Without frames of other sites, axe needs no
 * second page ("legacy mode"); using one would take twice as long as the check. It describes violations only, and each by its HTML.
 */
const search = (page: Page, way: (typeof WAYS)[number]['way']) => {
  const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'], selectors: false })
  return (way === 'dark' ? builder.withRules(['color-contrast']) : builder.withTags(TAGS)).analyze()
}

/** Takes a picture, except in CI, where it would not be looked at. @param name of the picture */
export async function photograph(page: Page, name: string): Promise<void> {
  if (process.env['CI'] === 'true') return
  mkdirSync(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true })
}

/** @param name of the pictures: `connections`, `connections-empty` */
export async function look(page: Page, name: string): Promise<void> {
  if (IS_SHORT) return settled(page)
  const before = page.viewportSize()
  for (const { way, colorScheme, viewport } of WAYS) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(viewport)
    await settled(page)
    // Elements with a fixed position would otherwise appear in the middle of the picture.
    await page.evaluate('window.scrollTo(0, 0)')
    await photograph(page, `${name}-${way}`)
    const { violations } = await search(page, way)
    const told = violations.map(
      ({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map(({ html }) => html).join('\n  ')}`,
    )
    expect(told, `${name}, ${way}`).toEqual([])
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(wide, `${name}, ${way}: pixels that stick out to the side`).toBe(0)
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  if (before !== null) await page.setViewportSize(before)
}
