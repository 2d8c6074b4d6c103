/** Signing in, staying in and leaving, as a browser does it: what scripts can read, and what happens when a token runs out. */
// @module-tag long
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LOOKS_LIKE_KEY } from '../../packages/gateway/src/identity/keys/key-forms.ts'
import { PASSWORD } from '../../packages/gateway/src/testing/people.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const ANY_TOKEN = new RegExp(String.raw`eyJ[\w-]{10,}\.|\b${LOOKS_LIKE_KEY.source.slice(1)}[\w-]{20,}`)
const LEAST_PARALLEL = 5
/** As in the console's queries, and a little more. */
const FRESH_MS = 1_200

const soon = <T>(read: () => T) =>
  // eslint-disable-next-line vitest/require-awaited-expect-poll -- whoever says what it should be awaits it
  expect.poll(read)

describe.skipIf(NO_BROWSER)('a sign-in', () => {
  let console: ConsoleGateway
  beforeAll(async () => {
    console = await startConsole()
  })
  afterAll(() => console[Symbol.asyncDispose]())

  /** What Home asks, it asks together. */
  const atHome = async (page: Page) => {
    await page.goto('/')
    await page.getByText('No tool has been called').waitFor()
    await page.getByText('Nothing needs your attention').waitFor()
  }
  /** As a browser does when its time is over. */
  const expire = (context: BrowserContext) => context.clearCookies({ name: 'toolway_access' })
  /** As when somebody comes back to the window. */
  const comeBack = (page: Page) => page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
  let lastAt = Date.now()
  /** What was asked is asked again by who comes back once it is not fresh any more. */
  const untilStale = async () => {
    await expect.poll(() => Date.now() - lastAt).toBeGreaterThan(FRESH_MS)
  }
  const watch = (page: Page) => {
    const seen = { refused: 0, renewed: 0 }
    lastAt = Date.now()
    page.on('response', (response) => {
      lastAt = Date.now()
      if (response.status() === 401) seen.refused++
      if (response.url().endsWith('/auth/refresh')) seen.renewed++
    })
    return seen
  }

  test('begins on a page that looks well: the first one, and those after it', { tags: 'long' }, async () => {
    await using opened = await console.open()
    const { page } = opened
    await page.goto('/')
    await page.getByRole('heading', { name: 'Set up Toolway' }).waitFor()
    await look(page, 'sign-in-first')
    await using known = await console.open(ADA)
    await known.context.clearCookies()
    await known.page.goto('/keys?org=default')
    await known.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await look(known.page, 'sign-in')
    // What was asked for is there after signing in.
    await known.page.getByLabel('Email').fill(ADA.email)
    await known.page.getByLabel('Password').fill(PASSWORD)
    await known.page.getByRole('button', { name: 'Sign in' }).click()
    await known.page.waitForURL('/o/default/keys')
    await known.page.getByRole('heading', { level: 1 }).waitFor()
  })

  test('that is over says so on the sign-in page, and goes on where it was', async () => {
    await using opened = await console.open(ADA)
    const { page, context } = opened
    await atHome(page)
    await context.clearCookies({ name: /^toolway_(access|refresh)$/ })
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Keys' }).click()
    await page.getByText('Your session has ended. Sign in again to continue.').waitFor()
    await page.getByLabel('Email').fill(ADA.email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('/o/default/keys')
  })

  test('S0-AUT-06: leaves no token where a script can read it, and what can be read opens nothing', async () => {
    await using opened = await console.open(ADA)
    const { page, context } = opened
    await atHome(page)
    const cookies = await context.cookies()
    const hidden = cookies.filter(({ httpOnly }) => httpOnly)
    expect(hidden.map(({ name }) => name).sort()).toEqual(['toolway_access', 'toolway_refresh'])
    expect(cookies.map(({ sameSite }) => sameSite)).toEqual(cookies.map(() => 'Strict'))
    const readable = await page.evaluate<string>(`(async () => JSON.stringify([
      document.cookie, { ...localStorage }, { ...sessionStorage }, document.documentElement.outerHTML,
      await indexedDB.databases(), await caches.keys(), window.name, history.state,
    ]))()`)
    for (const { name, value } of hidden) expect(readable.includes(value), `${name} can be read`).toBe(false)
    // No JSON Web Token, no refresh token and no key of any kind, whoever made it.
    expect(readable).not.toMatch(ANY_TOKEN)
    const csrf = cookies.find(({ name }) => name === 'toolway_csrf')
    expect(await page.evaluate<string>('document.cookie')).toBe(`toolway_csrf=${csrf?.value}`)
    const { address } = console.gateway
    const value = csrf?.value ?? ''
    const asked: [path: string, method: string, headers: Record<string, string>][] = [
      ['/api/v1/auth/me', 'GET', { cookie: `toolway_csrf=${value}` }],
      ['/api/v1/auth/me', 'GET', { authorization: `Bearer ${value}` }],
      ['/api/v1/auth/me', 'GET', { cookie: `toolway_access=${value}; toolway_csrf=${value}`, 'x-csrf-token': value }],
      [
        '/api/v1/auth/refresh',
        'POST',
        { cookie: `toolway_refresh=${value}; toolway_csrf=${value}`, 'x-csrf-token': value },
      ],
      ['/api/v1/auth/keys', 'POST', { cookie: `toolway_csrf=${value}`, 'x-csrf-token': value }],
      ['/mcp', 'POST', { authorization: `Bearer ${value}` }],
    ]
    for (const [path, method, headers] of asked) {
      const body = path === '/mcp' ? { body: '{}' } : {}
      const answer = await fetch(address + path, {
        method,
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        ...body,
      })
      expect(answer.status, `${method} ${path}`).toBe(401)
    }
  })

  test('S0-AUT-08: is renewed unnoticed when its token has run out, once for all that ask at the time', async () => {
    await using opened = await console.open(ADA)
    const { page, context } = opened
    await atHome(page)
    const seen = watch(page)
    await untilStale()
    await expire(context)
    await comeBack(page)
    await soon(() => seen.refused).toBeGreaterThanOrEqual(LEAST_PARALLEL)
    await soon(() => seen.renewed).toBe(1)
    await soon(async () => (await context.cookies()).map(({ name }) => name)).toContain('toolway_access')
    // Nobody was led away, and what is asked from now on is answered.
    expect(new URL(page.url()).pathname).toBe('/o/default')
    // Those that were sent before the renewal are all answered by then.
    await untilStale()
    const refused = seen.refused
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.waitForURL(/\/keys/)
    expect(seen).toEqual({ refused, renewed: 1 })
  })

  test(
    'S0-AUT-08: is renewed once for two tabs that find it out together, and ends in both',
    { tags: 'long' },
    async () => {
      await using opened = await console.open(ADA)
      const { page, context } = opened
      const other = await context.newPage()
      await Promise.all([atHome(page), atHome(other)])
      const both = [watch(page), watch(other)]
      await untilStale()
      await expire(context)
      await Promise.all([comeBack(page), comeBack(other)])
      await soon(() => Math.min(...both.map(({ refused }) => refused))).toBeGreaterThan(0)
      await soon(() => both.reduce((sum, { renewed }) => sum + renewed, 0)).toBe(1)
      await Promise.all([atHome(page), atHome(other)])

      await page.getByRole('button', { name: `Account menu for ${ADA.email}` }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.waitForURL('/sign-in')
      expect(await context.cookies()).toEqual([])
      // The other tab may find it out by itself before.
      await other.goto('/people').catch(() => undefined)
      await other.waitForURL(/\/sign-in/)
    },
  )
})
