import { setImmediate as turn } from 'node:timers/promises'
import { Fault, TIMEOUTS } from '@toolway/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Revision } from '@toolway/protocol'
import { ownAsk } from '../gateway-request.ts'
import type { Child, Exit } from '../children/child.ts'
import type { LineReader } from '../children/child-inbox.ts'
import { NOTHING_WITHHELD } from '../program-report.ts'
import type { Ask } from '../upstream.ts'
import { createStdioUpstream } from './stdio-upstream.ts'

interface Said {
  readonly id?: number
  readonly method: string
  readonly params?: Record<string, unknown>
}

/** Children that are no processes: they answer every request but those that are `deaf` to, greetings only while `greets`. */
function fixture({ greets = true, pinned = true, spawned = Promise.resolve(), timeout = 10, era = MODERN } = {}) {
  const deaf = new Set<string>()
  const dying = { atGreeting: false }
  const turns: (string | undefined)[] = []
  const children: { said: Said[]; stopped: boolean; exit(how: Partial<Exit>): void; say(text: object): void }[] = []
  function start(): Promise<Child> {
    const said: Said[] = []
    let read: LineReader = () => {}
    const listeners: ((how: Exit) => void)[] = []
    const one = {
      said,
      stopped: false,
      say: (message: object) => void read(JSON.stringify({ jsonrpc: '2.0', ...message })),
      exit: (how: Partial<Exit>) => {
        for (const tell of listeners.splice(0))
          tell({ code: 1, signal: null, reason: 'EXITED', stderr: [], withheld: NOTHING_WITHHELD, ...how } as Exit)
      },
    }
    children.push(one)
    return spawned.then(() => ({
      pid: 1,
      send(line) {
        const message = JSON.parse(line) as Said
        said.push(message)
        const { id, method } = message
        const greeting = method === 'server/discover' || method === 'initialize'
        if (id === undefined || method === 'subscriptions/listen' || (greeting && !greets)) return Promise.resolve()
        if (deaf.has(method)) return Promise.resolve()
        const result = { resultType: 'complete', protocolVersion: era, supportedVersions: [MODERN], capabilities: {} }
        queueMicrotask(() => {
          void read(JSON.stringify({ jsonrpc: '2.0', id, result }))
          if (greeting && dying.atGreeting) one.exit({ code: 3 })
        })
        return Promise.resolve()
      },
      onLine: (given) => void (read = given),
      onExit: (tell) => void listeners.push(tell),
      stderr: () => [],
      withheld: () => NOTHING_WITHHELD,
      view: () => undefined,
      onWithheld: () => {},
      ready: () => {},
      stop() {
        one.stopped = true
        one.exit({ code: null, signal: 'SIGTERM' })
        return Promise.resolve()
      },
    }))
  }
  let last = 0
  const upstream = createStdioUpstream({
    reach: {
      connectionId: 'con_1',
      alias: 'files',
      timeout,
      revision: pinned ? era : undefined,
      pinned,
      wire: { command: 'x', args: [], environment: {} },
    },
    ids: () => ++last,
    children: { start },
    onRevision: () => {},
    onNoise: () => {},
    onStateChange: (failure) => void turns.push(failure?.code),
  })
  return { upstream, children, deaf, dying, turns }
}
const MODERN: Revision = '2026-07-28'
const { signal } = new AbortController()
const ask = ownAsk('tools/list', {}, '2026-07-28', signal)

describe('a child that follows another', () => {
  test('is listened to like the first, and all that it offers counts as changed', async () => {
    const { upstream, children } = fixture()
    const changed: string[] = []
    upstream.watch((kind) => void changed.push(kind), signal)
    await upstream.ask(ask)
    expect(children[0]?.said.map(({ method }) => method)).toContain('subscriptions/listen')
    expect(changed).toEqual([])
    children[0]?.exit({ code: 3 })
    await upstream.ask(ask)
    expect(children).toHaveLength(2)
    expect(children[1]?.said.map(({ method }) => method)).toContain('subscriptions/listen')
    expect(changed.toSorted()).toEqual(['prompts', 'resources', 'tools'])
    await upstream.close()
  })
})

