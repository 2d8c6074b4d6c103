/**
 * A real browser for tests: Debian's Chromium, one for each test file, a fresh profile for each page.
 *
 * Whatever a page must never do is watched on every page: throw, break the content policy, ask another site for anything.
 */
import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { PATIENCE_MS } from '../../../packages/gateway/src/testing/patience.ts'

/** Where Debian, Ubuntu, Fedora and macOS put it; TOOLWAY_TEST_CHROMIUM names another. */
const PLACES = [
  process.env['TOOLWAY_TEST_CHROMIUM'],
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const found = PLACES.find((place) => place !== undefined && existsSync(place))

/** In CI a browser that is missing is a failure; elsewhere its tests are skipped, and say so. */
export const NO_BROWSER = found === undefined && process.env['CI'] !== 'true'

let started: Promise<Browser> | undefined

/** The browser of this test file; it ends with its process. */
export function browser(): Promise<Browser> {
  if (found === undefined)
    throw new Error('There is no Chromium here: install the package "chromium-headless-shell" or "chromium".')
  started ??= chromium.launch({
    executablePath: found,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
  return started
}

export interface WatchedPage extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** Errors of the page so far, as the browser reports them. */
  readonly complaints: readonly string[]
}

/** A page of a fresh profile at `address`; `[Symbol.asyncDispose]` throws if there were complaints. */
export async function openPage(
  address: string,
  options: { expected?: RegExp; locale?: string } = {},
): Promise<WatchedPage> {
  const context = await (
    await browser()
  ).newContext({
    baseURL: address,
    locale: options.locale ?? 'en-US',
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  const complain = (what: string) => {
    // A refused request is written to the console by the browser itself; the page's own handling is what counts.
    if (!/Failed to load resource/.test(what) && options.expected?.test(what) !== true) complaints.push(what)
  }
  const watch = (watched: Page) => {
    watched.on('pageerror', (thrown) => complain(`threw ${thrown.stack ?? thrown.message}`))
    watched.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complain(message.text())
    })
    watched.on('request', (request) => {
      const url = new URL(request.url())
      if (url.protocol.startsWith('http') && url.hostname !== new URL(address).hostname) complain(`asked ${url.origin}`)
    })
  }
  watch(page)
  context.on('page', watch)
  return {
    page,
    context,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close()
      if (complaints.length > 0) throw new Error(`The page complained:\n${complaints.join('\n')}`)
    },
  }
}
