import { setImmediate as turn } from 'node:timers/promises'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createKeptListen, type Opening } from './lasting-listen.ts'
import type { Union } from './listening.ts'

const union = (...uris: string[]): Union => ({ lists: true, uris: new Set(uris), tasks: new Set() })
const NOTHING: Union = { lists: false, uris: new Set(), tasks: new Set() }

interface Stream extends Opening {
  /** Ends it: true, false (the server has no such streams), or broken. */
  end(how: boolean | Error): void
}

function fixture() {
  const streams: Stream[] = []
  const waits: number[] = []
  let returns = 0
  const heard: string[] = []
  const kept = createKeptListen({
    open(opening) {
      const ended = Promise.withResolvers<boolean>()
      const end = (how: boolean | Error) => (how instanceof Error ? ended.reject(how) : ended.resolve(how))
      opening.signal.addEventListener('abort', () => end(new Error('given up')))
      streams.push({ ...opening, end })
      return ended.promise
    },
    onNotification: ({ method }) => void heard.push(method),
    onReturn: () => void returns++,
    patience: 60_000,
    wait: (milliseconds) => Promise.resolve(void waits.push(milliseconds)),
  })
  const opened = async (count: number) => {
    while (streams.length < count) await turn()
    return streams[count - 1] as Stream
  }
  return { kept, streams, waits, heard, opened, returns: () => returns }
}

const ack = (stream: Stream, honoured?: JsonObject) => stream.onOpen(honoured ?? stream.filter)

describe('a listen stream that is kept', () => {
  test('is changed for another without a moment in between', async () => {
    const { kept, opened, heard } = fixture()
    const first = kept.want(union('a'))
    const before = await opened(1)
    ack(before)
    await first
    const second = kept.want(union('a', 'b'))
    const after = await opened(2)
    expect(before.signal.aborted).toBe(false)
    before.onNotification({ jsonrpc: '2.0', method: 'said before' })
    ack(after)
    await second
    // Messages in transit on the previous stream are still delivered.
    before.onNotification({ jsonrpc: '2.0', method: 'said meanwhile' })
    expect(heard).toEqual(['said before', 'said meanwhile'])
    await expect.poll(() => before.signal.aborted).toBe(true)
    expect(after.signal.aborted).toBe(false)
    expect(after.filter).toMatchObject({ resourceSubscriptions: ['a', 'b'], toolsListChanged: true })
    kept.close()
    expect(after.signal.aborted).toBe(true)
  })

  test('is opened once for wishes that come while one is being opened', async () => {
    const { kept, opened, streams } = fixture()
    const wishes = [kept.want(union('a'))]
    const first = await opened(1)
    for (const uri of ['b', 'c', 'd']) wishes.push(kept.want(union('a', uri)))
    ack(first)
    const last = await opened(2)
    ack(last)
    await Promise.all(wishes)
    expect(streams).toHaveLength(2)
    expect(last.filter['resourceSubscriptions']).toEqual(['a', 'd'])
    kept.close()
  })

  test('comes back after a break with growing pauses, and says so once', async () => {
    const { kept, opened, waits, returns } = fixture()
    const wanted = kept.want(union('a'))
    ack(await opened(1))
    await wanted
    expect(returns()).toBe(0)
    ;(await opened(1)).end(new Error('broken'))
    ;(await opened(2)).end(new Error('broken'))
    ;(await opened(3)).end(new Error('broken'))
    ack(await opened(4))
    await turn()
    expect(returns()).toBe(1)
    expect(waits).toEqual([1_000, 2_000, 4_000])
    kept.close()
  })

  test('that broke while the next one could not be opened is a break all the same', async () => {
    const { kept, opened, returns } = fixture()
    const first = kept.want(union('a'))
    ack(await opened(1))
    await first
    void kept.want(union('a', 'b'))
    const failing = await opened(2)
    ;(await opened(1)).end(new Error('broken'))
    failing.end(new Error('refused'))
    ack(await opened(3))
    await turn()
    expect(returns()).toBe(1)
    kept.close()
  })

  test('is not asked for again of a server that has none, until something else is wanted', async () => {
    const { kept, opened, streams, waits } = fixture()
    const wanted = kept.want(union('a'))
    ;(await opened(1)).end(false)
    const takes = await wanted
    expect(takes?.uri('a')).toBe(false)
    await turn()
    expect({ streams: streams.length, waits }).toEqual({ streams: 1, waits: [] })
    void kept.want(union('b'))
    await opened(2)
    kept.close()
  })

  test('that the server refuses after it counted as open is an answer: no break, and not asked for again', async () => {
    const { kept, opened, streams, waits, returns } = fixture()
    const wanted = kept.want(union('a'))
    const stream = await opened(1)
    ack(stream)
    await wanted
    stream.end(false)
    for (let turns = 0; turns < 5; turns++) await turn()
    expect({ streams: streams.length, waits, returns: returns() }).toEqual({ streams: 1, waits: [], returns: 0 })
    void kept.want(union('b'))
    ack(await opened(2))
    await turn()
    expect(returns()).toBe(0)
    kept.close()
  })

  test('ends when nobody wants anything, and begins again with the next', async () => {
    const { kept, opened, returns } = fixture()
    const first = kept.want(union('a'))
    const stream = await opened(1)
    ack(stream)
    await first
    await kept.want(NOTHING)
    expect(stream.signal.aborted).toBe(true)
    const second = kept.want(union('b'))
    ack(await opened(2))
    await second
    expect(returns()).toBe(0)
    kept.close()
  })

  test('tells what the server honours of it', async () => {
    const { kept, opened } = fixture()
    const wanted = kept.want(union('a', 'b'))
    ack(await opened(1), { resourceSubscriptions: ['b'] })
    const takes = await wanted
    expect([takes?.uri('a'), takes?.uri('b')]).toEqual([false, true])
    kept.close()
  })
})
