/** Home and usage: what a person sees of a day, as it happens, and the first steps of somebody new. */
import { gzipSync } from 'node:zlib'
import type { UserId } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addAlert } from '../../packages/gateway/src/features/alerts/alerts.rows.ts'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, readBuilt, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const Id = z.object({ id: z.string() })
/** Of JavaScript, packed, until the first screen stands. */
const MOST_BYTES = 185_000

describe.skipIf(NO_BROWSER)('home', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    const probe = parts.use(await startProbe())
    const off = 'http://127.0.0.1:9/mcp'
    console = parts.use(
      await startConsole({
        connections: [
          { alias: 'probe', title: 'Probe', wire: { kind: 'http', url: probe.url, headers: {} } },
          { alias: 'gone', title: 'Gone away', wire: { kind: 'http', url: off, headers: {} } },
        ],
        others: [{ slug: 'empty', name: 'Empty rooms', connections: [], toolsets: [], keys: [] }],
      }),
    )
    await Promise.all([console.gateway.settled('probe'), console.gateway.settled('gone')])
  })
  afterAll(() => parts.disposeAsync())

  /** A call of a tool by a client, as it is. */
  async function call(name: string): Promise<void> {
    const { gateway } = console
    const headers = {
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = { name, arguments: {}, _meta }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const response = await fetch(gateway.connectionUrl('probe'), { method: 'POST', headers, body })
    await response.text()
  }

  test('tells of calls as they are made, of what is connected and of what waits', { tags: 'long' }, async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/?org=default')
    await page.getByText('No tool has been called').waitFor()
    await page.getByText('1 of 2 connections healthy').waitFor()
    // An outage is in the menu, on Home and among the alerts, and nothing shows that all is well.
    await page.getByRole('navigation').getByLabel('1 down').waitFor()
    await page.getByRole('link', { name: '1 connection is down' }).waitFor()
    await page.getByText('A connection is down', { exact: true }).waitFor()
    expect(await page.getByText('Nothing needs your attention').count()).toBe(0)
    await call('process')
    await call('process')
    await call('nothing_of_that_name')
    await page.getByRole('img', { name: /3 in total, 0 failed, 1 refused/ }).waitFor()
    // The third is the choice about approvals, which these tests begin with.
    await page.getByText('3 of 6 done').waitFor()
    const { db, organization } = console.gateway
    await db.system(async (sql) => {
      const [user] = await sql(Id)`select id from users where email = ${ADA.email}`
      const [connection] = await sql(Id)`select id from connections where alias = 'gone'`
      await addAlert(sql, {
        organizationId: organization.id,
        kind: 'credential.expiring',
        connectionId: connection?.id as never,
        userId: user?.id as UserId,
        detail: { expires_at: new Date(Date.now() + 3_600_000 * 5).toISOString() },
      })
    })
    await page.getByText('An account expires soon').waitFor()
    await page.getByText('in 4 hours').waitFor()
    await look(page, 'home')
    const hide = page.getByRole('button', { name: 'Hide' })
    await hide.click()
    await hide.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('1 of 2 connections healthy').waitFor()
    expect(await hide.count()).toBe(0)
  })

  test('has more of it under usage: over a month, by what was called and by whom', { tags: 'long' }, async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/usage?org=default')
    await page.getByRole('img', { name: /3 calls: 0 failed, 1 refused/ }).waitFor()
    await page.getByText('31 days').click()
    await page.waitForURL(/range=month/)
    await page.getByRole('table', { name: 'Top tools', exact: true }).getByText('process').waitFor()
    await page.getByRole('table', { name: 'Reasons for errors and refusals' }).getByText('Unknown tool').waitFor()
    await look(page, 'usage')
    // Of one caller alone, then without the filter; what is shown is saved.
    await page.getByRole('button', { name: /^Show only test/ }).click()
    await page.waitForURL(/caller=key_/)
    await page.getByRole('button', { name: /^Remove the filter Caller: test/ }).click()
    await page.waitForURL((url) => !url.search.includes('caller='))
    await page
      .getByRole('table', { name: 'Tools over time' })
      .getByRole('rowheader', { name: /process/ })
      .waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    expect((await saved).suggestedFilename()).toMatch(/^toolway-usage-[\d-]+\.csv$/)
    // Today by the hour, then the records of the last hour with calls.
    const bars = page.getByRole('img', { name: /3 calls:/ }).locator('.recharts-bar-rectangle path')
    await bars.last().click()
    await page.waitForURL(/range=custom/)
    await bars.last().click()
    await page.waitForURL(/\/records\?.*range=custom/)
    await page.goBack()
    await page.getByRole('table', { name: 'Reasons for errors and refusals' }).getByRole('link').first().click()
    await page.waitForURL(/\/records\?.*code=tool\.unknown/)
    await page.getByRole('button', { name: /^Open the record for/ }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Reason' }).inputValue()).toBe('tool.unknown')
    await page.goBack()
    await page.getByRole('table', { name: 'Callers' }).getByRole('link', { name: 'test' }).click()
    await page.waitForURL(/\/records\?.*actor_id=key_/)
    await using viewer = await console.open({ email: 'vera@example.com', role: 'tenant_viewer' })
    await viewer.page.goto('/usage')
    await viewer.page.getByText('are visible to administrators only').waitFor()
    expect(await viewer.page.getByRole('table', { name: 'Callers' }).count()).toBe(0)
  })

  test('that is empty leads to the first connection', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    const { db } = console.gateway
    await db.system(
      (sql) => sql(z.object({}))`
        insert into members (organization_id, user_id, role)
        select o.id, u.id, 'tenant_admin' from organizations o, users u where o.slug = 'empty' and u.email = ${ADA.email}
        on conflict do nothing`,
    )
    await page.goto('/?org=empty')
    await page.getByRole('link', { name: 'Add your first connection' }).waitFor()
    await page.getByText('1 of 6 done').waitFor()
    await look(page, 'home-empty')
    await page.getByRole('link', { name: 'Add your first connection' }).click()
    await page.waitForURL('/o/empty/connections/new')
  })

  test('loads less than 185 kB of JavaScript, packed: what is built, and what a browser takes', async () => {
    const entries = [...readBuilt('index.html').matchAll(/assets\/[\w.-]+\.js/g)].map(([name]) => name)
    expect(entries).not.toEqual([])
    const entry = /<script type="module"[^>]* src="\/(assets\/[\w.-]+\.js)"/.exec(readBuilt('index.html'))?.[1]
    const index = readBuilt(entry ?? '')
    const home = /assets\/home-screen-[\w-]+\.js/.exec(index)?.[0]
    expect(home).toBeDefined()
    const all = new Set<string>()
    const follow = (name: string) => {
      if (all.has(name)) return
      all.add(name)
      for (const [, other] of readBuilt(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
        follow(`assets/${other}`)
    }
    for (const name of [...entries, home ?? '']) follow(name)
    const packed = [...all].map((name) => gzipSync(readBuilt(name)).length).reduce((sum, one) => sum + one, 0)
    expect(packed).toBeLessThan(MOST_BYTES)

    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/?org=default')
    await page.getByText('1 of 2 connections healthy').waitFor()
    const taken = await page.evaluate<number>(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`,
    )
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(MOST_BYTES)
    globalThis.console.info(`first route: ${packed} bytes by gzip, ${taken} as the browser took it`)
  })
})
