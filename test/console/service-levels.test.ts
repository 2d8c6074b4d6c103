/** Service levels in the console: with calls and failures of many connections, and with none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { storeRecords } from '../../packages/gateway/src/records/records.ts'
import { testEntry } from '../../packages/gateway/src/testing/record-entry.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const AWAY = { kind: 'http' as const, url: 'http://127.0.0.1:9/mcp', headers: {} }
const MANY = 40
const nameOf = (number: number) => `a-rather-long-name-${number}`

describe.skipIf(NO_BROWSER)('service levels', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    console = parts.use(
      await startConsole({
        connections: Array.from({ length: MANY }, (_, number) => ({
          ...{ alias: nameOf(number), title: `Connection ${number}`, wire: AWAY, enabled: number > 0 },
        })),
        others: [{ slug: 'empty', name: 'Empty rooms', connections: [], toolsets: [], keys: [] }],
      }),
    )
    const { gateway } = console
    await gateway.db.system(
      (sql) => sql(z.object({}))`
        insert into members (organization_id, user_id, role)
        select o.id, u.id, 'tenant_admin' from organizations o, users u where o.slug = 'empty' and u.email = ${ADA.email}
        on conflict do nothing`,
    )
    await addCalls(console)
  })
  afterAll(() => parts.disposeAsync())

  test('shows which connections miss the target, the worst first, and takes another target', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/service-levels?org=default')
    const table = page.getByRole('table', { name: 'By connection' })
    const first = table.getByRole('row').nth(1)
    await first.getByText(nameOf(1), { exact: true }).waitFor()
    expect(await first.innerText()).toContain('80%')
    expect(await first.innerText()).toContain('Below target')
    await look(page, 'service-levels')
    await page.getByText('1 hour', { exact: true }).click()
    await page.waitForURL(/window=hour/)
    await page.getByRole('combobox', { name: 'Target' }).click()
    await page.getByRole('option', { name: '95%', exact: true }).click()
    await page.getByText('Target saved').waitFor()
    await page.reload()
    await page.getByLabel('Target').and(page.locator('[value="95%"]')).waitFor()
  })

  test('and usage say how many records they lack while a long past is counted', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.route(/\/(service-levels|usage)(\?|$)/, async (route) => {
      if (route.request().resourceType() === 'document') return route.continue()
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), uncounted: 250_000 } })
    })
    for (const [place, sentence] of [
      ['service-levels', 'will be shown when counting is complete'],
      ['usage', 'not included in these figures yet'],
      ['', 'not included in these figures yet'],
    ] as const) {
      await page.goto(`/${place}?org=default`)
      const status = page.getByRole('status').filter({ hasText: '250,000 earlier records are still being counted' })
      await status.waitFor()
      expect(await status.innerText()).toContain(sentence)
    }
    await page.goto('/usage?org=empty')
    await page.getByText('250,000 earlier records').waitFor()
    expect(await page.getByText('No calls in this time range').count()).toBe(0)
    await page.goto('/service-levels?org=default')
    await look(page, 'service-levels-uncounted')
  })

  test('that has no connections leads to the first one', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/service-levels?org=empty')
    await page.getByText('No connections yet').waitFor()
    await look(page, 'service-levels-empty')
  })
})

/** Twenty calls of each connection, some minutes ago; the second one failed four times. */
async function addCalls({ gateway: { db, organization } }: ConsoleGateway): Promise<void> {
  const entries = Array.from({ length: MANY * 20 }, (_, number) => {
    const connection = number % MANY
    return testEntry({
      ...{ org_id: organization.id, connection: nameOf(connection), duration_ms: 5 + number },
      timestamp: new Date(Date.now() - 300_000 - number).toISOString(),
      ...{ outcome: connection === 1 && number < MANY * 4 ? 'failed' : 'ok', code: undefined },
    })
  })
  await db.system((sql) => storeRecords(sql, entries))
}
