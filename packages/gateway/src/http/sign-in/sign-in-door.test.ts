import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { addPerson, createBrowser, PASSWORD } from '../../testing/people.ts'

const ADMIN_LIST = '/api/v1/admin/tenants'

async function fixture(settings: Record<string, string> = {}) {
  const gateway = await startTestGateway({ settings })
  const user = await addPerson(gateway.db, { email: 'ada@example.com', platformAdmin: true })
  return {
    gateway,
    user,
    browser: createBrowser(gateway.address),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

describe('the sign-in page', () => {
  test('takes email and password, and leads on to where one wanted to go', async () => {
    await using held = await fixture()
    const { browser } = held
    const page = await browser.ask('/sign-in?next=/somewhere%3Fa=1')
    expect(await page.text()).toContain('value="/somewhere?a=1"')
    const answer = await browser.submit('/sign-in', {
      email: 'Ada@Example.com',
      password: PASSWORD,
      next: '/somewhere?a=1',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/somewhere?a=1'])
    expect((await browser.ask(ADMIN_LIST)).status).toBe(200)
    const again = await browser.ask('/sign-in?next=/somewhere')
    expect([again.status, again.headers.get('location')]).toEqual([303, '/somewhere'])
    expect(await (await browser.ask('/sign-in')).text()).toContain('ada@example.com')
  })

  test('leads nowhere else: an address of another site is dropped', async () => {
    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/.//evil.example',
      'javascript:alert(1)',
    ]
    await using held = await fixture()
    for (const next of elsewhere) {
      const answer = await held.browser.submit('/sign-in', { email: 'ada@example.com', password: PASSWORD, next })
      expect([next, answer.status, answer.headers.get('location')]).toEqual([next, 303, '/'])
    }
  })

  test('says the same of a wrong password and of nobody', async () => {
    await using held = await fixture()
    const problem = async (email: string) => {
      const answer = await held.browser.submit('/sign-in', { email, password: 'something else' })
      expect(answer.status).toBe(401)
      return /role="alert">([^<]*)/.exec(await answer.text())?.[1]
    }
    const wrong = await problem('ada@example.com')
    expect(wrong).toMatch(/Wrong email or password/)
    expect(await problem('bob@example.com')).toBe(wrong)
    expect(held.browser.jar.size).toBe(0)
  })

  test('is refused to forms of other sites', async () => {
    await using held = await fixture()
    const fields = { email: 'ada@example.com', password: PASSWORD }
    for (const origin of ['https://evil.example', 'null']) {
      const answer = await held.browser.submit('/sign-in', fields, { origin })
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
    }
  })

  test('asks a browser that another site sent once more, because it keeps its cookies back the first time', async () => {
    await using held = await fixture()
    const answer = await held.browser.ask('/sign-in?next=/a', { headers: { 'sec-fetch-site': 'cross-site' } })
    const text = await answer.text()
    expect(text).toContain('http-equiv="refresh" content="0; url=/sign-in?next=%2Fa"')
    expect(text).not.toContain('<form')
  })

  test('loads nothing, runs nothing and may not be framed', async () => {
    await using held = await fixture()
    const page = await held.browser.ask('/sign-in')
    const { headers } = page
    const [, style = ''] = /<style>([^]*)<\/style>/.exec(await page.text()) ?? []
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    // Its own styles are let through by the hash of exactly what stands there.
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    expect(policy).not.toMatch(/unsafe|script-src/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('signs out with its own form only, and the tokens end with it', async () => {
    await using held = await fixture()
    const { browser } = held
    await browser.submit('/sign-in', { email: 'ada@example.com', password: PASSWORD })
    const bearer = browser.jar.get('toolway_access')?.value ?? ''
    expect((await browser.submit('/sign-in/out', { csrf: 'guess' })).status).toBe(403)
    const csrf = browser.jar.get('toolway_csrf')?.value ?? ''
    expect((await browser.submit('/sign-in/out', { csrf })).status).toBe(303)
    expect(browser.jar.size).toBe(0)
    const late = await fetch(`${held.gateway.address}${ADMIN_LIST}`, { headers: { authorization: `Bearer ${bearer}` } })
    expect(late.status).toBe(401)
  })
})
