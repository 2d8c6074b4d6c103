/** The charts of usage are dragged over to zoom in: with a mouse, with a finger, and back again. */
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { NO_BROWSER } from './support/browser.ts'
import { ADA, startConsole, type ConsoleGateway } from './support/console.ts'
import { look, photograph, settled } from './support/look.ts'

const HOUR_MS = 3_600_000
/** A test of these takes no longer, on a machine that is as slow as any. */
const MOST_OPEN_MS = 90_000
/** Hours before the one that runs, and calls in them. */
const CALLS = [
  [6, 2],
  [5, 1],
  [2, 1],
] as const

describe.skipIf(NO_BROWSER)('the charts of usage', () => {
  const parts = new AsyncDisposableStack()
  const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  let console: ConsoleGateway
  beforeAll(async () => {
    const probe = parts.use(await startProbe())
    console = parts.use(
      await startConsole({
        connections: [{ alias: 'probe', title: 'Probe', wire: { kind: 'http', url: probe.url, headers: {} } }],
      }),
    )
    const { gateway } = console
    await gateway.settled('probe')
    const peer = { url: gateway.url, key: gateway.key, era: 'modern' } as const
    // On the first of a month, yesterday is in a month that a fresh database has no partition for.
    const yesterday = new Date(hour - 24 * HOUR_MS).toISOString()
    await gateway.db.system(
      (sql) => sql(z.object({ made: z.boolean() }))`
        select make_record_partition(date_trunc('month', ${yesterday}::timestamptz at time zone 'UTC')::date) as made`,
    )
    // Only the clock of this process is set back.
    for (const [before, count] of CALLS) {
      vi.setSystemTime(hour - before * HOUR_MS + HOUR_MS / 2)
      for (let one = 0; one < count; one += 1) await callTool(peer, 'probe__process', {})
      await sleep(30)
    }
    vi.useRealTimers()
  })
  afterAll(async () => {
    vi.useRealTimers()
    await parts.disposeAsync()
  })

  /** Charts move on with each hour: none begins while a test has one open, and positions are told from the hour that runs. */
  const steadyHour = async () => {
    const left = HOUR_MS - (Date.now() % HOUR_MS)
    if (left < MOST_OPEN_MS) await sleep(left)
  }
  const hoursPast = () => Math.floor((Date.now() - hour) / HOUR_MS)

  const calls = (page: Page, count: number) => page.getByRole('img', { name: new RegExp(`^${count} calls?: 0 failed`) })

  /** The positions of earlier hours on a chart of 24 hours: the middle of their bars. */
  async function placesOf(page: Page, chart: string | RegExp) {
    const image = page.getByRole('img', { name: chart })
    await image.scrollIntoViewIfNeeded()
    const box = await image.locator('.recharts-cartesian-grid').boundingBox()
    if (box === null) throw new Error('no chart')
    return (before: number) => [box.x + (box.width * (23.5 - before - hoursPast())) / 24, box.y + 100] as const
  }

  /** The first point of a chart of lines, and one before the last. */
  async function edges(page: Page, name: RegExp) {
    const image = page.getByRole('img', { name })
    await image.scrollIntoViewIfNeeded()
    const box = await image.locator('.recharts-cartesian-grid').boundingBox()
    if (box === null) throw new Error('no chart')
    return [[box.x + 2, box.y + 60] as const, [box.x + box.width / 2, box.y + 60] as const] as const
  }

  async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
    await page.mouse.move(...from)
    await page.mouse.down()
    await page.mouse.move((from[0] + to[0]) / 2, from[1], { steps: 4 })
    await page.mouse.move(...to, { steps: 4 })
  }

  /** The beginning of an hour before this one, as the address has it: in the time of this machine, without a zone. */
  const local = (before: number) => {
    const at = hour - before * HOUR_MS
    return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
  }

  const searchOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

  test('show the hours that are dragged over, and lead back', async () => {
    await steadyHour()
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default/usage')
    await calls(page, 4).waitFor()
    await page.getByText('With the keyboard, choose Custom and enter the times.').first().waitFor()
    const at = await placesOf(page, /4 calls/)
    const chart = calls(page, 4)
    // Escape cancels, also for what is let go later.
    await drag(page, at(6), at(4))
    await chart.locator('rect[class*="selected"]').waitFor()
    await page.keyboard.press('Escape')
    expect(await chart.locator('rect[class*="selected"]').count()).toBe(0)
    await page.mouse.up()
    expect(searchOf(page)).toEqual({})
    // Leftwards as well as rightwards.
    await drag(page, at(4), at(6))
    await photograph(page, 'usage-drag')
    await page.mouse.up()
    await page.waitForURL(/range=custom/)
    expect(searchOf(page)).toEqual({ range: 'custom', from: local(6), to: local(3), zoomed_from: 'day' })
    await calls(page, 3).waitFor()
    expect(await page.getByLabel('From').inputValue()).toBe(searchOf(page)['from'])
    await page.mouse.move(4, 4)
    await look(page, 'usage-zoom')
    // Again, on the other chart; the button leads to where the first began, and the back button one step.
    const [left, right] = await edges(page, /Latency over time/)
    await drag(page, left, right)
    await page.mouse.up()
    await page.waitForURL((url) => url.searchParams.get('to') === local(4))
    await page.goBack()
    await page.waitForURL((url) => url.searchParams.get('to') === local(3))
    await page.getByRole('button', { name: 'Reset zoom' }).first().click()
    await calls(page, 4).waitFor()
    expect(searchOf(page)).toEqual({})
    expect(await page.getByRole('button', { name: 'Reset zoom' }).count()).toBe(0)
  })

  test('lead back from hours without a call, and a click on a bar still opens its records', async () => {
    await steadyHour()
    await using opened = await console.open(ADA)
    const { page } = opened
    await page.goto('/o/default/usage')
    const at = await placesOf(page, /4 calls/)
    await drag(page, at(20), at(15))
    await page.mouse.up()
    await page.getByText('No calls in this time range').waitFor()
    await page.getByRole('button', { name: 'Reset zoom' }).click()
    await calls(page, 4).locator('.recharts-bar-rectangle path').last().click()
    await page.waitForURL(/\/records\?.*range=custom/)
  })

  test('are dragged over with a finger on a telephone, and scroll under one that moves down', async () => {
    await steadyHour()
    await using opened = await console.open(ADA)
    const { page, context } = opened
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/o/default/usage')
    await settled(page)
    const at = await placesOf(page, /4 calls/)
    const touch = await context.newCDPSession(page)
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] })
    const [fromX, y] = at(6)
    const [toX] = at(4)
    await send('touchStart', fromX, y)
    for (let step = 1; step <= 8; step += 1) await send('touchMove', fromX, y - step * 10)
    await send('touchEnd')
    expect(searchOf(page)).toEqual({})
    const again = await placesOf(page, /4 calls/)
    const [, level] = again(6)
    await send('touchStart', fromX, level)
    for (let step = 1; step <= 8; step += 1) await send('touchMove', fromX + ((toX - fromX) * step) / 8, level)
    await photograph(page, 'usage-drag-360')
    await send('touchEnd')
    await page.waitForURL(/range=custom/)
    await calls(page, 3).waitFor()
  })
})
