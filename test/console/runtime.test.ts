/** Running processes, client sessions, open streams, the log and health, as shown and ended in a browser. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { SystemSql } from '../../packages/gateway/src/db/db.ts'
import { callTool, openSession, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { httpWire, probeProcess } from '../e2e/peers/servers/real-servers.ts'
import { NO_BROWSER, type WatchedPage } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look } from './support/look.ts'

/** The lock that such a statement takes may close a circle with the statements of the running gateway: PostgreSQL then ends one of them. */
async function changeTables(
  { db }: ConsoleGateway['gateway'],
  work: (sql: SystemSql) => Promise<unknown>,
): Promise<void> {
  const change = () =>
    db.system(work).then(
      () => 'changed',
      (thrown: unknown) => {
        if ((thrown as { code?: string }).code === '40P01') return 'deadlock'
        throw thrown
      },
    )
  await expect.poll(change).toBe('changed')
}

describe.skipIf(NO_BROWSER)('what runs', () => {
  const parts = new AsyncDisposableStack()
  let console: ConsoleGateway
  let opened: WatchedPage
  let client: RawPeer
  beforeAll(async () => {
    const probe = parts.use(await startProbe({ era: 'legacy' }))
    const connections = [
      { alias: 'probe', wire: httpWire(probe.url) },
      { alias: 'child', wire: probeProcess('child') },
    ]
    console = parts.use(await startConsole({ connections }))
    const { gateway } = console
    await Promise.all(['probe', 'child'].map((alias) => gateway.settled(alias)))
    client = await openSession(gateway.url, gateway.key)
    await callTool(client, 'probe__echo', { text: 'x' })
    opened = parts.use(await console.open(ADA))
  })
  afterAll(() => parts.disposeAsync())

  test('a program is restarted and stopped', async () => {
    const { page } = opened
    await page.goto('/runtime')
    await page.getByText('Running', { exact: true }).waitFor()
    const pid = () => page.getByText('Process ID').locator('xpath=following-sibling::*').textContent()
    const before = await pid()
    await look(page, 'runtime')
    await page.getByRole('button', { name: 'Restart child' }).click()
    await page.getByText('child is restarting').waitFor()
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Refresh' }).click()
        return [await page.getByText('Running', { exact: true }).count(), (await pid()) === before]
      })
      .toEqual([1, false])
    await page.getByRole('button', { name: 'Stop child' }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
  })

  test('a session says whose client it is, and ends', async () => {
    const { page } = opened
    await page.goto('/runtime?tab=sessions')
    const row = page.getByRole('row').filter({ hasText: 'raw' })
    await row.getByText('test', { exact: true }).waitFor()
    await look(page, 'runtime-sessions')
    await row.getByRole('button', { name: /^End the session for raw/ }).click()
    await page.getByRole('heading', { name: 'No client sessions' }).waitFor()
    await expect(callTool(client, 'probe__echo', { text: 'x' })).resolves.toMatchObject({ status: 404 })
  })

  test('what is held open is given up, and the log goes on by itself', { tags: 'long' }, async () => {
    const { page } = opened
    const { gateway } = console
    const call = () => callTool({ url: gateway.url, key: gateway.key, era: 'modern' }, 'probe__echo', { text: 'x' })
    await call()
    await page.goto('/runtime?tab=pool')
    const give = page.getByRole('button', { name: 'Close the session with probe' }).first()
    await give.waitFor()
    await look(page, 'runtime-pool')
    await give.click()
    await page.getByText(/closed$/).waitFor()

    await page.getByRole('tab', { name: 'Log' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    const lines = page.getByRole('region', { name: 'Log lines' })
    await call()
    await lines.getByText('probe__echo').last().waitFor()
    await look(page, 'runtime-logs')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
  })

  test(
    'health is said in words; who looks after one organization is told who sees the rest',
    { tags: 'long' },
    async () => {
      const { page } = opened
      await page.goto('/runtime?tab=health')
      await page.getByText('Healthy', { exact: true }).waitFor()
      const { gateway } = console
      const Nothing = z.object({})
      // Another gateway, which was killed.
      await gateway.db.system(
        (sql) => sql(Nothing)`
          insert into gateways (id, host, process, version, roles, started_at, seen_at)
          values ('killed', 'gateway-2', 17, '0.0.9', '{api,mcp}', now() - interval '1 hour', now() - interval '5 minutes')`,
      )
      await page.getByRole('button', { name: 'Refresh' }).click()
      const gateways = page.getByRole('table', { name: 'Gateways' })
      await gateways.getByRole('row', { name: /serves this page.*Running/ }).waitFor()
      await gateways.getByRole('row', { name: /gateway-2.*Not responding.*0\.0\.9.*api, mcp/ }).waitFor()
      await page.getByText('None recorded.').waitFor()
      await look(page, 'runtime-health')
      // As the gateway answers while the database does not: what it last knew, with the time.
      const old = { up_to_date: false, read_at: new Date(Date.now() - 3 * 3600_000).toISOString() }
      for (const path of ['**/api/v1/admin/stats', '**/api/v1/admin/gateways'])
        await page.route(path, async (route) => {
          const response = await route.fetch()
          await route.fulfill({ response, json: { ...((await response.json()) as object), ...old } })
        })
      await page.getByRole('button', { name: 'Refresh' }).click()
      const notes = page.getByText(
        'The database has not responded in time. This is the last known state, from 3 hours ago',
      )
      await expect.poll(() => notes.count()).toBe(2)
      await gateways.getByRole('row', { name: /serves this page/ }).waitFor()
      await page.unrouteAll()
      // A disk without room, as the database says it.
      await changeTables(gateway, async (sql) => {
        await sql(Nothing)`create or replace function no_room() returns trigger language plpgsql as
        'begin raise exception ''no room'' using errcode = ''53100''; end'`
        await sql(
          Nothing,
        )`create or replace trigger no_room before insert on records for each row execute function no_room()`
      })
      await callTool({ url: gateway.url, key: gateway.key, era: 'modern' }, 'probe__echo', { text: 'x' })
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Refresh' }).click()
          return page.getByText('Degraded: a dependency is unavailable', { exact: true }).count()
        })
        .toBe(1)
      await page
        .getByText(/records cannot be stored and are waiting on disk: its disk is full/)
        .first()
        .waitFor()
      await look(page, 'runtime-health-degraded')
      await changeTables(gateway, (sql) => sql(Nothing)`drop trigger no_room on records`)
      await using other = await console.open({ email: 'olga@example.com', role: 'tenant_admin' })
      await other.page.goto('/runtime?tab=pool')
      await other.page.getByRole('heading', { name: 'Only platform administrators can view this' }).waitFor()
      await other.page.getByRole('tab', { name: 'Programs' }).click()
      await other.page.getByRole('button', { name: 'Restart child' }).waitFor()
    },
  )
})
