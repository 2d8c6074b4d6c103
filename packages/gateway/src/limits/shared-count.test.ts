// @module-tag long
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Log } from '../lib/log.ts'
import { PATIENCE_MS } from '../testing/patience.ts'
import { describeWithRedis, startTestRedis } from '../testing/redis.ts'
import { anyInstallation, describeEachStore, type MakeCount } from '../testing/shared-stores.ts'
import { createBuckets } from './buckets.ts'
import { createRedisTokenStore } from './redis-token-store.ts'
import { createSharedBuckets } from './shared-buckets.ts'

const now = () => performance.now()
/** A busy store is no store that is away. */
const TIMES = { patience: 1_000, start: 1_000, look: 30 }

/** As many gateways as are wanted, on one store. */
async function replicas({ count: make }: { readonly count: MakeCount }, number: number) {
  const installation = anyInstallation()
  const made = Array.from({ length: number }, () => {
    const lines: string[] = []
    const at = (_: object, message: string) => void lines.push(message)
    const log: Log = { debug() {}, info: at, warn: at, error: at }
    const store = make(installation, log, TIMES)
    const localBuckets = createBuckets({ now, most: 1_000 })
    return {
      lines,
      count: store,
      buckets: createSharedBuckets({ store, localBuckets, now, most: 1_000, kind: 'organization' }),
    }
  })
  await Promise.all(made.map(({ count }) => count.open()))
  return {
    all: made,
    first: made[0] as (typeof made)[number],
    async [Symbol.asyncDispose]() {
      await Promise.all(made.map(({ count }) => count.close()))
    },
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !condition(); await pause(5)) {
    if (Date.now() > end) throw new Error('it did not come to that')
  }
}

const lostOf = (store: string) => `${store} does not respond: each gateway counts its limits separately until it does`
const foundOf = (store: string) => `${store} is responding again; limits are shared between gateways again`

describeEachStore('gateways that share a store', (name, startStore) => {
  const LOST = lostOf(name)

  test('let through no more than the limit together', async () => {
    await using store = await startStore()
    await using three = await replicas(store, 3)
    const begun = now()
    const waits = await Promise.all(
      Array.from({ length: 600 }, async (_, at) => three.all[at % 3]?.buckets.take('acme', 200, 1)),
    )
    const through = waits.filter((wait) => wait === 0).length
    // The burst, and what came back while it was asked for.
    expect(through).toBeLessThanOrEqual(200 + Math.ceil(((now() - begun) * 200) / 60_000) + 1)
    // No gateway keeps more to itself than 15 % of the limit.
    expect(through).toBeGreaterThanOrEqual(200 - 3 * 30)
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(60_000)
  })

  test('let through no more than the limit in a burst during which their own process stands still', async () => {
    await using store = await startStore()
    await using two = await replicas(store, 2)
    const begun = now()
    const waits = Array.from({ length: 240 }, async (_, at) => two.all[at % 2]?.buckets.take('acme', 60, 1))
    // Longer than the patience with the store, whose answers wait in the sockets meanwhile.
    for (const end = now() + 1.5 * TIMES.patience; now() < end;);
    const through = (await Promise.all(waits)).filter((wait) => wait === 0).length
    expect(through).toBeLessThanOrEqual(60 + Math.ceil((now() - begun) / 1_000) + 1)
    expect(through).toBeGreaterThan(40)
    expect(two.all.flatMap(({ lines }) => lines)).not.toContain(LOST)
  })

  test('fetch several at a time for who asks often, and remember for how long there are none', async () => {
    await using store = await startStore()
    await using one = await replicas(store, 1)
    const { buckets } = one.first
    let promises = 0
    let last: number | undefined
    for (let n = 0; n < 1_500; n++) {
      const wait = buckets.take('acme', 1_000, 1)
      if (wait instanceof Promise) promises++
      last = await wait
    }
    expect(last).toBeGreaterThan(0)
    expect(promises).toBeLessThan(100)
  })

  test('tell how long to wait, and after that there is one', async () => {
    await using store = await startStore()
    await using two = await replicas(store, 2)
    const [first, second] = two.all.map(({ buckets }) => buckets)
    const perMinute = 1_200
    expect(await first?.take('acme', perMinute, perMinute)).toBe(0)
    let wait = 0
    // A second gives twenty back, and may pass before the first answer.
    while (wait === 0) wait = (await second?.take('acme', perMinute, 20)) ?? 1
    await pause(wait + 1)
    expect(await second?.take('acme', perMinute, 20)).toBe(0)
  })

  test('fill in the time that is said', async () => {
    await using store = await startStore()
    await using one = await replicas(store, 1)
    const { buckets } = one.first
    for (let n = 0; n < 4; n++) expect(await buckets.take('rule', 4, 1, 86_400_000)).toBe(0)
    const wait = await buckets.take('rule', 4, 1, 86_400_000)
    expect(wait).toBeGreaterThan(21_000_000)
    expect(wait).toBeLessThanOrEqual(21_600_001)
  })

  test('give back what they did not spend', async () => {
    await using store = await startStore()
    await using one = await replicas(store, 1)
    const { count } = one.first
    expect(await count.take('x', { most: 10, window: 60_000, desired: 10, minimum: 1, returned: 0 })).toMatchObject({
      tokens: 10,
    })
    expect(await count.take('x', { most: 10, window: 60_000, desired: 1, minimum: 1, returned: 0 })).toMatchObject({
      tokens: 0,
    })
    expect(await count.take('x', { most: 10, window: 60_000, desired: 4, minimum: 1, returned: 4 })).toMatchObject({
      tokens: 4,
    })
  })

  test('of two installations do not count together', async () => {
    await using store = await startStore()
    await using ours = await replicas(store, 1)
    await using theirs = await replicas(store, 1)
    expect(await ours.first.buckets.take('acme', 1, 1)).toBe(0)
    expect(await theirs.first.buckets.take('acme', 1, 1)).toBe(0)
  })
})

