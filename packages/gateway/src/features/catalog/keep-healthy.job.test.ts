import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFakeUpstream } from '../../testing/fake-upstream.ts'
import type { Upstream } from '../../upstreams/upstream.ts'
import type { WatchedConnection } from './keep-catalog.job.ts'
import { createKeepHealthy } from './keep-healthy.job.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const after = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
const silent = () => new Fault('upstream.timeout', { connection: 'web', seconds: 10 })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Half of what `random` gives is no spread at all. */
function fixture(random = () => 0.5, claim = async (): Promise<boolean> => true) {
  const noted: string[] = []
  const again: string[] = []
  const counted: string[] = []
  const lines: string[] = []
  const healthy = createKeepHealthy({
    now: Date.now,
    random,
    claim,
    note: async (_, id, fault) => void noted.push(`${id} ${fault?.code ?? 'well'}`),
    again: (id) => void again.push(id),
    count: (outcome) => void counted.push(outcome),
    log: { info: (_, text) => void lines.push(text), warn: (_, text) => void lines.push(text) },
  })
  return { healthy, noted, again, counted, lines, [Symbol.dispose]: () => healthy.close() }
}

function watched(
  id: string,
  kind: WatchedConnection['kind'],
  check: Upstream['check'],
  version = '1',
): WatchedConnection {
  const upstream = { ...createFakeUpstream(), check }
  return {
    organizationId: 'org_1' as OrganizationId,
    connectionId: id as ConnectionId,
    alias: id,
    version,
    kind,
    upstream: () => upstream,
  }
}

/** Checks by the second at which they were made. */
function recorded(answer: () => Promise<boolean> = () => Promise.resolve(true)) {
  const at: number[] = []
  const began = Date.now()
  const check = () => {
    at.push((Date.now() - began) / SECOND)
    return answer()
  }
  return { at, check }
}

describe('whether it is there', () => {
  test('S3-EXT-04: is asked of a child every 30 s, and never before', async () => {
    using held = fixture()
    const child = recorded()
    held.healthy.want([watched('child', 'child', child.check)])
    await after(2 * MINUTE)
    expect(child.at).toEqual([30, 60, 90, 120])
    expect([held.noted, held.again]).toEqual([[], []])
  })

  test('is asked of a remote server every 5 min', async () => {
    using held = fixture()
    const remote = recorded()
    held.healthy.want([watched('web', 'remote', remote.check)])
    await after(15 * MINUTE)
    expect(remote.at).toEqual([300, 600, 900])
  })

  test('is not asked of all at once: the checks are spread by a tenth to either side', async () => {
    const spread = [0, 1, 0.5]
    using held = fixture(() => spread.shift() ?? 0.5)
    const three = [recorded(), recorded(), recorded()]
    held.healthy.want(three.map(({ check }, at) => watched(`c${at}`, 'child', check)))
    await after(34 * SECOND)
    expect(three.map(({ at }) => at[0])).toEqual([27, 33, 30])
  })

  test('is asked of eight at the same time at most, and of all the others after them', async () => {
    using held = fixture()
    const ends: (() => void)[] = []
    const check = () => new Promise<boolean>((resolve) => ends.push(() => resolve(true)))
    held.healthy.want(Array.from({ length: 20 }, (_, at) => watched(`c${at}`, 'child', check)))
    await after(31 * SECOND)
    const under: number[] = [ends.length]
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end()
      await after(0)
      under.push(ends.length)
    }
    expect(under).toEqual([8, 8, 4, 0])
  })

  test('is asked anew, from the beginning, when a connection has changed, and no more when it is gone', async () => {
    using held = fixture()
    const [first, second] = [recorded(), recorded()]
    held.healthy.want([watched('web', 'child', first.check)])
    await after(20 * SECOND)
    held.healthy.want([watched('web', 'child', second.check, '2')])
    await after(40 * SECOND)
    held.healthy.want([])
    await after(MINUTE)
    expect([first.at, second.at]).toEqual([[], [50]])
  })
})

test('a remote server is asked by one gateway of several, a child by the gateway that started it', async () => {
  using held = fixture(undefined, async () => false)
  const asked: string[] = []
  const check = (name: string) => async () => asked.push(name) > 0
  held.healthy.want([watched('web', 'remote', check('web')), watched('own', 'child', check('own'))])
  await after(10 * MINUTE)
  expect(new Set(asked)).toEqual(new Set(['own']))
})

describe('a connection that is not there', () => {
  test('S2-SES-04: is noted with the reason, has its lists asked anew, and is noted again when it is back', async () => {
    using held = fixture()
    let there = false
    const check = () => (there ? Promise.resolve(true) : Promise.reject(silent()))
    held.healthy.want([watched('web', 'remote', check)])
    await after(5 * MINUTE)
    expect(held.noted).toEqual(['web upstream.timeout'])
    expect(held.again).toEqual(['web'])
    await after(5 * MINUTE)
    // The state is noted again, in case others have changed it in between; nothing else happens.
    expect(held.noted).toEqual(['web upstream.timeout', 'web upstream.timeout'])
    expect(held.again).toEqual(['web'])
    there = true
    await after(10 * MINUTE)
    expect(held.noted.slice(2)).toEqual(['web well'])
    expect(held.again).toEqual(['web', 'web'])
    expect(held.counted).toEqual(['unwell', 'unwell', 'well', 'well'])
    expect(held.lines).toEqual(['no answer', 'answers again'])
  })

  test('takes no check from the others, although it never answers', async () => {
    using held = fixture()
    const other = recorded()
    held.healthy.want([watched('silent', 'child', () => new Promise(() => {})), watched('other', 'child', other.check)])
    await after(90 * SECOND)
    expect(other.at).toEqual([30, 60, 90])
  })

  test('is none that has too much to do, that sleeps, or whose state cannot be written down for now', async () => {
    using held = fixture()
    held.healthy.want([
      watched('busy', 'child', () => Promise.reject(new Fault('upstream.busy', { connection: 'busy' }))),
      watched('asleep', 'child', () => Promise.resolve(false)),
    ])
    await after(MINUTE)
    expect(held.noted).toEqual([])
    expect(new Set(held.counted)).toEqual(new Set(['well', 'asleep']))

    const lines: string[] = []
    const healthy = createKeepHealthy({
      now: Date.now,
      random: () => 0.5,
      claim: async () => true,
      note: () => Promise.reject(new Error('no database')),
      again: () => {},
      count: () => {},
      log: { info: () => {}, warn: (_, text) => void lines.push(text) },
    })
    const failing = recorded(() => Promise.reject(silent()))
    healthy.want([watched('web', 'child', failing.check)])
    await after(MINUTE)
    healthy.close()
    expect(failing.at).toEqual([30, 60])
    expect(lines).toContain('the state of a connection could not be stored')
  })

  test('is not noted once its connection is gone, and nothing is asked after the end', async () => {
    using held = fixture()
    const end = Promise.withResolvers<boolean>()
    const child = recorded(() => end.promise)
    held.healthy.want([watched('web', 'child', child.check)])
    await after(30 * SECOND)
    held.healthy.want([])
    end.reject(silent())
    await after(MINUTE)
    expect([held.noted, held.counted]).toEqual([[], []])
    held.healthy.want([watched('web', 'child', child.check)])
    held.healthy.close()
    await after(MINUTE)
    expect(child.at).toEqual([30])
  })
})
