/** Two gateways behind a balancer are restarted one after the other, and nobody who calls notices. */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { createTestDatabase } from '../../packages/gateway/src/testing/database.ts'
import { makeInstallation, type Installation, type Running } from '../cli/installation.ts'
import { startBalancer } from './balancer.ts'
import { callTool, textIn } from './caller.ts'
import { startCountingUpstream } from './counting-upstream.ts'

const KEY = `uru_${'ab'.repeat(32)}`
const LEAST = 200
const LANES = 6

/** Two gateways of one installation: database and vault key in common, a data directory for each. */
async function fixture() {
  const stack = new AsyncDisposableStack()
  const upstream = stack.use(await startCountingUpstream())
  const { connection } = stack.use(await createTestDatabase({ empty: true, server: inject('postgres') }))
  const { host, user, database, port } = connection
  const settings = {
    DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    MCP_ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    TOOLWAY_BOOTSTRAP_KEY: KEY,
    TOOLWAY_DEMO: 'off',
    TOOLWAY_STOP_DELAY: '6',
    LOG_LEVEL: 'error',
  }
  const declare = async (here: Installation) => {
    const file = join(here.folder, 'toolway.yaml')
    await writeFile(file, JSON.stringify({ connections: { counted: { url: upstream.url, revision: '2026-07-28' } } }))
    return { here, settings: { TOOLWAY_CONFIG: file } }
  }
  const gateways = [
    await declare(stack.use(await makeInstallation(settings))),
    await declare(stack.use(await makeInstallation(settings))),
  ] as const
  return { upstream, gateways, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('two gateways behind a TCP balancer are restarted one after the other, and no request is lost', async () => {
  await using held = await fixture()
  await using balancer = await startBalancer(500)
  const running: Running[] = []
  for (const { here, settings } of held.gateways) {
    const one = await here.start(settings)
    await expect
      .poll(async () =>
        textIn(await callTool({ url: `${one.address}/mcp`, key: KEY }, 'counted__note', { mark: 'warm' })),
      )
      .toContain('noted')
    await balancer.add(one.address)
    running.push(one)
  }

  let rolling = true
  let done = 0
  const lost: unknown[] = []
  const lane = async () => {
    while (rolling || done < LEAST) {
      try {
        const answer = await callTool({ url: `${balancer.address}/mcp`, key: KEY }, 'counted__note', {
          mark: `call-${done}`,
        })
        if (!textIn(answer).includes('noted')) lost.push(answer.text)
      } catch (thrown) {
        lost.push((thrown as Error).cause ?? thrown)
      }
      done++
    }
  }
  const lanes = Array.from({ length: LANES }, lane)
  try {
    for (const [at, { here, settings }] of held.gateways.entries()) {
      const before = running[at]
      if (before === undefined) continue
      expect(await before.stop()).toBe(0)
      balancer.remove(before.address)
      const after = await here.start(settings)
      await balancer.add(after.address)
      running[at] = after
    }
  } finally {
    rolling = false
    await Promise.all(lanes)
  }
  expect(lost).toEqual([])
  expect(done).toBeGreaterThanOrEqual(LEAST)
  // Each was carried out once.
  expect(held.upstream.seen.filter((mark) => mark.startsWith('call-'))).toHaveLength(done)
  for (const one of running) expect(await one.stop()).toBe(0)
})