describeEachStore('a store that is away', (name, startStore) => {
  const LOST = lostOf(name)
  const FOUND = foundOf(name)

  test('at the start keeps nothing from starting: each counts alone, says so once, and counts together later', async () => {
    await using store = await startStore()
    store.shut()
    await using two = await replicas(store, 2)
    for (const { buckets, count, lines } of two.all) {
      expect(count.isAvailable).toBe(false)
      for (let n = 0; n < 5; n++) expect(buckets.take('acme', 5, 1)).toBe(0)
      expect(buckets.take('acme', 5, 1)).toBeGreaterThan(0)
      expect(lines).toEqual([LOST])
    }
    store.open()
    await until(() => two.all.every(({ count }) => count.isAvailable))
    expect(await two.first.buckets.take('acme', 5, 1)).toBe(0)
    for (const { lines } of two.all) expect(lines).toEqual([LOST, FOUND])
  })

  test('in the middle loses no request, and a flood of them is one line', async () => {
    await using store = await startStore()
    await using one = await replicas(store, 1)
    const { buckets, count, lines } = one.first
    expect(await buckets.take('acme', 100, 1)).toBe(0)
    store.shut()
    const waits = await Promise.all(Array.from({ length: 300 }, async (_, at) => buckets.take(`acme ${at}`, 5, 1)))
    expect(waits.every((wait) => wait === 0)).toBe(true)
    expect(count.isAvailable).toBe(false)
    for (let n = 0; n < 5; n++) expect(buckets.take('acme', 5, 1)).toBe(0)
    expect(buckets.take('acme', 5, 1)).toBeGreaterThan(0)
    expect(lines).toEqual([LOST])
    store.open()
    await until(() => count.isAvailable)
    expect(lines).toEqual([LOST, FOUND])
  })

  test('because it is slow holds up those who ask first, and then nobody', async () => {
    await using store = await startStore()
    await using one = await replicas(store, 1)
    const { buckets, count, lines } = one.first
    store.slow(3_000)
    expect(await buckets.take('acme', 100, 1)).toBe(0)
    expect(count.isAvailable).toBe(false)
    expect(buckets.take('acme', 100, 1)).toBe(0)
    expect(lines).toEqual([LOST])
    store.slow(0)
    await until(() => count.isAvailable)
    expect(lines).toEqual([LOST, FOUND])
  })
})

describeWithRedis('a Redis', () => {
  test('is away because the password is wrong, too', async () => {
    await using redis = await startTestRedis()
    const wrong = new URL(redis.url)
    wrong.password = 'wrong'
    const count: MakeCount = (prefix, log, times) => createRedisTokenStore({ url: wrong.href, prefix, log, times })
    await using one = await replicas({ count }, 1)
    expect(one.first.count.isAvailable).toBe(false)
    expect(one.first.buckets.take('acme', 1, 1)).toBe(0)
    expect(one.first.lines).toEqual([lostOf('Redis')])
  })
})
