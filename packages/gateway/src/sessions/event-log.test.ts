import { Fault } from '@toolway/contract'
import type { Message } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { EVENT_LIMITS, EventBudget, EventLog, type Connection, type EventStream } from './event-log.ts'

const said = (text: string): Message => ({ jsonrpc: '2.0', method: text })

/** Somebody who reads frames: the ids and methods of events, and whether they were let go. */
function reader() {
  const ids: string[] = []
  const heard: string[] = []
  let ended = 0
  const connection: Connection = {
    write(frame) {
      const id = /^id: (.*)$/m.exec(frame)?.[1] ?? ''
      const data = /^data: (.+)$/m.exec(frame)?.[1]
      ids.push(id)
      if (data !== undefined) heard.push((JSON.parse(data) as { method: string }).method)
    },
    end: () => void ended++,
  }
  return {
    connection,
    ids,
    heard,
    get ended() {
      return ended
    },
  }
}

const codeOf = (ask: () => unknown) => {
  try {
    ask()
  } catch (thrown) {
    return Fault.of(thrown).code
  }
  return undefined
}

const logOf = (limits = {}) => new EventLog(new EventBudget({ ...EVENT_LIMITS, ...limits }))

/** Read a stream from its beginning. */
function begun(log: EventLog) {
  const stream = log.open()
  const first = reader()
  stream.attach(first.connection, { sendsPrimingEvent: true })
  return { stream, first }
}

/** Come back for what came after an event. */
function resumed(log: EventLog, event: string) {
  const { stream, after } = log.find(event)
  const again = reader()
  stream.attach(again.connection, { after, sendsPrimingEvent: true })
  return again
}

describe('a stream', () => {
  test('begins with an id and nothing else, for clients that know that, and with nothing for the others', () => {
    const log = logOf()
    const { stream, first } = begun(log)
    expect(first.ids).toEqual([`${stream.name}.0`])
    expect(first.heard).toEqual([])
    const older = reader()
    log.open().attach(older.connection, { sendsPrimingEvent: false })
    expect(older.ids).toEqual([])
  })

  test('is resumed after any of its events, without loss and without doubles', () => {
    const log = logOf()
    const { stream, first } = begun(log)
    for (const text of ['a', 'b', 'c']) stream.say(said(text))
    stream.detach(first.connection)
    for (const text of ['d', 'e']) stream.say(said(text))
    const wanted = ['a', 'b', 'c', 'd', 'e']
    for (const [at, id] of first.ids.entries()) expect(resumed(log, id).heard).toEqual(wanted.slice(at))
    const again = resumed(log, first.ids[2] ?? '')
    stream.say(said('f'))
    expect(again.heard).toEqual(['c', 'd', 'e', 'f'])
    expect(first.heard).toEqual(['a', 'b', 'c'])
  })

  test('replays nothing of another stream', () => {
    const log = logOf()
    const [one, two] = [begun(log), begun(log)]
    one.stream.say(said('one'))
    two.stream.say(said('two'))
    expect(resumed(log, one.first.ids[0] ?? '').heard).toEqual(['one'])
    expect(resumed(log, two.first.ids[0] ?? '').heard).toEqual(['two'])
    expect(new Set([...one.first.ids, ...two.first.ids]).size).toBe(4)
  })

  test('has one reader: whoever comes back takes the place of who was there', () => {
    const log = logOf()
    const { stream, first } = begun(log)
    const again = resumed(log, first.ids[0] ?? '')
    expect(first.ended).toBe(1)
    stream.detach(first.connection)
    stream.say(said('a'))
    expect([first.heard, again.heard]).toEqual([[], ['a']])
  })

  test('whose reader is let go for now keeps what comes until it is fetched, and then ends', () => {
    const log = logOf()
    const { stream, first } = begun(log)
    stream.pause()
    expect(first.ended).toBe(1)
    stream.say(said('answer'))
    stream.finish()
    const again = resumed(log, first.ids[0] ?? '')
    expect([again.heard, again.ended]).toEqual([['answer'], 1])
  })

  test('that has ended says so to those who have all of it', () => {
    const log = logOf()
    const { stream, first } = begun(log)
    stream.say(said('answer'))
    stream.finish()
    expect(first.ended).toBe(1)
    expect(codeOf(() => log.find(first.ids[1] ?? ''))).toBe('stream.ended')
    expect(log.find(first.ids[0] ?? '').after).toBe(0)
    stream.say(said('late'))
    expect(stream.last).toBe(1)
  })

  test('of which nothing was said is not known any more when it has ended', () => {
    const log = logOf()
    const { stream, first } = begun(log)
    stream.finish()
    expect(codeOf(() => log.find(first.ids[0] ?? ''))).toBe('stream.gone')
  })

  test('says a change once while nobody reads, and each time to those who do', () => {
    const log = logOf()
    const { stream, first } = begun(log)
    for (let time = 0; time < 2; time++) stream.sayOnce(said('tools'))
    stream.detach(first.connection)
    for (let time = 0; time < 50; time++) for (const text of ['tools', 'prompts']) stream.sayOnce(said(text))
    expect(first.heard).toEqual(['tools', 'tools'])
    expect(resumed(log, first.ids.at(-1) ?? '').heard).toEqual(['tools', 'prompts'])
  })
})