describe('a child that is being greeted', () => {
  test('is stopped when its connection goes, and whoever waits for it is told', async () => {
    const { upstream, children } = fixture({ greets: false })
    const waiting = upstream.ask(ask).catch((thrown: unknown) => Fault.of(thrown))
    while (children[0] === undefined || children[0].said.length === 0) await turn()
    await upstream.close()
    expect(children.map(({ stopped }) => stopped)).toEqual([true])
    expect(await waiting).toBeInstanceOf(Fault)
    await expect(upstream.introduce(signal)).rejects.toMatchObject({ code: 'upstream.disabled' })
    expect(children).toHaveLength(1)
  })

  test('is stopped when its connection goes, and no other is tried in its place', async () => {
    const { upstream, children } = fixture({ greets: false, pinned: false })
    const waiting = upstream.ask(ask).catch((thrown: unknown) => Fault.of(thrown))
    while (children[0] === undefined || children[0].said.length === 0) await turn()
    await upstream.close()
    expect(children.map(({ stopped }) => stopped)).toEqual([true])
    expect(await waiting).toBeInstanceOf(Fault)
  })

  test('is stopped even if it was not there yet when its connection went', async () => {
    const spawning = Promise.withResolvers<void>()
    const { upstream, children } = fixture({ greets: false, spawned: spawning.promise })
    const waiting = upstream.ask(ask).catch((thrown: unknown) => Fault.of(thrown))
    await turn()
    const closing = upstream.close()
    spawning.resolve()
    await closing
    expect(children.map(({ stopped, said }) => ({ stopped, said }))).toEqual([{ stopped: true, said: [] }])
    expect(await waiting).toMatchObject({ code: 'upstream.disabled' })
  })
})

test('what a child said last is a cause for the operator, and in no words that callers read', async () => {
  const { upstream, children } = fixture({ greets: false })
  const waiting = upstream.ask(ask).catch((thrown: unknown) => Fault.of(thrown))
  while (children[0] === undefined || children[0].said.length === 0) await turn()
  children[0].exit({ code: 7, stderr: ['token=hunter2'] })
  const told = (await waiting) as Fault
  expect(told.code).toBe('upstream.unreachable')
  expect(told.message).toContain('exited with code 7')
  expect(told.message).not.toContain('hunter2')
  const again = await upstream.ask(ask).catch((thrown: unknown) => Fault.of(thrown).message)
  expect(again).not.toContain('hunter2')
})

/** A call of somebody, who may leave. */
const callOf = (leaving: AbortSignal = signal): Ask => ({
  ...ownAsk('tools/call', { name: 'x' }, MODERN, leaving),
  owner: 'ann',
})
const codeOf = (asking: Promise<unknown>) =>
  asking.then(
    () => 'answered',
    (thrown: unknown) => Fault.of(thrown).code,
  )
const after = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

describe('a child that crashes', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('is started again at once, after 4 s and after 16 s, and then not until its connection is opened anew', async () => {
    const { upstream, children, turns } = fixture()
    await upstream.introduce(signal)
    const starts: number[] = []
    for (const pause of [0, 4_000, 16_000]) {
      children.at(-1)?.exit({ code: 3 })
      await after(Math.max(0, pause - 1))
      starts.push(children.length)
      await after(1)
      starts.push(children.length)
    }
    expect(starts.slice(2)).toEqual([2, 3, 3, 4])
    expect(turns).toEqual([])
    children.at(-1)?.exit({ code: 3 })
    expect(turns).toEqual(['upstream.given-up'])
    await after(60 * 60_000)
    expect(children).toHaveLength(4)
    const told = await upstream.ask(callOf()).catch((thrown: unknown) => Fault.of(thrown))
    expect(told).toMatchObject({
      code: 'upstream.given-up',
      message: 'The connection files was stopped after 4 failures in a row: it exited with code 3.',
      mend: 'Correct the cause, then run `toolway connection restart files`.',
    })
    await expect(upstream.check(signal)).rejects.toMatchObject({ code: 'upstream.given-up' })
    await upstream.close()
  })

  test('tells whoever asks between two starts when the next one is', async () => {
    const { upstream, children } = fixture()
    await upstream.introduce(signal)
    children.at(-1)?.exit({ code: 3 })
    await after(0)
    children.at(-1)?.exit({ code: 3 })
    await expect(upstream.ask(callOf())).rejects.toMatchObject({
      code: 'upstream.unreachable',
      facts: { problem: 'it exited with code 3; next start in 4 s' },
    })
    await upstream.close()
    await after(60_000)
    expect(children).toHaveLength(2)
  })

  test.each(['served a caller', 'ran for 60 s'])('has its count from the beginning once it %s', async (how) => {
    const { upstream, children, turns } = fixture()
    for (let crashes = 0; crashes < 10; crashes++) {
      await (how === 'ran for 60 s' ? upstream.introduce(signal).then(() => after(60_000)) : upstream.ask(callOf()))
      children.at(-1)?.exit({ code: 3 })
      await after(0)
    }
    expect([children.length, turns]).toEqual([11, []])
    await upstream.close()
  })

  test('with code 0 wanted to end: it is started when it is asked next, and not before', async () => {
    const { upstream, children } = fixture()
    await upstream.ask(callOf())
    children.at(-1)?.exit({ code: 0 })
    await after(60_000)
    expect(children).toHaveLength(1)
    expect(await codeOf(upstream.ask(callOf()))).toBe('answered')
    expect(children).toHaveLength(2)
    await upstream.close()
  })

  test('in the moment of its greeting did not start, and nobody takes it for one that runs', async () => {
    const { upstream, children, dying } = fixture()
    dying.atGreeting = true
    expect(await codeOf(upstream.introduce(signal))).toBe('upstream.unreachable')
    expect(await upstream.check(signal)).toBe(false)
    dying.atGreeting = false
    await after(1_000)
    expect(await codeOf(upstream.ask(callOf()))).toBe('answered')
    expect(children).toHaveLength(2)
    await upstream.close()
  })

  test('at its start is started again after 1 s, 4 s and 16 s', async () => {
    const { upstream, children, turns } = fixture({ greets: false })
    const first = codeOf(upstream.introduce(signal))
    await after(0)
    const counts: number[] = []
    for (const pause of [1_000, 4_000, 16_000]) {
      children.at(-1)?.exit({ code: 7 })
      await after(pause - 1)
      counts.push(children.length)
      await after(1)
      counts.push(children.length)
    }
    expect(counts).toEqual([1, 2, 2, 3, 3, 4])
    children.at(-1)?.exit({ code: 7 })
    await after(60 * 60_000)
    expect(await first).toBe('upstream.unreachable')
    expect([children.length, turns]).toEqual([4, ['upstream.given-up']])
    await upstream.close()
  })
})

