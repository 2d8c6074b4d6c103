/** Limits hold for three gateways together: when they count in one Redis, and in the database that they share. */
// @module-tag long
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { callTool } from '../e2e/peers/clients/raw-client.ts'
import { startEffects } from '../e2e/peers/servers/effects-server.ts'
import { startCluster } from './cluster.ts'

const CALLS = 60
const AT_ONCE = 30
/** Rounds without a call let through: tokens that a gateway fetched and did not spend are given back after a second. */
const QUIET = 4
const MOST_ROUNDS = 40

test.each([
  { name: 'with Redis', more: { redis: true } },
  { name: 'with PostgreSQL alone', more: {} },
  // Another 15 s: `db/token-buckets.test.ts` has the statement itself through PgBouncer.
  ...(process.env['TEST_REPLICAS'] === 'all'
    ? [{ name: 'with PostgreSQL alone, behind PgBouncer', more: { pgbouncer: true } }]
    : []),
])(
  'three gateways behind round robin $name let exactly the calls of a rule through, however they come',
  async ({ more }) => {
    await using effects = await startEffects()
    await using cluster = await startCluster({
      ...more,
      declared: {
        connections: { effects: { url: effects.url, trusted: true } },
        rules: [
          // An hour: less than one call comes back while this runs.
          {
            name: 'budget',
            action: 'rate',
            reason: 'enough',
            match: { tools: ['effects__look_up'] },
            parameters: { calls: CALLS, per: 3600, of: 'organization' },
          },
        ],
      },
    })
    const peer = { url: cluster.connectionUrl('effects'), key: cluster.key, era: 'modern' as const }
    let passed = 0
    let quiet = 0
    for (let round = 0; quiet < QUIET && round < MOST_ROUNDS; round++) {
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => callTool(peer, 'look_up')))
      const through = answers.filter(({ text }) => text.includes('did look_up')).length
      passed += through
      quiet = through === 0 ? quiet + 1 : 0
      await sleep(500)
    }
    expect(quiet).toBe(QUIET)
    expect(passed).toBe(CALLS)
    expect(effects.called).toHaveLength(CALLS)
  },
)