describe('an event that is asked for', () => {
  test.each([
    '',
    'x',
    '7',
    'g.1',
    '.',
    'aaaaaaaaaaaa-p1.1',
    'aaaaaaaaaaaa-p1.-1',
    `aaaaaaaaaaaa-p1.${'9'.repeat(400)}`,
  ])('and was never sent (%j) is told, not passed over', (event) => {
    const log = logOf()
    begun(log)
    expect(codeOf(() => log.find(event))).toBe('stream.gone')
  })

  test('and is not yet sent is told', () => {
    const log = logOf()
    const { stream } = begun(log)
    expect(codeOf(() => log.find(`${stream.name}.1`))).toBe('stream.gone')
  })

  test('of another session is told', () => {
    const [mine, other] = [logOf(), logOf()]
    const { first } = begun(mine)
    begun(other)
    expect(codeOf(() => other.find(first.ids[0] ?? ''))).toBe('stream.gone')
  })
})

describe('what is kept', () => {
  test('S3-EVT-01: are the last 100 events of a session, whichever streams they belong to, oldest out first', () => {
    const log = logOf()
    const { stream: other, first: left } = begun(log)
    other.say(said('other'))
    const { stream, first } = begun(log)
    for (let event = 1; event <= 99; event++) stream.say(said(`event ${event}`))
    expect(log.size).toBe(100)
    expect(resumed(log, left.ids[0] ?? '').heard).toEqual(['other'])
    stream.say(said('event 100'))
    expect(log.size).toBe(100)
    expect(codeOf(() => log.find(left.ids[0] ?? ''))).toBe('stream.gone')
    // A client that has received it misses nothing.
    expect(log.find(left.ids[1] ?? '').after).toBe(1)
    stream.say(said('event 101'))
    expect(log.size).toBe(100)
    expect(codeOf(() => log.find(first.ids[0] ?? ''))).toBe('stream.gone')
    expect(resumed(log, first.ids[1] ?? '').heard).toHaveLength(100)
  })

  test('S3-EVT-03: is bounded in bytes as well, and is gone with the session', () => {
    const budget = new EventBudget({ ...EVENT_LIMITS, bytes: 10_000 })
    const log = new EventLog(budget)
    const { stream, first } = begun(log)
    for (let event = 0; event < 50; event++) {
      stream.say(said('x'.repeat(1_000)))
      expect(log.bytes).toBeLessThanOrEqual(10_000)
      expect(budget.bytes).toBe(log.bytes)
    }
    expect(log.size).toBeGreaterThan(5)
    expect(codeOf(() => log.find(first.ids[0] ?? ''))).toBe('stream.gone')
    const wide = logOf()
    wide.open().say(said('☃'.repeat(1_000)))
    expect(wide.bytes).toBeGreaterThan(2_000)

    log.end()
    expect([log.bytes, budget.bytes, log.size, first.ended]).toEqual([0, 0, 0, 1])
    for (const id of first.ids) expect(codeOf(() => log.find(id))).toBe('stream.gone')
    const late = log.open()
    late.say(said('after the end'))
    expect([log.bytes, budget.bytes]).toEqual([0, 0])
  })

  test('is told as lost where an event alone is larger than all that may be kept', () => {
    const log = logOf({ bytes: 10_000 })
    const { stream, first } = begun(log)
    stream.say(said('before'))
    stream.say(said('x'.repeat(20_000)))
    stream.say(said('after'))
    expect(first.heard.map((text) => text.length)).toEqual([6, 20_000, 5])
    for (const id of first.ids.slice(0, 2)) expect(codeOf(() => log.find(id))).toBe('stream.gone')
    expect(resumed(log, first.ids[2] ?? '').heard).toEqual(['after'])
  })

  test('of all sessions together is bounded, and a flood costs nobody else anything', () => {
    const budget = new EventBudget({ events: 100, bytes: 50_000, all: 100_000 })
    const small = Array.from({ length: 10 }, () => begun(new EventLog(budget)))
    for (const { stream } of small) stream.say(said('kept'))
    const floods: EventStream[] = Array.from({ length: 4 }, () => new EventLog(budget).open())
    for (let event = 0; event < 200; event++)
      for (const stream of floods) {
        stream.say(said('x'.repeat(2_000)))
        expect(budget.bytes).toBeLessThanOrEqual(100_000)
      }
    for (const { stream } of small) expect([stream.last, stream.lost]).toEqual([1, 0])
    expect(floods.every(({ lost }) => lost > 0)).toBe(true)
    expect(budget.bytes).toBeGreaterThan(50_000)
  })
})
