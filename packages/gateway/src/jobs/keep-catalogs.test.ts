import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFakeUpstream, type FakeUpstream } from '../testing/fake-upstream.ts'
import { createKeepCatalogs, type Wanted } from './keep-catalogs.ts'

const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const wanted = (alias: string, more: Partial<Wanted> = {}): Wanted => {
  const upstream = createFakeUpstream()
  const ids = { organizationId: 'org_1' as OrganizationId, connectionId: `con_${alias}` as ConnectionId }
  return { ...ids, alias, version: '1', upstream: () => upstream, ...more }
}

/** Every fetch is answered by `answers[alias]`, true where it says nothing; all of it is written down. */
function fixture() {
  const story: string[] = []
  const answers: Record<string, () => boolean | Promise<boolean>> = {}
  const jobs = createKeepCatalogs({
    async sync({ alias, upstream, met }) {
      story.push(`fetch ${alias}`)
      met?.(upstream())
      return answers[alias]?.() ?? true
    },
    onChange: (organizationId, connectionId, kind) => void story.push(`tell ${organizationId} ${connectionId} ${kind}`),
    drop: (connectionId) => {
      story.push(`drop ${connectionId}`)
      return Promise.resolve()
    },
    log: {
      warn: (facts, message) => void story.push(`warn ${(facts as { connection?: string }).connection}: ${message}`),
    },
  })
  /** What happened while that much time went by. */
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
      'warn sealed: the catalog could not be kept; trying again',
      'warn web: the catalog could not be kept; trying again',
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
    for (let change = 0; change < 10; change++) {
      upstream.announce('tools')
      await vi.advanceTimersByTimeAsync(20)
    }
    expect((await held.after(0)).filter((line) => line === 'fetch web').length).toBeGreaterThan(2)
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

  test('is heard while it is being fetched, early or late in that', async () => {
    using held = fixture()
    const upstream = await watching(held)
    for (const late of [10_000, 10]) {
      const fetching = Promise.withResolvers<boolean>()
      held.answers['web'] = () => fetching.promise
      upstream.announce('tools')
      expect(await held.after(50)).toEqual(['fetch web'])
      upstream.announce('resources')
      expect(await held.after(late)).toEqual([])
      held.answers['web'] = () => true
      fetching.resolve(true)
      expect(await held.after(0)).toEqual(['tell org_1 con_web tools'])
      expect(await held.after(50)).toEqual(['fetch web', 'tell org_1 con_web resources'])
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
