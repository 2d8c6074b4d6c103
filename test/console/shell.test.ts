/** The frame around every screen: menu, palette, organizations, and the live indicator. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addUser } from '../../packages/gateway/src/identity/users.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

describe.skipIf(NO_BROWSER)('the shell', () => {
  let console: ConsoleGateway
  beforeAll(async () => {
    const off = 'http://127.0.0.1:9/mcp'
    console = await startConsole({
      connections: [{ alias: 'harbour', title: 'Harbour Desk', wire: { kind: 'http', url: off, headers: {} } }],
      others: [{ slug: 'second', name: 'Second House', connections: [], toolsets: [], keys: [] }],
    })
  })
  afterAll(() => console[Symbol.asyncDispose]())

  test('finds places, things and actions by their names, with the keyboard alone', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/?org=default')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    const box = page.getByRole('textbox', { name: 'Go to a page or run an action' })
    await page.keyboard.press('Control+k')
    await box.waitFor()
    await look(page, 'palette')
    await box.fill('harbour')
    await page.getByText('Harbour Desk', { exact: true }).last().waitFor()
    await page.getByRole('dialog').getByText('Harbour Desk').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('/o/default/connections/harbour')
    await page.keyboard.press('Control+k')
    await box.fill('dark')
    await page.getByRole('dialog').getByText('Switch to dark').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' })
    await page.keyboard.press('Control+k')
    await box.fill('second')
    await page.getByRole('dialog').getByText('Second House').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('/o/second')
    await page.getByRole('button', { name: 'Organization: Second House' }).waitFor()
  })

  test('finds how to invite a person, and the documentation', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('textbox', { name: 'Go to a page or run an action' })
    await box.fill('documentation')
    await page.getByRole('dialog').getByText('Documentation').waitFor()
    await box.fill('invite')
    await page.getByRole('dialog').getByText('Invite a person').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Add a person' }).waitFor()
  })

  test('finds a person by name among more than a page of them, for those who may see members', async () => {
    const { db, organization } = console.gateway
    const clerks = Array.from({ length: 60 }, (_, at) => ({ email: `clerk-${at}@example.com`, name: `Clerk ${at}` }))
    await db.system(async (sql) => {
      for (const { email, name } of [...clerks, { email: 'zora@example.com', name: 'Grace Hopper' }]) {
        const user = await addUser(sql, { email, name, password: 'of nobody' })
        if (user === undefined) throw new Error(`${email} is there already`)
        await sql(
          z.object({}),
        )`insert into members (organization_id, user_id, role) values (${organization.id}, ${user.id}, 'tenant_member')`
      }
    })
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('textbox', { name: 'Go to a page or run an action' })
    await box.fill('clerk')
    const found = page.getByRole('dialog').getByText(/^clerk-\d+@example\.com$/)
    await found.first().waitFor()
    expect(await found.count()).toBe(5)
    await box.fill('hopper')
    await page.getByRole('dialog').getByText('zora@example.com').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('/o/default/people?q=zora%40example.com')
    await page.getByRole('row', { name: /zora@example\.com/ }).waitFor()

    await using member = await console.open({ email: 'eve@example.com', role: 'tenant_member' })
    const asked: string[] = []
    member.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await member.page.goto('/o/default')
    await member.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await member.page.keyboard.press('Control+k')
    const answered = member.page.waitForResponse(/\/connectors\?.*search=hopper/)
    await member.page.getByRole('textbox', { name: 'Go to a page or run an action' }).fill('hopper')
    await answered
    await member.page.getByText('No matches').waitFor()
    expect(asked.filter((path) => path.endsWith('/members'))).toEqual([])
  })

  test('goes through screens and rows by single keys, which can be listed and switched off', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await sheet.getByText('Go to Connections').waitFor()
    await look(page, 'shortcuts')
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.type('gl')
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    // The rows of a table, one after the other, and Enter opens the one that has the focus.
    await page.getByRole('row').nth(1).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await expect.poll(() => page.locator('[role="row"]:nth-child(1) .row-link:focus').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    // A dialog keeps its keys.
    await page.keyboard.type('gh')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.type('gc')
    await page.getByRole('heading', { level: 1, name: 'Connections' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('gh?')
    await expect.poll(() => page.locator('main input[data-search]').inputValue()).toBe('gh?')
    await page.getByRole('button', { name: /^Account menu for/ }).click()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await sheet.getByRole('switch', { name: 'Single-key shortcuts' }).click()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Connections' }).click()
    await page.keyboard.type('gh')
    await page.keyboard.press('?')
    expect(await sheet.count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/o/default/connections')
  })

  test('has in its palette what was typed while it was on its way, and nothing of the time before', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { promise: typed, resolve: letThrough } = Promise.withResolvers<void>()
    await page.route(/\/palette-[\w-]+\.js/, async (route) => {
      await typed
      await route.continue()
    })
    await page.goto('/o/default')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    const box = page.getByRole('textbox', { name: 'Go to a page or run an action' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('workx')
    await page.keyboard.press('Backspace')
    letThrough()
    await box.waitFor()
    await page.keyboard.type('space')
    await expect.poll(() => box.inputValue()).toBe('workspace')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('harbour')
    await expect.poll(() => box.inputValue()).toBe('harbour')
    await page.getByRole('dialog').getByText('Harbour Desk').waitFor()
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await box.waitFor()
    expect(await box.inputValue()).toBe('')
  })

  test('stays when the gateway is away, and opens what was asked for once it is back', { tags: 'long' }, async () => {
    await using opened = await console.open(ADA)
    const { page, context } = opened
    await page.goto('/o/default')
    await page.getByText('Harbour Desk').first().waitFor()
    const menu = page.getByRole('navigation', { name: 'Menu' })
    await context.setOffline(true)
    await console.gateway.restart()
    await page.getByText('The gateway isn’t responding').waitFor()
    await look(page, 'gateway-away')
    // A screen that this page has not loaded yet.
    await menu.getByRole('link', { name: 'Keys' }).click()
    await page.waitForURL('/o/default/keys')
    await menu.getByRole('link', { name: 'Keys' }).waitFor()
    await page.getByText('The gateway isn’t responding').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await page.getByText('The gateway isn’t responding').waitFor({ state: 'detached' })
  })

  test('is loaded anew, once, where a new version has taken the place of its parts', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default')
    await page.getByText('Harbour Desk').first().waitFor()
    await page.route(/\/keys-screen-[\w-]+\.js/, (route) => route.fulfill({ status: 404 }), { times: 1 })
    const reloaded = page.waitForEvent('load')
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Keys' }).click()
    await reloaded
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
  })

  test('goes from one organization to another and keeps it in the address', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/keys?org=second')
    const choice = page.getByRole('button', { name: 'Organization: Second House' })
    await choice.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: /Default/ }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Organization: Second House')
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: /Default/ }).click()
    await page.waitForURL('/o/default')
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'People' }).click()
    await page.waitForURL('/o/default/people')
  })

  test(
    'stays in the organization that was looked at last, and an address that names one leads there',
    { tags: 'long' },
    async () => {
      await using opened = await console.open(ADA)
      const { page } = opened
      const chosen = (name: string) => page.getByRole('button', { name: `Organization: ${name}` })
      await page.goto('/o/second/keys')
      await chosen('Second House').waitFor()
      // Bookmarks of before have no organization in them, or a parameter.
      await page.goto('/connections')
      await page.waitForURL('/o/second/connections')
      await page.goto('/connections/harbour?org=default')
      await page.waitForURL('/o/default/connections/harbour')
      await page.getByRole('heading', { level: 1, name: 'Harbour Desk' }).waitFor()
      await page.goto('/')
      await page.waitForURL('/o/default')
      await page.reload()
      await chosen('Default').waitFor()
      // One that is not there is not taken for another.
      await page.goto('/o/nowhere/connections')
      await page.getByRole('heading', { name: 'Organization not found' }).waitFor()
      await look(page, 'organization-not-found')
      await page.getByRole('link', { name: 'Go to your organization' }).click()
      await page.waitForURL('/o/default')
    },
  )

  test('says when what is seen is not live, and goes on by itself', { tags: 'long' }, async () => {
    await using opened = await console.open(ADA)
    const { page, context } = opened
    await page.goto('/?org=default')
    await page.getByText('Harbour Desk').first().waitFor()
    await context.setOffline(true)
    // An open stream is not cut by it; the gateway's restart cuts it, as a real one would.
    await console.gateway.restart()
    await page.getByRole('status').getByText('Not live').first().waitFor()
    await context.setOffline(false)
    await page.getByRole('status').getByText('Not live').first().waitFor({ state: 'detached' })
  })

  test(
    'S3-UI-01: has a dashboard, tenants and connectors, with their dialogs and forms',
    { tags: 'long' },
    async () => {
      await using opened = await console.open(ADA)
      const { page } = opened
      const menu = page.getByRole('navigation', { name: 'Menu' })
      const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
      await page.goto('/?org=default')
      await heading('Home').waitFor()
      await page.getByRole('region', { name: 'Connections' }).getByText('Harbour Desk').waitFor()

      await menu.getByRole('link', { name: 'Organizations' }).click()
      await heading('Organizations').waitFor()
      await page.getByRole('button', { name: 'New organization' }).click()
      const made = page.getByRole('dialog', { name: 'New organization' })
      await made.getByRole('textbox', { name: 'Name', exact: true }).fill('Third Place')
      await made.getByRole('button', { name: 'Create organization' }).click()
      await page.getByRole('table').getByText('third-place').waitFor()
      await page.getByRole('button', { name: 'Edit Third Place' }).click()
      const drawer = page.getByRole('dialog', { name: 'Edit Third Place' })
      await drawer.getByRole('textbox', { name: 'Description' }).fill('Where the third one lives')
      await drawer.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('table').getByText('Where the third one lives').waitFor()
      await page.keyboard.press('Escape')

      await menu.getByRole('link', { name: 'Connections' }).click()
      await heading('Connections').waitFor()
      await page.getByText('Harbour Desk').first().waitFor()
      await page.goto('/connections/new?org=default')
      await heading('Connect').waitFor()
      await page.getByRole('textbox').first().fill('https://mcp.example.com/mcp')
    },
  )
})
