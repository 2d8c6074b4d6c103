import { setImmediate as turn } from 'node:timers/promises'
import { Fault } from '@toolway/contract'
import { describe, expect, test } from 'vitest'
import { ownAsk } from '../../jobs/sync-catalog.ts'
import type { Child, Exit } from '../children/child.ts'
import type { LineReader } from '../children/child-inbox.ts'
import { createStdioUpstream } from './stdio-upstream.ts'

interface Said {
  readonly id?: number
  readonly method: string
}

/** Children that are no processes: they answer every request, greetings only while `greets`. */
function fixture({ greets = true, pinned = true, spawned = Promise.resolve() } = {}) {
  const children: { said: Said[]; stopped: boolean; exit(how: Partial<Exit>): void }[] = []
  function start(): Promise<Child> {
    const said: Said[] = []
    let read: LineReader = () => {}
    const listeners: ((how: Exit) => void)[] = []
    const one = {
      said,
      stopped: false,
      exit: (how: Partial<Exit>) => {
        for (const tell of listeners.splice(0))
          tell({ code: 1, signal: null, reason: 'EXITED', stderr: [], ...how } as Exit)
      },
    }
    children.push(one)
    return spawned.then(() => ({
      pid: 1,
      send(line) {
        const message = JSON.parse(line) as Said
        said.push(message)
        const { id, method } = message
        const greeting = method === 'server/discover'
        if (id === undefined || method === 'subscriptions/listen' || (greeting && !greets)) return Promise.resolve()
        const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} }
        queueMicrotask(() => void read(JSON.stringify({ jsonrpc: '2.0', id, result })))
        return Promise.resolve()
      },
      onLine: (given) => void (read = given),
      onExit: (tell) => void listeners.push(tell),
      stderr: () => [],
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
      timeout: 10,
      revision: pinned ? '2026-07-28' : undefined,
      pinned,
      wire: { kind: 'process', command: 'x', args: [], environment: {} },
    },
    ids: () => ++last,
    children: { start },
    onRevision: () => {},
    onNoise: () => {},
  })
  return { upstream, children }
}
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
