/** Audit records in the console: search, read, verify and export. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { storeRecords } from '../../packages/gateway/src/records/records.ts'
import { testEntry } from '../../packages/gateway/src/testing/record-entry.ts'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'

describe.skipIf(NO_BROWSER)('records', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let opened: WatchedPage
  beforeAll(async () => {
    const probe = parts.use(await startProbe({ era: 'modern' }))
    console = parts.use(
      await startConsole({
        connections: [{ alias: 'probe', wire: httpWire(probe.url) }],
        settings: { TOOLWAY_TRACE_URL: 'https://traces.example.com/{trace_id}' },
      }),
    )
    await console.gateway.settled('probe')
    await call('story-1')
    await call('story-2', 'probe__nothing')
    opened = parts.use(await console.open(ADA))
  })
  afterAll(() => parts.disposeAsync())

  const call = (correlation: string, tool = 'probe__echo') =>
    callTool(
      { url: console.gateway.url, key: console.gateway.key, era: 'modern' },
      tool,
      { text: 'x' },
      { headers: { 'x-correlation-id': correlation } },
    )

  test('are found by what is known of them, and new ones come by themselves', async () => {
    const { page } = opened
    await page.goto('/records')
    const table = page.getByRole('table', { name: 'Audit log' })
    await table.getByRole('button', { name: 'Open the record for probe__echo' }).waitFor()
    await look(page, 'records')
    const echoes = table.getByRole('button', { name: 'Open the record for probe__echo' })
    await call('story-live')
    await expect.poll(() => echoes.count()).toBe(2)

    await page.getByRole('combobox', { name: 'Outcome' }).click()
    await page.getByRole('option', { name: 'Refused' }).click()
    await page.waitForURL(/outcome=refused/)
    await table.getByRole('button', { name: 'Open the record for probe__nothing' }).waitFor()
    await expect.poll(() => table.getByRole('row').count()).toBe(2)

    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Correlation ID').fill('story-1')
    await page.getByLabel('Correlation ID').press('Enter')
    await page.waitForURL(/correlation_id=story-1/)
    await expect.poll(() => table.getByRole('row').count()).toBe(2)
    await page.getByLabel('Correlation ID').fill('nobody-has-this')
    await page.getByLabel('Correlation ID').press('Enter')
    await page.getByRole('heading', { name: 'No records match' }).waitFor()
  })

  test('of changes say in words what happened, with the name that the filter takes', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/records?action=connection.add')
    const added = page.getByRole('button', { name: 'Open the record for Connection added' }).first()
    await added.waitFor()
    expect(await added.getAttribute('title')).toBe('connection.add')
    await added.click()
    await page.getByRole('dialog', { name: 'Record' }).getByText('connection.add', { exact: true }).waitFor()
  })

  test('of what acts by itself say in words who did it: in the list, the record, the filter and the usage', async () => {
    const { db, organization } = console.gateway
    const entry = { org_id: organization.id, principal: 'time', actor_type: 'system', kind: 'change' } as const
    await db.system((sql) =>
      storeRecords(sql, [testEntry({ ...entry, method: 'approval.expire', timestamp: new Date().toISOString() })]),
    )
    await db.system((sql) =>
      storeRecords(sql, [
        testEntry({ org_id: organization.id, principal: 'anonymous', timestamp: new Date().toISOString() }),
      ]),
    )
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/records?actor_id=time')
    await page.getByRole('table').getByText('Time limit', { exact: true }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Caller' }).inputValue()).toBe('Time limit')
    await page.getByRole('button', { name: /^Open the record for/ }).click()
    await page.getByRole('dialog', { name: 'Record' }).getByText('Time limit', { exact: true }).waitFor()
    await page.goto('/usage')
    await page.getByRole('link', { name: 'Not signed in', exact: true }).waitFor()
  })

  test('columns that nobody needs are hidden, and stay so after a reload', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/records')
    const heads = page.getByRole('table').getByRole('columnheader')
    await heads.first().waitFor()
    const before = await heads.allTextContents()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Duration' }).uncheck()
    await look(page, 'records-columns')
    await page.keyboard.press('Escape')
    await page.reload()
    await heads.first().waitFor()
    expect(await heads.allTextContents()).toEqual(before.filter((title) => title !== 'Duration'))
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Duration' }).check()
    expect(await heads.allTextContents()).toEqual(before)
  })

  test('a record tells its call from receipt to answer, and why it ended where it did', async () => {
    const { page } = opened
    await page.goto('/records?outcome=refused')
    await page.getByRole('button', { name: 'Open the record for probe__nothing' }).click()
    const drawer = page.getByRole('dialog', { name: 'Record' })
    await drawer.getByText('Tool found: ended here').waitFor()
    expect(await drawer.getByText('tool.unknown').count()).toBeGreaterThan(0)
    await look(page, 'record')
    await drawer.getByRole('button', { name: 'Copy as JSON' }).click()
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as Record<string, unknown>
    expect(copied).toMatchObject({ correlation_id: 'story-2', code: 'tool.unknown' })
    const address = page.url()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await page.goto(address)
    await drawer.getByText('story-2').waitFor()
  })

  test(
    'a record says why its call failed, and shows what was sent where an administrator wants that kept',
    { tags: 'long' },
    async () => {
      const { page } = opened
      const fails = (reason: string) =>
        callTool(
          { url: console.gateway.url, key: console.gateway.key, era: 'modern' },
          'probe__fail',
          { reason, token: 'sk-abcdefghijklmnop' },
          { headers: { 'x-correlation-id': 'story-why', traceparent: `00-${TRACE}-b7ad6b7169203331-01` } },
        )
      await fails('502: the customer database is not reachable')
      await page.goto('/records?outcome=tool_error')
      await page.getByRole('button', { name: 'Open the record for probe__fail' }).click()
      const drawer = page.getByRole('dialog', { name: 'Record' })
      await drawer.getByText('502: the customer database is not reachable').waitFor()
      const trace = drawer.getByRole('link', { name: 'Open trace' })
      expect(await trace.getAttribute('href')).toBe(`https://traces.example.com/${TRACE}`)
      await drawer.getByText('This connection does not store arguments and results.').waitFor()
      await look(page, 'record-why')

      await page.goto('/connections/probe?tab=settings')
      await page.getByRole('switch', { name: 'Store arguments and results' }).click()
      await page.getByText('Call arguments and results are stored from now on').waitFor()
      await look(page, 'connection-payloads')
      await fails('503: still not reachable')
      await page.goto('/records?outcome=tool_error')
      // A record is stored a moment after its call.
      const failed = page.getByRole('button', { name: 'Open the record for probe__fail' })
      await expect.poll(() => failed.count()).toBe(2)
      await failed.first().click()
      await drawer.getByText('503: still not reachable').waitFor()
      await drawer.getByRole('button', { name: 'Show arguments and result' }).click()
      await drawer.getByText('"reason": "503: still not reachable"').waitFor()
      expect(await drawer.getByText('abcdefghijklmnop').count()).toBe(0)
      await look(page, 'record-payload')

      // Where the time went, and the way to the playground with the tool and its arguments filled in.
      const times = drawer.getByRole('table', { name: 'Time by step' })
      await times.getByRole('row', { name: /^Wait for the server [\d.,]+ m?s$/ }).waitFor()
      await drawer.getByRole('link', { name: 'Retry in the playground' }).last().click()
      await page.getByRole('textbox', { name: 'reason' }).waitFor()
      expect(await page.getByRole('textbox', { name: 'reason' }).inputValue()).toBe('503: still not reachable')
    },
  )

  test('a long verification says how many records it has checked, and can be cancelled', { tags: 'long' }, async () => {
    const { page } = opened
    const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    // The verification waits for this table once it has counted the records.
    const holding = console.gateway.db.system(async (sql) => {
      await sql(z.object({}))`lock table record_checkpoints in access exclusive mode`
      locked.resolve()
      await release.promise
    })
    await locked.promise
    try {
      await page.goto('/records?dialog=verify')
      const dialog = page.getByRole('dialog', { name: 'Verify the audit log' })
      await dialog.getByText(/^0 of \d+ records checked$/).waitFor()
      await look(page, 'records-verifying')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.getByText('Verification was cancelled.').waitFor()
      await look(page, 'records-verify-cancelled')
      release.resolve()
      await dialog.getByRole('button', { name: 'Verify again' }).click()
      await dialog.getByText('Verified: no record was altered').waitFor()
    } finally {
      release.resolve()
      await holding
    }
    await page.keyboard.press('Escape')
  })

  test(
    'their chain is proven in words, and they leave as a file that is verified elsewhere',
    { tags: 'long' },
    async () => {
      const { page } = opened
      await page.goto('/records')
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByText('Verified: no record was altered').waitFor()
      await page
        .getByRole('region', { name: 'Command' })
        .getByText(/toolway records verify/)
        .waitFor()
      await look(page, 'records-verify')
      await page.keyboard.press('Escape')

      await page.getByRole('button', { name: 'Export', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Export records' })
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Export', exact: true }).click(),
      ])
      expect(file.suggestedFilename()).toBe('records-default.jsonl')
      expect(await readFile(await file.path(), 'utf8')).toContain('story-1')
      await dialog.getByText(/saved \(/).waitFor()

      // An administrator of the installation sees every chain, including that of the installation.
      await page.goto('/records?all=true&dialog=verify')
      await page.getByText('Default: Verified: no record was altered').waitFor()
      await page.getByText('The installation: Verified: no record was altered').waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('cell', { name: 'The installation' }).first().waitFor()
    },
  )
})
