import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFakeUpstream, type FakeUpstream } from '../../testing/fake-upstream.ts'
import type { WatchedConnection } from './keep-catalog.job.ts'
import { createKeepCatalogs } from './keep-catalogs.job.ts'
import { createOwnClaims } from './look-claims.ts'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const wanted = (alias: string, more: Partial<WatchedConnection> = {}): WatchedConnection => {
  const upstream = createFakeUpstream()
  const ids = { organizationId: 'org_1' as OrganizationId, connectionId: `con_${alias}` as ConnectionId }
  return { ...ids, alias, version: '1', kind: 'remote', upstream: () => upstream, ...more }
}

/** Every fetch is answered by `answers[alias]`, true where it says nothing; all of it is written down. */
function fixture({ loads = false } = {}) {
  const story: string[] = []
  const answers: Record<string, () => boolean | Promise<boolean>> = {}
  const jobs = createKeepCatalogs({
    async sync({ alias, upstream, met }) {
      story.push(`fetch ${alias}`)
      met?.(upstream())
      return answers[alias]?.() ?? true
    },
    claims: createOwnClaims(),
    onSynced: async ({ organizationId }) => {
      if (loads) story.push(`load ${organizationId}`)
    },
    onAnnounced: ({ organizationId, connectionId }, kind) =>
      void story.push(`tell ${organizationId} ${connectionId} ${kind}`),
    random: () => 0,
    drop: (connectionId) => {
      story.push(`drop ${connectionId}`)
      return Promise.resolve()
    },
    log: {
      warn: (facts, message) => void story.push(`warn ${(facts as { connection?: string }).connection}: ${message}`),
    },
  })
  /** Returns the events during that time. */
  const after = async (milliseconds: number): Promise<string[]> => {
    await vi.advanceTimersByTimeAsync(milliseconds)
    return story.splice(0)
  }
  return { jobs, answers, after, [Symbol.dispose]: () => jobs.close() }
}

describe('a connection that is wanted', () => {
  test('S2-SYN-01: is fetched at once, and then every quarter of an hour', async () => {
    using held = fixture()
    held.jobs.want([wanted('web')])
    expect(await held.after(0)).toEqual(['fetch web'])
    expect(await held.after(15 * MINUTE - 1)).toEqual([])
    expect(await held.after(1)).toEqual(['fetch web'])
  })

  test('is not fetched again because it is still wanted', async () => {
    using held = fixture()
    const web = wanted('web')
    held.jobs.want([web])
    await held.after(0)
    held.jobs.want([{ ...web }])
    expect(await held.after(MINUTE)).toEqual([])
  })

  test('is dropped and fetched anew when it is another version, and only dropped when nobody wants it', async () => {
    using held = fixture()
    held.jobs.want([wanted('web')])
    await held.after(0)
    held.jobs.want([wanted('web', { version: '2' })])
    expect(await held.after(0)).toEqual(['drop con_web', 'fetch web'])
    held.jobs.want([])
    expect(await held.after(60 * MINUTE)).toEqual(['drop con_web'])
  })

  test('of another organization stays as it is, whatever is wanted of one', async () => {
    using held = fixture()
    const [one, other] = ['org_1', 'org_2'].map((id) => id as OrganizationId) as [OrganizationId, OrganizationId]
    held.jobs.want([wanted('web', { organizationId: one }), wanted('shop', { organizationId: other })])
    await held.after(0)
    held.jobs.want([wanted('new', { organizationId: one })], new Set([one]))
    expect(await held.after(0)).toEqual(['drop con_web', 'fetch new'])
    held.jobs.want([], new Set([other]))
    expect(await held.after(0)).toEqual(['drop con_shop'])
    held.jobs.want([], new Set(['org_3']))
    expect(await held.after(0)).toEqual([])
  })

  test('has been tried once it was asked, however that went', async () => {
    using held = fixture()
    const asking = Promise.withResolvers<boolean>()
    held.answers['slow'] = () => asking.promise
    held.answers['bad'] = () => false
    held.jobs.want([wanted('slow'), wanted('bad')])
    let tried = false
    void held.jobs.tried().then(() => (tried = true))
    await held.after(0)
    expect(tried).toBe(false)
    asking.resolve(true)
    await held.after(0)
    expect(tried).toBe(true)
  })
})

