/** Two gateways of the preset `curatore` in front of one backend: with a Redis they share cache and limit, without one each has its own. */
// @module-tag long
import { expect, test } from 'vitest'
import { describeWithRedis, startTestRedis } from '../../../packages/gateway/src/testing/redis.ts'
import type { Settings } from '../../cli/installation.ts'
import { KEY, startCuratore } from './curatore.ts'

/** Requests for contracts that the second gateway made, and requests of clients that both let through. */
async function runBoth(shared: Settings) {
  await using one = await startCuratore({ ...shared, TOOLWAY_LIMIT_ADDRESS: 'off', TOOLWAY_LIMIT_ORGANIZATION: '20' })
  const before = one.backend.asked('contracts').length
  const other = await one.installation.start(one.settings)
  const ready = (await one.ask('/health/ready')).body as { checks: Record<string, string> }
  const asked = one.backend.asked('contracts').length - before
  let through = 0
  const began = performance.now()
  for (let n = 0; n < 50; n++) {
    const { address } = n % 2 === 0 ? one.gateway : other
    const { status } = await fetch(`${address}/rest/tools`, { headers: { authorization: `Bearer ${KEY}` } })
    if (status === 200) through++
  }
  return { asked, through, limits: ready.checks['limits'], seconds: (performance.now() - began) / 1_000 }
}

describeWithRedis('two gateways in front of one backend', () => {
  test('S1-DEP-03: with Redis the second uses the contracts that the first fetched, and they count together; without it each has its own', async () => {
    await using redis = await startTestRedis()
    const together = await runBoth({ REDIS_URL: `${redis.url}/2` })
    expect(together).toMatchObject({ asked: 0, limits: 'redis' })
    const alone = await runBoth({})
    expect(alone).toMatchObject({ limits: 'memory' })
    expect(alone.asked).toBeGreaterThan(0)
    // Twenty in a minute, and what the minute gives back meanwhile.
    expect(together.through).toBeLessThanOrEqual(20 + Math.ceil(together.seconds / 3))
    expect(alone.through).toBeGreaterThanOrEqual(40)
  })
})
