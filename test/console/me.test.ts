/** One's own account: where one is signed in, and one's password. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD, signIn } from '../../packages/gateway/src/testing/people.ts'
import { NO_BROWSER } from './support/browser.ts'
import { startConsole, type ConsoleGateway, type Person } from './support/console.ts'
import { look } from './support/look.ts'

const MAY: Person = { email: 'may@example.com', role: 'tenant_member' }
const NEXT = 'a horse of another colour'

describe.skipIf(NO_BROWSER)('one’s own account', () => {
  let console: ConsoleGateway
  beforeAll(async () => {
    console = await startConsole()
  })
  afterAll(() => console[Symbol.asyncDispose]())

  test('shows where one is signed in and ends the others; a new password is asked for with the old one', async () => {
    await using opened = await console.open(MAY)
    const { page } = opened
    const { address } = console.gateway
    await signIn(address, MAY.email)
    await page.goto('/me')
    const table = page.getByRole('table', { name: 'Active sessions' })
    await table.getByText('Current').waitFor()
    await look(page, 'me')
    await table.getByRole('button', { name: /^End session: Command line/ }).click()
    await page.getByText('Session ended').waitFor()
    await expect.poll(() => table.getByRole('row').count()).toBe(2)

    const field = (name: string) => page.getByLabel(name, { exact: true })
    await field('Current password').fill('not the password')
    await field('New password').fill(NEXT)
    await field('Confirm new password').fill(`${NEXT}!`)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The passwords do not match').waitFor()
    await field('Confirm new password').fill(NEXT)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('alert').waitFor()
    await field('Current password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed.').waitFor()
    expect(await field('New password').inputValue()).toBe('')

    const login = (password: string) =>
      fetch(`${address}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: MAY.email, password }),
      })
    expect([(await login(PASSWORD)).status, (await login(NEXT)).status]).toEqual([401, 200])
    // The user who changed the password is still signed in, by a new sign-in.
    await page.reload()
    await table.getByText('Current').waitFor()
  })
})