describe('a connection that fails', () => {
  test('is tried again with growing pauses, and forgets them once it went well', async () => {
    using held = fixture()
    held.answers['web'] = () => false
    held.jobs.want([wanted('web')])
    await held.after(0)
    for (const pause of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
      expect(await held.after(pause - 1)).toEqual([])
      expect(await held.after(1)).toEqual(['fetch web'])
    }
    held.answers['web'] = () => true
    expect(await held.after(300_000)).toEqual(['fetch web'])
    held.answers['web'] = () => false
    expect(await held.after(15 * MINUTE)).toEqual(['fetch web'])
    expect(await held.after(5_000)).toEqual(['fetch web'])
  })

  test('holds up no other', async () => {
    using held = fixture()
    held.answers['stuck'] = () => new Promise<boolean>(() => {})
    held.answers['bad'] = () => false
    held.jobs.want([wanted('stuck'), wanted('bad'), wanted('good')])
    expect(await held.after(0)).toEqual(['fetch stuck', 'fetch bad', 'fetch good'])
    expect(await held.after(5_000)).toEqual(['fetch bad'])
    expect(await held.after(15 * MINUTE)).toContain('fetch good')
  })

  test('even by throwing, is tried again, and throws at nobody', async () => {
    using held = fixture()
    held.answers['web'] = () => Promise.reject(new Error('database gone'))
    const unopened = wanted('sealed', {
      upstream: () => {
        throw new Error('it does not open')
      },
    })
    held.jobs.want([wanted('web'), unopened])
    const first = await held.after(0)
    expect(first.filter((line) => line.startsWith('warn')).toSorted()).toEqual([
      'warn sealed: the catalog could not be stored; retrying',
      'warn web: the catalog could not be stored; retrying',
    ])
    held.answers['web'] = () => true
    expect(await held.after(5_000)).toContain('fetch web')
    expect(await held.after(10_000)).toContain('fetch sealed')
  })
})

test('a connection that turned while it was asked is asked again soon', async () => {
  using held = fixture()
  const answer = Promise.withResolvers<boolean>()
  held.answers['web'] = () => answer.promise
  const web = wanted('web')
  held.jobs.want([web])
  await held.after(0)
  held.jobs.again(web.connectionId)
  await held.after(1_000)
  answer.resolve(true)
  expect(await held.after(50)).toEqual(['fetch web'])
})

