/** Lists and pickers of the console in a company: what is on no loaded page is found, counted and named all the same. */
// @module-tag long
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillCompany, type CompanySize } from '../e2e/peers/company.ts'
import { addKey, createAsk, type Ask } from '../e2e/peers/people/administrators.ts'
import { until } from '../e2e/peers/until.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const SIZE: CompanySize = { members: 503, keys: 300, connections: 230, tools: 10_000 }
const ALL = SIZE.tools + 2 * SIZE.connections
const parts = new AsyncDisposableStack()
let console: ConsoleGateway
let admin: Ask

/** The rows of each answer of the administration that has rows. */
function watchPages(page: Page): { readonly path: string; readonly rows: number }[] {
  const seen: { path: string; rows: number }[] = []
  page.on('requestfinished', (request: Request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/api/')) return
    void request.response().then(async (response) => {
      const body = (await response?.json().catch(() => undefined)) as { items?: unknown[]; total?: number } | undefined
      if (body?.items !== undefined && body.total !== undefined) seen.push({ path: pathname, rows: body.items.length })
    })
  })
  return seen
}

describe.skipIf(NO_BROWSER)('a console of a company', () => {
  beforeAll(async () => {
    console = parts.use(await startConsole())
    await fillCompany(console.gateway, SIZE)
    const { organization } = console.gateway
    admin = createAsk(
      console.gateway,
      await addKey(console.gateway, { role: 'tenant_admin', organization: organization.id }),
    )
    await until('the gateway knows the company', async () => {
      const { body } = await admin('GET /api/v1/organizations/default/tools?limit=1')
      return body['all'] === ALL
    })
  })
  afterAll(() => parts.disposeAsync())

  test('finds a tool that is on the last page, and counts all of them', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const seen = watchPages(page)
    await page.goto('/tools')
    await page.getByText(`Tools: ${ALL.toLocaleString('en')}.`, { exact: false }).waitFor()
    await page.getByRole('table', { name: 'Tools in this organization' }).waitFor()
    await page.getByRole('textbox', { name: 'Search tools' }).fill('09999')
    await page.getByRole('button', { name: 'erp__record_09999' }).waitFor()
    await page.getByText(`1 of ${ALL.toLocaleString('en')} shown`).waitFor()
    await look(page, 'pages-tools')
    expect(seen.length).toBeGreaterThan(0)
    expect(Math.max(...seen.map(({ rows }) => rows))).toBeLessThanOrEqual(200)
  })

  test('puts a tool of another connection beside all of the large one into a toolset', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await admin('PUT /api/v1/admin/tenants/default/toolsets/daily', { title: 'Daily', include: [], exclude: [] })
    await page.goto('/toolsets/daily')
    await page.getByText(`0 of ${ALL.toLocaleString('en')} tools selected, about 0 tokens`).waitFor()
    const connections = page.getByRole('group', { name: 'Connections' })
    await page.getByRole('textbox', { name: 'Search connections' }).fill('erp')
    await connections.getByText('All of erp (0 of 10,000 selected)').click()
    await connections.getByText('All of erp (10,000 of 10,000 selected)').waitFor()
    await page.getByRole('textbox', { name: 'Search tools' }).fill('read_00230')
    await page.getByRole('checkbox', { name: 'Include branch-0230__read_00230' }).check()
    await page.getByText(`10,001 of ${ALL.toLocaleString('en')} tools selected`, { exact: false }).waitFor()
    await look(page, 'pages-toolset')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Daily saved').waitFor()
    const { body } = await admin('GET /api/v1/admin/tenants/default/toolsets/daily')
    expect(body['settings']).toMatchObject({ include: ['erp__*', 'branch-0230__read_00230'] })
  })

  test('finds people by name for a group, and sorts and searches members', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/people?tab=groups')
    await page.getByRole('button', { name: 'New group' }).first().click()
    await page.getByLabel('Title').fill('On Call')
    await page.getByRole('combobox', { name: 'Members' }).fill('Nguyen')
    await page.getByRole('option', { name: 'Lan Nguyen 503 (member00503@company.test)' }).click()
    await page.getByLabel('Title').focus()
    await look(page, 'pages-group')
    await page.getByRole('button', { name: 'Create group' }).click()
    await page.getByRole('table', { name: 'Groups' }).getByText('Lan Nguyen 503').waitFor()

    await page.goto('/people')
    const members = page.getByRole('table', { name: 'Members' })
    await members.waitFor()
    // Ada, too.
    expect(await members.getAttribute('aria-rowcount')).toBe(String(SIZE.members + 2))
    await page.getByRole('textbox', { name: 'Search people' }).fill('nguyen')
    await expect.poll(() => members.getAttribute('aria-rowcount')).toBe('21')
    const head = members.getByRole('columnheader', { name: 'Person' })
    expect(await head.getAttribute('aria-sort')).toBe('ascending')
    await head.getByRole('button').click()
    await members.getByRole('row').nth(1).getByText('Lan Nguyen 503', { exact: true }).waitFor()
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    await look(page, 'pages-people')
  })

  test('names in the audit log whom a change was about, also member 400', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const found = await admin('GET /api/v1/admin/tenants/default/members?search=member00400')
    const [member] = found.body['items'] as { user_id: string }[]
    await admin(`PATCH /api/v1/admin/tenants/default/members/${member?.user_id}`, { role: 'tenant_viewer' })
    await page.goto('/records')
    const records = page.getByRole('table', { name: 'Audit log' })
    await records.getByText('Member 400', { exact: false }).first().waitFor()
    expect(await records.innerText()).not.toMatch(/\b(?:usr|con)_/)
    await page.getByRole('combobox', { name: 'Caller' }).fill('member00400')
    await page.getByRole('option', { name: 'Member 400 (member00400@company.test)' }).click()
    await page.waitForURL(/actor_id=usr_/)
    await look(page, 'pages-records')
  })

  test('fits a phone, in German and in the dark', async () => {
    await using opened = await console.open(ADA, 'de-DE')
    const { page } = opened
    await page.setViewportSize({ width: 360, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const [path, heading] of [
      ['/tools', 'Tools'],
      ['/people', 'Personen'],
      ['/toolsets/read-only', ''],
      ['/records', ''],
    ] as const) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1, ...(heading === '' ? {} : { name: heading }) }).waitFor()
      await page.getByRole('row').nth(1).waitFor()
      await look(page, `pages-german${path.replaceAll('/', '-')}`)
      expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'), path).toBeLessThanOrEqual(
        0,
      )
    }
  })
})