describe.each([MODERN, '2025-11-25'] as const)('a child of revision %s that is silent', (era) => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const cancelled = (said: Said[] = []) => said.filter(({ method }) => method === 'notifications/cancelled')

  test('S3-EXT-03: is told after 30 s that the request is cancelled, and what it then answers is dropped', async () => {
    const { upstream, children, deaf } = fixture({ era, timeout: TIMEOUTS.process })
    await upstream.introduce(signal)
    deaf.add('tools/call')
    const told = codeOf(upstream.ask(callOf()))
    await after(29_999)
    const { said = [] } = children[0] ?? {}
    const { id } = said.find(({ method }) => method === 'tools/call') ?? {}
    expect(cancelled(said)).toEqual([])
    await after(1)
    expect(await told).toBe('upstream.timeout')
    expect(cancelled(said)).toMatchObject([{ params: { requestId: id, reason: expect.stringContaining('30 s') } }])
    deaf.clear()
    const next = upstream.ask(callOf())
    children[0]?.say({ id, result: { content: [{ type: 'text', text: 'late' }] } })
    expect(JSON.stringify(await next)).not.toContain('late')
    await upstream.close()
  })

  test('is told at once when the caller leaves, also while it is still being started', async () => {
    const { upstream, children, deaf } = fixture({ era })
    await upstream.introduce(signal)
    deaf.add('tools/call')
    const leaving = new AbortController()
    const told = codeOf(upstream.ask(callOf(leaving.signal)))
    await after(0)
    leaving.abort()
    expect(await told).toBe('call.cancelled')
    expect(cancelled(children[0]?.said)).toHaveLength(1)
    await upstream.close()

    const starting = fixture({ era, greets: false })
    const gone = new AbortController()
    const waiting = codeOf(starting.upstream.ask(callOf(gone.signal)))
    await after(0)
    gone.abort()
    expect(await waiting).toBe('call.cancelled')
    await starting.upstream.close()
  })

  test('in five calls in a row gets no more for a while, and the rest of the callers do not wait', async () => {
    const { upstream, deaf, turns } = fixture({ era })
    await upstream.introduce(signal)
    deaf.add('tools/call')
    for (let calls = 0; calls < 5; calls++) {
      const told = codeOf(upstream.ask(callOf()))
      await after(10_000)
      expect(await told).toBe('upstream.timeout')
    }
    expect(turns).toEqual(['upstream.timeout'])
    expect(await codeOf(upstream.ask(callOf()))).toBe('upstream.resting')
    deaf.clear()
    await after(10_000)
    expect(await codeOf(upstream.ask(callOf()))).toBe('answered')
    expect(turns).toEqual(['upstream.timeout', undefined])
    await upstream.close()
  })

  test('at two checks in a row is ended and started again, but never while it works on a call', async () => {
    const { upstream, children, deaf } = fixture({ era, timeout: 600 })
    const probe = era === MODERN ? 'server/discover' : 'ping'
    expect(await upstream.check(signal)).toBe(false)
    expect(children).toEqual([])
    await upstream.introduce(signal)
    expect(await upstream.check(signal)).toBe(true)
    expect(children[0]?.said.at(-1)?.method).toBe(probe)

    deaf.add('tools/call').add(probe)
    const leaving = new AbortController()
    const working = codeOf(upstream.ask(callOf(leaving.signal)))
    await after(0)
    for (let times = 0; times < 5; times++) expect(await upstream.check(signal)).toBe(true)
    leaving.abort()
    await working

    for (const stopped of [false, true]) {
      const checked = codeOf(upstream.check(signal))
      await after(10_000)
      expect(await checked).toBe('upstream.timeout')
      expect(children[0]?.stopped).toBe(stopped)
    }
    deaf.clear()
    await after(1)
    expect(await upstream.check(signal)).toBe(true)
    expect(children).toHaveLength(2)
    await upstream.close()
  })
})
