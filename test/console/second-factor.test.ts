/** Second factors in a real browser: a passkey of a virtual authenticator, codes of an app, and an organization that requires one. */
// @module-tag long
import { connect, createServer, type AddressInfo } from 'node:net'
import { Secret, TOTP } from 'otpauth'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { z } from 'zod'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { addPerson, PASSWORD } from '../../packages/gateway/src/testing/people.ts'
import { NO_BROWSER, openPage } from './support/browser.ts'
import { ensureBuilt } from './support/console.ts'
import { look } from './support/look.ts'

/** Passkeys need a host with a name, which a port that is not known beforehand cannot have. */
async function startAtName() {
  let target = 0
  const relay = createServer((socket) => {
    const there = connect(target, '127.0.0.1')
    socket.pipe(there).pipe(socket)
    for (const end of [socket, there]) end.on('error', () => void [socket.destroy(), there.destroy()])
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const address = `http://localhost:${(relay.address() as AddressInfo).port}`
  const gateway = await startTestGateway({ settings: { TOOLWAY_PUBLIC_URL: address } })
  target = Number(new URL(gateway.address).port)
  return {
    address,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await new Promise((resolve) => relay.close(resolve))
    },
  }
}

async function addAuthenticator(context: BrowserContext, page: Page) {
  const session = await context.newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

async function signIn(page: Page, email: string) {
  await page.goto('/sign-in?next=%2Fme')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
const signOut = async (page: Page) => {
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email').waitFor()
}

describe.skipIf(NO_BROWSER)('a second factor', () => {
  const parts = new AsyncDisposableStack()
  let address = ''
  let gateway: TestGateway
  beforeAll(async () => {
    await ensureBuilt()
    const started = parts.use(await startAtName())
    ;({ address, gateway } = started)
    const { db, organization } = gateway
    await addPerson(db, { email: 'boss@example.com', platformAdmin: true, roles: [[organization.id, 'tenant_admin']] })
    for (const email of ['ada@example.com', 'ben@example.com', 'eve@example.com'])
      await addPerson(db, { email, roles: [[organization.id, 'tenant_member']] })
    await gateway.restart()
  })
  afterAll(() => parts.disposeAsync())

  test('a passkey is added on one’s page, and signs in after the password and alone', async () => {
    await using opened = await openPage(address)
    const { page, context } = opened
    await addAuthenticator(context, page)
    await signIn(page, 'ada@example.com')
    await page.getByRole('heading', { name: 'Second factor', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await look(page, 'second-factor-passkey')
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    await codes.getByRole('region', { name: 'Recovery codes' }).waitFor()
    await look(page, 'second-factor-codes')
    await codes.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByRole('table', { name: 'Second factor' }).getByText('Passkey').first().waitFor()
    await look(page, 'second-factor')
    await signOut(page)

    await signIn(page, 'ada@example.com')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Second factor', exact: true }).waitFor()
    await signOut(page)
    await page.goto('/sign-in?next=%2Fme')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Second factor', exact: true }).waitFor()
  })

  test('an app is added by its secret, and its code signs in', async () => {
    await using opened = await openPage(address)
    const { page } = opened
    await signIn(page, 'ben@example.com')
    await page.getByRole('button', { name: 'Add an app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
    const secret = (await dialog.getByRole('region', { name: 'Secret' }).innerText()).trim()
    await look(page, 'second-factor-app')
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    await dialog.getByRole('textbox', { name: 'Code' }).fill(code)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    const recovery = (await codes.getByRole('region', { name: 'Recovery codes' }).innerText()).split('\n')[0] ?? ''
    await codes.getByRole('button', { name: 'I have saved them' }).click()
    await signOut(page)

    await signIn(page, 'ben@example.com')
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
    await look(page, 'second-step')
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code').fill(recovery.trim())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Second factor', exact: true }).waitFor()
    await page.getByText('9 recovery codes are left.').waitFor()
  })

  test('a member without one is led to their page where the organization requires one, in German too', async () => {
    await gateway.db.system(
      (sql) => sql(z.object({}))`
        update organizations set settings = settings || '{"second_factor": "required"}'::jsonb, updated_at = now()
         where id = ${gateway.organization.id}`,
    )
    await gateway.restart()
    await using opened = await openPage(address, { locale: 'de-DE' })
    const { page } = opened
    await page.goto('/sign-in')
    await page.locator('input[type=email]').fill('eve@example.com')
    await page.locator('input[type=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
    await page.waitForURL(/\/me$/)
    await page.getByText('Für Ihr Konto ist ein zweiter ').waitFor()
    await look(page, 'second-factor-required-de')
  })
})
