/**
 * The pictures of the README and the documentation, taken of a gateway with a day of calls behind it. `npm run pictures` writes them
 * to docs/pictures; every other run takes them too, and looks whether they show what they should.
 */
// @module-tag long
import { createServer } from 'node:http'
import { mkdir, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Tool } from '@modelcontextprotocol/server'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { createAsk, addKey } from '../e2e/peers/people/administrators.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startToolsServer } from '../e2e/peers/servers/tools-server.ts'
import { until } from '../e2e/peers/until.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { settled } from './support/look.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = join(ROOT, process.env['TOOLWAY_PICTURES'] === 'write' ? 'docs/pictures' : '.reports/pictures/docs')
const HOUR_MS = 3_600_000

const tool = (name: string, description: string, readOnlyHint = true): Tool => ({
  ...{ name, description },
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
  annotations: { readOnlyHint, destructiveHint: name.startsWith('delete') },
})
const SERVERS = [
  {
    ...{ alias: 'docs', title: 'Product documentation' },
    tools: [tool('search', 'Full-text search in the product documentation.'), tool('read_page', 'Reads one page.')],
  },
  {
    ...{ alias: 'desk', title: 'Service desk' },
    tools: [
      tool('find_tickets', 'Finds tickets by status, team or text.'),
      tool('create_ticket', 'Creates a ticket.', false),
      tool('delete_ticket', 'Deletes a ticket.', false),
    ],
  },
  {
    ...{ alias: 'warehouse', title: 'Data warehouse' },
    tools: [tool('run_query', 'Runs a read-only SQL query.'), tool('list_tables', 'Lists tables and their columns.')],
  },
]
/** Calls of each hour of the day that is shown, the one that runs last. */
const PER_HOUR = [2, 1, 1, 0, 1, 2, 4, 9, 16, 22, 24, 19, 15, 21, 26, 24, 18, 12, 8, 6, 5, 4, 3, 2]
const CALLS = [
  'docs__search',
  'docs__read_page',
  'desk__find_tickets',
  'warehouse__run_query',
  'docs__search',
  'desk__create_ticket',
]

describe.skipIf(NO_BROWSER)('pictures', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  beforeAll(async () => {
    const servers = parts.use(
      await startToolsServer(SERVERS, ({ arguments: given }) =>
        given['query'] === 'fail'
          ? { isError: true, content: [{ type: 'text', text: 'The index is being rebuilt' }] }
          : undefined,
      ),
    )
    const vendor = createServer(
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    )
    await new Promise<void>((done) => void vendor.listen(0, '127.0.0.1', done))
    parts.defer(() => new Promise((done) => void (vendor.closeAllConnections(), vendor.close(() => done()))))
    const connections = SERVERS.map(({ alias, title }) => ({ alias, title, wire: httpWire(servers.urlOf(alias)) }))
    console = parts.use(await startConsole({ connections, settings: { TOOLWAY_APPROVALS: 'off' } }))
    const ask = createAsk(console.gateway, await addKey(console.gateway, { role: 'platform_admin' }))
    const url = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`
    for (const [name, title] of [
      ['github', 'GitHub'],
      ['slack', 'Slack'],
      ['linear', 'Linear'],
    ] as const)
      await ask('POST /api/v1/admin/tenants/default/connectors', {
        ...{ alias: name, title, connector: 'native', native: { vendor: name }, url, private: true },
        headers: { authorization: 'Bearer not-a-real-token' },
      })
    await Promise.all(SERVERS.map(({ alias }) => console.gateway.settled(alias)))
    await liveThroughADay()
  })
  afterAll(async () => {
    vi.useRealTimers()
    await parts.disposeAsync()
  })

  /** Real calls, at times before now: only the clock of this process is set back. */
  async function liveThroughADay(): Promise<void> {
    const { gateway } = console
    const peer = { url: gateway.url, key: gateway.key, era: 'modern' } as const
    const now = Date.now()
    // On the first of a month, yesterday is in a month that a fresh database has no partition for.
    const yesterday = new Date(now - 24 * HOUR_MS).toISOString()
    await gateway.db.system(
      (sql) => sql(z.object({ made: z.boolean() }))`
        select make_record_partition(date_trunc('month', ${yesterday}::timestamptz at time zone 'UTC')::date) as made`,
    )
    let made = 0
    for (const [at, count] of PER_HOUR.entries()) {
      vi.setSystemTime(now - (PER_HOUR.length - 1 - at) * HOUR_MS)
      for (let one = 0; one < count; one += 1) {
        const name = CALLS[made % CALLS.length] ?? ''
        made += 1
        await callTool(peer, name, { query: made % 41 === 0 ? 'fail' : 'status' })
      }
      // Records that are written later would have the time of the next hour.
      await sleep(30)
    }
    vi.useRealTimers()
  }

  async function picture(page: Page, name: string): Promise<void> {
    await settled(page)
    await mkdir(FOLDER, { recursive: true })
    const path = join(FOLDER, `${name}.png`)
    await page.screenshot({ path, animations: 'disabled' })
    expect((await stat(path)).size).toBeGreaterThan(20_000)
  }

  test('show Home, usage and connecting a client as a person finds them', async () => {
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default')
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByText(/connections healthy/).waitFor()
    await until('the calls are counted', async () => {
      const text = await page.getByRole('img', { name: /in total/ }).getAttribute('aria-label')
      return Number(/(\d+) in total/.exec(text ?? '')?.[1] ?? 0) > 200
    })
    await page.getByText('The first steps are hidden.').waitFor({ state: 'detached' })
    await picture(page, 'home')
    await page.goto('/o/default/usage')
    await page.getByRole('img', { name: /Latency over time/ }).waitFor()
    await page.locator('.recharts-line-curve').first().waitFor()
    await picture(page, 'usage')
    await page.goto('/o/default/clients?client=claude-code')
    await page.getByRole('heading', { name: 'Live check' }).waitFor()
    await picture(page, 'connect-a-client')
  })
})
