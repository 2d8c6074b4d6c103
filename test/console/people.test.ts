/** People, users and organizations: who comes in, with which role, and what is settled for whom. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const BEN = 'ben.tools@example.com'

describe.skipIf(NO_BROWSER)('people', () => {
  let console: ConsoleGateway
  beforeAll(async () => {
    console = await startConsole()
  })
  afterAll(() => console[Symbol.asyncDispose]())

  test('come in with a code that is shown once, change roles, form groups and leave', { tags: 'long' }, async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/people')
    await page.getByRole('button', { name: 'Add a person' }).click()
    await page.getByLabel('Email address').fill(BEN)
    await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('Viewer')
    await look(page, 'people-add')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'ben.tools was added' }).waitFor()
    await page.getByRole('button', { name: 'Copy the code' }).click()
    const code = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(code).toMatch(/^[\w-]{8,}$/)
    await look(page, 'people-code')
    await page.keyboard.press('Escape')

    const role = page.getByRole('combobox', { name: 'Role of ben.tools' })
    await role.selectOption('Administrator')
    await page.getByText('ben.tools now has the role Administrator').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('ben.tools now has the role Viewer').waitFor()
    expect(await role.inputValue()).toBe('tenant_viewer')
    await look(page, 'people')

    await page.getByRole('tab', { name: 'Groups' }).click()
    await page.getByRole('button', { name: 'New group' }).first().click()
    await page.getByLabel('Title').fill('On Call')
    expect(await page.getByLabel('Short name').inputValue()).toBe('on-call')
    await page.getByRole('combobox', { name: 'Members' }).fill('ben')
    await page.getByRole('option', { name: /ben\.tools/ }).click()
    await page.getByLabel('Title').focus()
    await page.getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('table', { name: 'Groups' }).getByText('ben.tools').waitFor()
    await look(page, 'people-groups')
    await page.getByRole('button', { name: 'Remove the group On Call' }).click()
    await page.getByText('No groups yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByRole('table', { name: 'Groups' }).getByText('ben.tools').waitFor()

    await page.getByRole('tab', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Remove ben.tools' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
    await role.waitFor({ state: 'detached' })
  })

  test('C-ID-04: come in by a file, whose lines are shown before they count', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/people')
    await page.getByRole('button', { name: 'Import' }).click()
    const choose = (bytes: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: bytes })
    await choose(Buffer.from('email,name\nx@example.com,M\xfcller', 'latin1'))
    await page.getByText('This file is not UTF-8').waitFor()
    await choose(Buffer.from('\uFEFFname;email;role\n"Zoë ""Z"" <b>";zoe@example.com;viewer\nBad;nowhere;viewer'))
    await page.getByText('Preview: 1 to add, 0 to change, 0 unchanged, 1 left out').waitFor()
    await page.getByText('Line 3: “nowhere” is not an email address').waitFor()
    await page.getByLabel('Create one-time codes for new people').check()
    await look(page, 'people-import')
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Imported: 1 added').waitFor()
    await page.getByText('1 code was created').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('table', { name: 'Members' }).getByText('Zoë "Z" <b>').waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    expect((await saved).suggestedFilename()).toBe('default-members.csv')
  })

  test('C-ID-09: have a page each, where a lost second factor is reset', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/people?q=zoe')
    await page.getByRole('button', { name: 'Zoë "Z" <b>', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('zoe@example.com').waitFor()
    await dialog.getByText('Added by hand').waitFor()
    await look(page, 'people-member')
    await dialog.getByRole('button', { name: 'Reset second factor' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByText('The second factor of Zoë "Z" <b> was reset').waitFor()
  })

  test('of the installation are added, switched off and given a new code', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/users')
    await page.getByRole('button', { name: 'Add account' }).click()
    await page.getByLabel('Email address').fill('eve@example.com')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('heading', { name: 'eve has an account' }).waitFor()
    await page.keyboard.press('Escape')
    const active = page.getByRole('switch', { name: 'eve can sign in' })
    await active.press('Space')
    await page.getByText('eve was signed out and can no longer sign in').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('eve can now sign in.').waitFor()
    expect(await active.isChecked()).toBe(true)
    expect(await page.getByRole('switch', { name: `${ADA.email} can sign in` }).isDisabled()).toBe(true)
    await look(page, 'users')
    await page.getByRole('button', { name: 'Create a password code for eve' }).click()
    await page.getByRole('heading', { name: 'Code for eve' }).waitFor()
  })

  test(
    'have organizations, which are made, settled, switched off and removed by their typed name',
    { tags: 'long' },
    async () => {
      await using opened = await console.open(ADA)
      const { page } = opened
      await page.goto('/organizations')
      await page.getByRole('button', { name: 'New organization' }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Harbour Works')
      await page.getByRole('button', { name: 'Create organization' }).click()
      await page.getByText('Harbour Works created').waitFor()
      await look(page, 'organizations')
      await page.getByRole('button', { name: 'Edit Harbour Works' }).click()
      await page.getByLabel('Requests per minute').fill('120')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('Harbour Works saved').waitFor()
      await page.getByRole('textbox', { name: 'Networks' }).fill('10.1.0.0/16')
      await page.getByRole('button', { name: 'Save addresses' }).click()
      await page.getByText('Addresses saved').waitFor()
      expect(page.url()).toContain('edit=harbour-works')
      await look(page, 'organizations-edit')
      await page.getByRole('button', { name: 'Remove Harbour Works' }).click()
      const gone = page.getByRole('dialog', { name: 'Remove Harbour Works permanently?' })
      const remove = gone.getByRole('button', { name: 'Remove Harbour Works' })
      expect(await remove.isDisabled()).toBe(true)
      await gone.getByLabel('Type harbour-works to confirm').fill('harbour-works')
      await remove.click()
      await page.getByText('Harbour Works removed').waitFor()
      await page.getByRole('table').getByText('Harbour Works').waitFor({ state: 'detached' })
    },
  )

  test('without the role are told so in words, and do not see it in the menu', async () => {
    await using opened = await console.open({ email: 'vera@example.com', role: 'tenant_viewer' })
    const { page } = opened
    await page.goto('/people')
    await page.getByRole('heading', { name: 'Only administrators can manage people' }).waitFor()
    await page.goto('/organizations')
    await page.getByRole('heading', { name: 'Only platform administrators can manage organizations' }).waitFor()
    await page.goto('/users')
    await page.getByRole('heading', { name: 'Only platform administrators can manage accounts' }).waitFor()
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await menu.getByRole('link', { name: 'Connections' }).waitFor()
    for (const name of ['People', 'Organizations', 'Users', 'Rules', 'Audit log', 'Settings'])
      expect(await menu.getByRole('link', { name }).count(), name).toBe(0)
  })
})