describe('a server that says what changed', () => {
  async function watching(held: ReturnType<typeof fixture>): Promise<FakeUpstream> {
    const upstream = createFakeUpstream()
    held.jobs.want([wanted('web', { upstream: () => upstream })])
    await held.after(0)
    expect(upstream.watchers).toBe(1)
    return upstream
  }

  test('is fetched soon, and then it is told to those who listen', async () => {
    using held = fixture()
    const upstream = await watching(held)
    upstream.announce('tools')
    expect(await held.after(49)).toEqual([])
    expect(await held.after(1)).toEqual(['fetch web', 'tell org_1 con_web tools'])
  })

  test('without an end is fetched all the same', async () => {
    using held = fixture()
    const upstream = await watching(held)
    for (let change = 0; change < 60; change++) {
      upstream.announce('tools')
      await vi.advanceTimersByTimeAsync(20)
    }
    expect((await held.after(0)).filter((line) => line === 'fetch web').length).toBeGreaterThan(2)
  })

  test('without an end is fetched with growing pauses, once a minute at last, and soon again after it was quiet', async () => {
    using held = fixture()
    const upstream = await watching(held)
    const flood = async (milliseconds: number) => {
      for (let past = 0; past < milliseconds; past += 10) {
        upstream.announce('tools')
        await vi.advanceTimersByTimeAsync(10)
      }
      return (await held.after(0)).filter((line) => line === 'fetch web').length
    }
    expect(await flood(2 * MINUTE)).toBeLessThan(15)
    expect(await flood(10 * MINUTE)).toBeLessThanOrEqual(10)
    await held.after(3 * MINUTE)
    upstream.announce('tools')
    expect(await held.after(50)).toEqual(['fetch web', 'tell org_1 con_web tools'])
  })

  test('many times is fetched once, and each kind is told once', async () => {
    using held = fixture()
    const upstream = await watching(held)
    for (let change = 0; change < 100; change++) upstream.announce(change % 2 === 0 ? 'tools' : 'prompts')
    expect(await held.after(50)).toEqual(['fetch web', 'tell org_1 con_web tools', 'tell org_1 con_web prompts'])
    expect(await held.after(MINUTE)).toEqual([])
  })

  test('is told only after the new lists are there', async () => {
    using held = fixture()
    const upstream = await watching(held)
    held.answers['web'] = () => false
    upstream.announce('tools')
    expect(await held.after(50)).toEqual(['fetch web'])
    held.answers['web'] = () => true
    expect(await held.after(5_000)).toEqual(['fetch web', 'tell org_1 con_web tools'])
  })

  test('nothing that was heard, but may have while its stream was broken, is fetched, and nobody is told', async () => {
    using held = fixture()
    const upstream = await watching(held)
    for (const kind of ['tools', 'prompts', 'resources'] as const) upstream.announce(kind, true)
    expect(await held.after(MINUTE)).toEqual(['fetch web'])
  })

  test('is heard while it is being fetched, early or late in that', async () => {
    using held = fixture()
    const upstream = await watching(held)
    for (const late of [10_000, 10]) {
      const fetching = Promise.withResolvers<boolean>()
      held.answers['web'] = () => fetching.promise
      upstream.announce('tools')
      expect(await held.after(400)).toEqual(['fetch web'])
      upstream.announce('resources')
      expect(await held.after(late)).toEqual([])
      held.answers['web'] = () => true
      fetching.resolve(true)
      expect(await held.after(0)).toEqual(['tell org_1 con_web tools'])
      expect(await held.after(200)).toEqual(['fetch web', 'tell org_1 con_web resources'])
    }
  })

  test('is listened to once, and anew where the connection has another upstream', async () => {
    using held = fixture()
    const upstreams = [createFakeUpstream(), createFakeUpstream()] as const
    let current: FakeUpstream = upstreams[0]
    held.jobs.want([wanted('web', { upstream: () => current })])
    await held.after(0)
    await held.after(15 * MINUTE)
    expect(upstreams.map(({ watchers }) => watchers)).toEqual([1, 0])
    current = upstreams[1]
    await held.after(15 * MINUTE)
    expect(upstreams[1].watchers).toBe(1)
  })

  test('is listened to no more once nobody wants the connection, or everything closes', async () => {
    using held = fixture()
    const upstream = await watching(held)
    held.jobs.want([])
    expect(upstream.watchers).toBe(0)
    upstream.announce('tools')
    expect(await held.after(MINUTE)).toEqual(['drop con_web'])
    const other = await watching(held)
    held.jobs.close()
    expect(other.watchers).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
    expect(await held.after(60 * MINUTE)).toEqual([])
  })
})

describe('many connections', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => wanted(`c${at}`))

  test('are asked 16 at a time, and one that hangs gives its place to the next after a while', async () => {
    using held = fixture()
    const all = many(40)
    for (const { alias } of all) held.answers[alias] = () => new Promise<boolean>(() => {})
    held.jobs.want(all)
    expect(await held.after(0)).toHaveLength(16)
    expect(await held.after(2_999)).toHaveLength(0)
    expect(await held.after(1)).toHaveLength(16)
    expect(await held.after(3_000)).toHaveLength(8)
  })

  test('have their lists loaded after they are stored', async () => {
    using held = fixture({ loads: true })
    held.jobs.want([wanted('web')])
    expect(await held.after(0)).toEqual(['fetch web', 'load org_1'])
  })
})
