/**
 * The pictures of the README and the documentation, taken of a company (`npm run town`, at a fiftieth): the largest organization, with
 * its connections in all states and 90 days of calls. The same people, tools and calls come at each run; times are told from the
 * moment of the run. `npm run pictures` writes them to docs/pictures, with `--whole` of the whole town; every other run takes them too,
 * and looks whether they show what they should.
 */
// @module-tag long
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestVault } from '../../packages/gateway/src/testing/gateway.ts'
import { until } from '../e2e/peers/until.ts'
import { fillTown } from '../town/fill.ts'
import { SMALL, WHOLE } from '../town/size.ts'
import { openStreet } from '../town/street.ts'
import { NO_BROWSER } from './support/browser.ts'
import { startConsole, type ConsoleGateway } from './support/console.ts'
import { settled } from './support/look.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = join(ROOT, process.env['TOOLWAY_PICTURES'] === 'write' ? 'docs/pictures' : '.reports/pictures/docs')
const IS_WHOLE = process.env['TOOLWAY_PICTURES_TOWN'] === 'whole'
/** A million records take minutes. */
const FILLED_MS = IS_WHOLE ? 3_600_000 : undefined
const PASSWORD = 'correct horse battery'

/** Chromium's WebP of quality 1 loses nothing. Tests are checked without the names of the browser. */
const TO_WEBP = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.codePointAt(0))
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  canvas.getContext('2d').drawImage(image, 0, 0)
  return canvas.toDataURL('image/webp', 1)
}`

/** The same pixels in fewer bytes, which everybody who installs the package fetches. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage()
  const url = await blank.evaluate<string>(`(${TO_WEBP})('${png.toString('base64')}')`)
  await blank.close()
  expect(url).toMatch(/^data:image\/webp;base64,/)
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

interface Listed {
  readonly total: number
  readonly items: readonly { readonly status: string }[]
}

describe.skipIf(NO_BROWSER)('pictures', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    const street = parts.use(await openStreet())
    console = parts.use(await startConsole())
    const { db } = console.gateway
    const size = IS_WHOLE ? WHOLE : SMALL
    await fillTown(
      { db, vault: createTestVault() },
      { size, seed: 1, now: Date.now(), password: PASSWORD, port: street.port },
    )
  }, FILLED_MS)
  afterAll(() => parts.disposeAsync())

  async function picture(page: Page, name: string): Promise<void> {
    await settled(page)
    await mkdir(FOLDER, { recursive: true })
    const bytes = await asWebp(page, await page.screenshot({ animations: 'disabled' }))
    await writeFile(join(FOLDER, `${name}.webp`), bytes)
    expect(bytes.length).toBeGreaterThan(10_000)
  }

  /** The gateway contacts the servers of a town that is new to it; what they answered is a part of the pictures. */
  async function everyServerAsked(page: Page): Promise<void> {
    let before = ''
    await until('the state of each connection stays as it is', async () => {
      const answer = await page.request.get('/api/v1/admin/tenants/meridian/connectors?limit=200')
      const { items } = (await answer.json()) as Listed
      const now = items.map(({ status }) => status).join(' ')
      const isSame = now === before && items.length > 20
      before = now
      await page.waitForTimeout(1_000)
      return isSame
    })
  }

  test('show Home, usage and connecting a client as a person finds them', async () => {
    await using opened = await console.open()
    const { page } = opened
    const data = { email: 'admin@meridian.example', password: PASSWORD, cookies: true }
    expect((await page.request.post('/api/v1/auth/login', { data })).ok()).toBe(true)
    await everyServerAsked(page)
    await page.goto('/o/meridian')
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByText(/connections healthy/).waitFor()
    await until('the calls are counted', async () => {
      const text = await page.getByRole('img', { name: /in total/ }).getAttribute('aria-label')
      return Number(/([\d,]+) in total/.exec(text ?? '')?.[1]?.replaceAll(',', '') ?? 0) > 100
    })
    await page.getByText('The first steps are hidden.').waitFor({ state: 'detached' })
    await picture(page, 'home')
    await page.goto('/o/meridian/usage')
    await page.getByRole('img', { name: /Latency over time/ }).waitFor()
    await page.locator('.recharts-line-curve').first().waitFor()
    await picture(page, 'usage')
    await page.goto('/o/meridian/clients?client=claude-code')
    await page.getByRole('heading', { name: 'Live check' }).waitFor()
    await picture(page, 'connect-a-client')
  })
})
