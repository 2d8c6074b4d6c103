import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { ownAsk } from '../gateway-request.ts'
import { createFakeUpstream, type FakeUpstream } from '../../testing/fake-upstream.ts'
import type { Answer, Ask } from '../upstream.ts'
import { createOwnChildren, type OwnChild } from './own-children.ts'

const { signal } = new AbortController()
const done: Answer = { result: {} }

interface Opened extends OwnChild {
  readonly child: FakeUpstream
  closed: boolean
}

function fixture({ revision = '2025-11-25' as const, starts = (): boolean => true } = {}) {
  const shared = createFakeUpstream({ serverInfo: { revision }, answer: () => done })
  const opened: Opened[] = []
  let time = 0
  const upstream = createOwnChildren({
    alias: 'up',
    patience: 10,
    shared,
    now: () => time++,
    open(own) {
      const child = createFakeUpstream({ answer: () => done })
      const one: Opened = { ...own, child, closed: false }
      opened.push(one)
      return {
        ...child,
        introduce: (given) =>
          starts()
            ? child.introduce(given)
            : Promise.reject(new Fault('upstream.unreachable', { connection: 'x', problem: 'y' })),
        close: () => Promise.resolve(void (one.closed = true)),
      }
    },
  })
  const ask = (owner: string, capabilities: JsonObject, more: Partial<Ask> = {}) => {
    const asked = ownAsk('tools/call', {}, '2025-11-25', signal)
    return upstream.ask({ ...asked, owner, caller: { ...asked.caller, capabilities }, ...more })
  }
  return { shared, opened, upstream, ask }
}
const ASKS = { elicitation: {} }

describe('a child of its own', () => {
  test('is for whoever can be asked, one for each owner and set of capabilities', async () => {
    const { shared, opened, ask } = fixture()
    await ask('ada', {})
    await ask('ada', { roots: {} })
    expect(opened).toEqual([])
    for (const owner of ['ada', 'bob', 'ada']) await ask(owner, ASKS)
    await ask('ada', { ...ASKS, sampling: {}, roots: {} })
    expect(opened.map(({ owner, capabilities }) => ({ owner, capabilities }))).toEqual([
      { owner: 'ada', capabilities: ASKS },
      { owner: 'bob', capabilities: ASKS },
      { owner: 'ada', capabilities: { ...ASKS, sampling: {} } },
    ])
    expect(opened.map(({ child }) => child.asked.map(({ owner }) => owner))).toEqual([['ada', 'ada'], ['bob'], ['ada']])
    expect(shared.asked).toHaveLength(2)
  })

  test('is one of eight: the one unused for longest makes room, and none that is in use', async () => {
    const { shared, opened, ask } = fixture()
    for (let at = 0; at < 8; at++) await ask(`owner ${at}`, ASKS)
    await ask('owner 0', ASKS)
    await ask('owner 8', ASKS)
    expect(opened.filter(({ closed }) => closed).map(({ owner }) => owner)).toEqual(['owner 1'])
    expect(shared.asked).toEqual([])
  })

  test('is not taken from those who use theirs: the next one shares', async () => {
    const { shared, opened, upstream } = fixture()
    const hearing = (owner: string) =>
      upstream.listen({
        session: undefined,
        owner,
        caller: { ...ownAsk('x', {}, '2025-11-25', signal).caller, capabilities: ASKS },
        uris: ['test://a'],
        tasks: [],
        signal,
        onNotification() {},
        onEnd() {},
      })
    for (let at = 0; at < 8; at++) await hearing(`owner ${at}`)
    const asked = ownAsk('tools/call', {}, '2025-11-25', signal)
    await upstream.ask({ ...asked, owner: 'late', caller: { ...asked.caller, capabilities: ASKS } })
    expect({ opened: opened.length, closed: opened.some(({ closed }) => closed), shared: shared.asked.length }).toEqual(
      {
        opened: 8,
        closed: false,
        shared: 1,
      },
    )
  })

  test('that cannot be started is not tried again at once: the shared one serves', async () => {
    const { shared, opened, ask } = fixture({ starts: () => false })
    await ask('ada', ASKS)
    await ask('ada', ASKS)
    expect({ opened: opened.length, closed: opened[0]?.closed, shared: shared.asked.length }).toEqual({
      opened: 1,
      closed: true,
      shared: 2,
    })
  })

  test('is needed at a modern server for log lines alone', async () => {
    const { shared, opened, ask } = fixture({ revision: '2026-07-28' as '2025-11-25' })
    await ask('ada', ASKS)
    expect({ opened: opened.length, shared: shared.asked.length }).toEqual({ opened: 0, shared: 1 })
    const asked = ownAsk('tools/call', {}, '2026-07-28', signal)
    await ask('ada', ASKS, { caller: { ...asked.caller, logLevel: 'info' } })
    expect(opened.map(({ capabilities }) => capabilities)).toEqual([{}])
  })

  test('ends with its connection', async () => {
    const { opened, upstream, ask } = fixture()
    await ask('ada', ASKS)
    await upstream.close()
    expect(opened.map(({ closed }) => closed)).toEqual([true])
  })
})
