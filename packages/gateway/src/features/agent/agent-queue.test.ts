/** Runs of agents: how many go on, who waits, who is next, and what becomes of a run that is given up while it waits. */
import type { OrganizationId, UserId } from '@toolway/contract'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAgentQueue, type AgentLimits } from './agent-queue.ts'
import type { SharedPlaces } from './shared-places.rows.ts'

const LIMITS: AgentLimits = { member: 4, organization: 4, gateway: 8, waiting: 60 }
const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Runs by name: `running` and `waiting` are looked at, not asked. */
function open(limits: Partial<AgentLimits> = {}, draining = new AbortController(), shared?: SharedPlaces) {
  const queue = createAgentQueue({ limits: { ...LIMITS, ...limits }, draining: draining.signal, shared })
  const running = new Map<string, Disposable>()
  const positions = new Map<string, number>()
  const enter = (organization: string, user: string, signal = new AbortController().signal) => {
    const name = `${organization} ${user}`
    const entry = { organizationId: organization as OrganizationId, userId: user as UserId, signal }
    const entered = queue.enter({ ...entry, onPosition: (position) => positions.set(name, position) })
    return entered.then((run) => {
      positions.delete(name)
      running.set(name, run)
    })
  }
  const end = (name: string) => {
    running.get(name)?.[Symbol.dispose]()
    running.delete(name)
  }
  return { enter, end, running, positions }
}

describe('60 runs of 30 members with a model that never answers', () => {
  test('are four at once, and another organization gets its run all the same', async () => {
    const { enter, running, positions } = open()
    const all = Array.from({ length: 60 }, (_, at) => enter('acme', `member ${at % 30}#${at}`))
    await settle()
    expect([running.size, positions.size]).toEqual([4, 56])
    await enter('other', 'ada')
    expect(running.has('other ada')).toBe(true)
    expect(running.size).toBe(5)
    void Promise.allSettled(all)
  })

  test('are begun in their order as others end, and each is told its place', async () => {
    const { enter, end, running, positions } = open({ organization: 1 })
    for (const user of ['a', 'b', 'c', 'd']) void enter('acme', user)
    await settle()
    expect([[...running.keys()], [...positions]]).toEqual([
      ['acme a'],
      [
        ['acme b', 1],
        ['acme c', 2],
        ['acme d', 3],
      ],
    ])
    end('acme a')
    await settle()
    expect([[...running.keys()], [...positions]]).toEqual([
      ['acme b'],
      [
        ['acme c', 1],
        ['acme d', 2],
      ],
    ])
  })
})

test('of two organizations that wait, the one with fewer runs is next', async () => {
  const { enter, end, running } = open({ gateway: 4 })
  for (const user of ['a', 'b', 'c', 'd', 'e']) void enter('acme', user)
  void enter('other', 'z')
  await settle()
  expect(running.has('other z')).toBe(false)
  end('acme a')
  await settle()
  expect([running.has('other z'), running.has('acme e')]).toEqual([true, false])
})

test('a run that is given up while it waits leaves its place, and the next ones move up', async () => {
  const { enter, end, running, positions } = open({ organization: 1 })
  const given = new AbortController()
  void enter('acme', 'a')
  const second = enter('acme', 'b', given.signal)
  void enter('acme', 'c')
  await settle()
  given.abort()
  await expect(second).rejects.toMatchObject({ code: 'call.cancelled' })
  expect(positions.get('acme c')).toBe(1)
  end('acme a')
  await settle()
  expect([...running.keys()]).toEqual(['acme c'])
})

test('runs that wait when the gateway is stopped end with its reason', async () => {
  const draining = new AbortController()
  const { enter } = open({ organization: 1 }, draining)
  await enter('acme', 'a')
  const waiting = enter('acme', 'b')
  draining.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'gateway.draining' })
  await expect(enter('acme', 'c')).rejects.toMatchObject({ code: 'gateway.draining' })
})

test('beyond the bounds of a member and of the queue a run is refused, and a place that is left can be taken again', async () => {
  const { enter, end } = open({ organization: 1, waiting: 2, member: 2 })
  void enter('acme', 'a')
  void enter('acme', 'a')
  await expect(enter('acme', 'a')).rejects.toMatchObject({ code: 'agent.busy' })
  void enter('acme', 'b')
  await expect(enter('acme', 'c')).rejects.toMatchObject({ code: 'agent.full' })
  await settle()
  end('acme a')
  await settle()
  await settle()
  void enter('acme', 'c')
  await expect(enter('acme', 'd')).rejects.toMatchObject({ code: 'agent.full' })
})

describe('with gateways that share a bound', () => {
  /** As many places as `free` says. */
  function common(free: number) {
    const state = { free, asked: 0 }
    const take = async () => {
      state.asked++
      await settle()
      if (state.free === 0) return undefined
      state.free--
      return { [Symbol.dispose]: () => void state.free++ }
    }
    return { state, shared: { take } }
  }

  test('a run waits as long as the others have all places, and begins soon after one is left', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { state, shared } = common(1)
    const { enter, end, running, positions } = open({}, new AbortController(), shared)
    await enter('acme', 'a')
    void enter('acme', 'b')
    void enter('other', 'c')
    await vi.waitFor(() =>
      expect([...positions]).toEqual(
        expect.arrayContaining([
          ['acme b', 1],
          ['other c', 1],
        ]),
      ),
    )
    await vi.advanceTimersByTimeAsync(10_000)
    expect([...running.keys()]).toEqual(['acme a'])
    // It ends at another gateway: nothing here hears of that.
    state.free = 2
    await vi.advanceTimersByTimeAsync(2_000)
    await vi.waitFor(() => expect(running.size).toBe(3))
    for (const name of ['acme a', 'acme b', 'other c']) end(name)
    expect(state.free).toBe(3)
    const { asked } = state
    await vi.advanceTimersByTimeAsync(10_000)
    expect(state.asked).toBe(asked)
  })

  test('a run that is given up while its place is looked for leaves it', async () => {
    const { state, shared } = common(1)
    const { enter } = open({ member: 1 }, new AbortController(), shared)
    const given = new AbortController()
    const entered = enter('acme', 'a', given.signal)
    given.abort()
    await expect(entered).rejects.toMatchObject({ code: 'call.cancelled' })
    expect(state.free).toBe(1)
    await enter('acme', 'a')
  })

  test('where it is not known whether there is one, the run fails, and takes no place', async () => {
    let isAway = true
    const away = new Error('away')
    const take = async () => {
      if (isAway) throw away
      return { [Symbol.dispose]() {} }
    }
    const { enter, running } = open({ member: 1, gateway: 1 }, new AbortController(), { take })
    await expect(enter('acme', 'a')).rejects.toBe(away)
    isAway = false
    await enter('acme', 'a')
    expect(running.size).toBe(1)
  })
})
