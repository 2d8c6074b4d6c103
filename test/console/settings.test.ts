/** Settings of an administrator: limits, OAuth apps and webhooks; and the settings that the installation was started with. */
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const SECRET = 'a-secret-of-the-client-abcd'

describe.skipIf(NO_BROWSER)('settings', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let opened: WatchedPage
  beforeAll(async () => {
    console = parts.use(await startConsole({ settings: { TOOLWAY_ALLOWED_HOSTS: 'tools.internal' } }))
    opened = parts.use(await console.open(ADA))
  })
  afterAll(() => parts.disposeAsync())

  test('of the organization are changed with their bounds in words, and changed back', async () => {
    const { page } = opened
    await page.goto('/settings')
    const name = page.getByLabel('Name', { exact: true })
    await name.waitFor()
    await look(page, 'settings')
    await page.getByLabel('Contact email').fill('nobody')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Enter an email address, or leave this field empty').waitFor()
    await page.getByLabel('Contact email').fill('help@example.com')
    await name.fill('The default one')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Settings restored').waitFor()
    await expect.poll(() => name.inputValue()).toBe('Default')
  })

  test('take an OAuth app whose secret goes in and never comes out', { tags: 'long' }, async () => {
    const { page } = opened
    await page.goto('/settings?tab=apps')
    await page.getByRole('button', { name: 'Add OAuth app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add OAuth app' })
    await dialog.getByRole('combobox', { name: 'Vendor' }).click()
    await page.getByRole('option', { name: 'GitHub', exact: true }).click()
    await dialog.getByText(`${console.gateway.address}/oauth/callback`).waitFor()
    await look(page, 'settings-app')
    await dialog.getByLabel('Client ID').fill('Iv1.client')
    await dialog.getByLabel('Client secret').fill(SECRET)
    await dialog.getByRole('button', { name: 'Save' }).click()
    const row = page.getByRole('row').filter({ hasText: 'GitHub' })
    await row.getByText('••••abcd').waitFor()
    expect(await page.content()).not.toContain(SECRET)
    await row.getByRole('button', { name: 'Remove the GitHub app' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'No OAuth apps yet' }).waitFor()
  })

  test(
    'enter an identity provider with its groups, and a domain that is not proven yet',
    { tags: 'long' },
    async () => {
      const { page } = opened
      await page.goto('/settings?tab=signIn')
      await page.getByRole('heading', { name: 'No identity provider yet' }).waitFor()
      await look(page, 'settings-sign-in-empty')
      await page.getByRole('button', { name: 'Add an identity provider' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add an identity provider' })
      await dialog.getByRole('combobox', { name: 'Provider', exact: true }).click()
      await page.getByRole('option', { name: 'Okta' }).click()
      await dialog.getByLabel('Client ID').fill('toolway')
      await dialog.getByLabel('Client secret').fill(SECRET)
      await dialog.getByRole('button', { name: 'Save' }).click()
      // The preset's address has a place to fill in.
      await dialog.getByText('replace what is in braces').waitFor()
      await dialog.getByLabel('Issuer address').fill('https://acme.okta.com')
      await dialog.getByRole('button', { name: 'Add a group' }).click()
      await dialog.getByRole('textbox', { name: 'Group at the provider' }).fill('Finance')
      await look(page, 'settings-sign-in-form')
      await dialog.getByRole('button', { name: 'Save' }).click()
      const row = page.getByRole('row').filter({ hasText: 'https://acme.okta.com' })
      await row.getByText('Off', { exact: true }).waitFor()
      expect(await page.content()).not.toContain(SECRET)
      await row.getByRole('button', { name: 'Actions for Okta' }).click()
      await page.getByRole('menuitem', { name: 'Addresses for the provider' }).click()
      const redirect = page.getByRole('dialog').getByRole('region', { name: 'Redirect address' })
      expect(await redirect.innerText()).toContain(`${console.gateway.address}/sign-in/provider/idp_`)
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Add a domain' }).click()
      await page.getByRole('dialog').getByLabel('Domain').fill('Acme.example')
      await page.getByRole('dialog').getByRole('button', { name: 'Add a domain' }).click()
      const domain = page.getByRole('row').filter({ hasText: 'acme.example' })
      await domain.getByText('Add a TXT record _toolway.acme.example').waitFor()
      expect(await domain.getByRole('switch').isDisabled()).toBe(true)
      await look(page, 'settings-sign-in')
      await domain.getByRole('button', { name: 'Vouch for it' }).click()
      await domain.getByText('Vouched for by the platform').waitFor()

      await page.getByRole('button', { name: 'Create a SCIM token' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Okta')
      await page.getByRole('dialog').getByRole('button', { name: 'Create a SCIM token' }).click()
      const secret = await page
        .getByRole('dialog')
        .getByText(/^twscim_/)
        .innerText()
      await page.getByRole('dialog').getByRole('button', { name: 'I have saved the secret' }).click()
      await page
        .getByRole('row')
        .filter({ hasText: `…${secret.slice(-4)}` })
        .waitFor()
      await page.getByText(`${console.gateway.address}/scim/v2/default`).waitFor()
      await look(page, 'settings-sign-in-scim')
      expect(await page.content()).not.toContain(secret)
    },
  )

  test(
    'tell an address of alerts: its secret is shown once, and a test says what came of it',
    { tags: 'long' },
    async () => {
      let told = 0
      const receiver = createServer((_, response) => {
        told++
        response.end()
      })
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
      parts.defer(() => void receiver.close())
      const { port } = receiver.address() as { port: number }
      const address = `http://127.0.0.1:${port}/hook`
      const { page } = opened
      await page.goto('/settings?tab=webhooks')
      await page.getByRole('button', { name: 'Add webhook' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add webhook' })
      await dialog.getByLabel('URL').fill('nowhere')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('The URL must start with https:// or http://').waitFor()
      await dialog.getByLabel('URL').fill(address)
      await dialog.getByLabel('Allow private networks').check()
      await dialog.getByRole('button', { name: 'Save' }).click()
      const secret = page.getByRole('dialog', { name: 'Signing secret' })
      await secret
        .getByRole('region', { name: 'Secret' })
        .getByText(/^whsec_/)
        .waitFor()
      await secret.getByRole('button', { name: 'I have saved the secret' }).click()
      await secret.waitFor({ state: 'hidden' })

      await page.getByRole('button', { name: `Actions for ${address}` }).click()
      await page.getByRole('menuitem', { name: 'Send test message' }).click()
      await page.getByText('Delivered. The server responded with 200').waitFor()
      expect(told).toBe(1)
      await look(page, 'settings-webhooks')
      await page.getByRole('button', { name: `Actions for ${address}` }).click()
      await page.getByRole('menuitem', { name: 'Turn off' }).click()
      await page.getByRole('table').getByText('Off', { exact: true }).waitFor()
    },
  )

  test(
    'push records to a destination: secrets are written only, a test says what came of it, and a stream is paused and removed',
    { tags: 'long' },
    async () => {
      const heard: string[] = []
      const receiver = createServer((request, response) => {
        heard.push(request.headers['x-token']?.toString() ?? '')
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      })
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
      parts.defer(() => void receiver.close())
      const { port } = receiver.address() as { port: number }
      const { page } = opened
      await page.goto('/settings?tab=streams')
      await page.getByRole('heading', { name: 'No record streams yet' }).waitFor()
      await look(page, 'settings-record-streams-none')
      await page.getByRole('button', { name: 'Add a record stream' }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a record stream' })
      const kinds = ['Syslog over TLS', 'S3-compatible bucket', 'ClickHouse', 'Webhook', 'OpenTelemetry logs (OTLP)']
      const firstField = ['Host', 'Endpoint', 'Database', 'URL', 'Headers']
      for (const [index, kind] of kinds.entries()) {
        await dialog.getByRole('combobox', { name: 'Destination type' }).click()
        await page.getByRole('option', { name: kind, exact: true }).click()
        await dialog.getByLabel(firstField[index] ?? '', { exact: true }).waitFor()
      }
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Enter a name').waitFor()
      await dialog.getByText('This value is not valid').waitFor()
      await dialog.getByLabel('Name').fill('SIEM')
      await dialog.getByLabel('URL').fill(`http://127.0.0.1:${port}/v1/logs`)
      await dialog.getByLabel('Headers').fill('x-token: s3cret-of-siem')
      await dialog.getByLabel('Allow private networks').check()
      await look(page, 'settings-record-stream-form')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'hidden' })

      const act = async (name: string, stream = 'SIEM') => {
        await page.getByRole('button', { name: `Actions for ${stream}` }).click()
        await page.getByRole('menuitem', { name }).click()
      }
      await act('Send a test record')
      await page.getByText('The destination accepted the test record').waitFor()
      expect(heard).toContain('s3cret-of-siem')
      await look(page, 'settings-record-streams')
      await act('Edit')
      const change = page.getByRole('dialog', { name: 'Edit record stream' })
      await change.getByLabel('Change the destination and its secrets').check()
      expect(await change.getByLabel('Headers').inputValue()).toBe('')
      await change.getByRole('button', { name: 'Cancel' }).click()
      await act('Pause')
      await page.getByRole('table').getByText('Paused', { exact: true }).waitFor()
      await act('Remove')
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('heading', { name: 'No record streams yet' }).waitFor()

      // The installation has streams of its own, with the records of every organization.
      await page.goto('/settings?tab=installation')
      await page.getByRole('button', { name: 'Add a record stream' }).click()
      await dialog.getByRole('combobox', { name: 'Destination type' }).click()
      await page.getByRole('option', { name: 'OpenTelemetry logs (OTLP)', exact: true }).click()
      await dialog.getByLabel('Name').fill('Archive')
      await dialog.getByLabel('URL').fill(`http://127.0.0.1:${port}/v1/logs`)
      await dialog.getByLabel('Headers').fill('x-token: s3cret-of-archive')
      await dialog.getByLabel('Allow private networks').check()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await act('Send a test record', 'Archive')
      await page.getByText('The destination accepted the test record').first().waitFor()
      expect(heard).toContain('s3cret-of-archive')
      await page.goto('/settings?tab=streams')
      await page.getByRole('heading', { name: 'No record streams yet' }).waitFor()
      await page.goto('/settings?tab=installation')
      await act('Remove', 'Archive')
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('heading', { name: 'No record streams for the installation yet' }).waitFor()
    },
  )

  test('of the installation say where each comes from, to who looks after it', async () => {
    const { page } = opened
    await page.goto('/settings?tab=installation&search=allowed')
    const row = page.getByRole('row').filter({ hasText: 'TOOLWAY_ALLOWED_HOSTS' })
    await row.getByText('tools.internal').waitFor()
    await row.getByText('Environment').waitFor()
    // As doctor says it: the driver of this machine, and what is missing in words.
    await page.getByRole('heading', { name: 'Program sandbox' }).waitFor()
    await page.getByText('Preferred: programs are isolated as far as this host allows').waitFor()
    await look(page, 'settings-installation')
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByRole('heading', { name: 'No alerts' }).waitFor()

    await using may = await console.open({ email: 'may@example.com', role: 'tenant_member' })
    await may.page.goto('/settings?tab=installation')
    await may.page.getByRole('tab', { name: 'Alerts', selected: true }).waitFor()
    expect(await may.page.getByRole('tab').count()).toBe(1)
  })
})
