import { expect, test } from 'vitest'
import { EventBudget, EventLog, type Connection } from './event-log.ts'
import { OwnStreams } from './own-streams.ts'

function session() {
  const log = new EventLog(new EventBudget())
  const own = new OwnStreams(log)
  const tell = (method: string) => own.say({ jsonrpc: '2.0', method })
  /** Open one and read it; the methods that came, and how it is left. */
  const open = () => {
    const stream = own.begin()
    const heard: string[] = []
    let ended = false
    const connection: Connection = {
      write(frame) {
        const data = /^data: (.+)$/m.exec(frame)?.[1]
        if (data !== undefined) heard.push((JSON.parse(data) as { method: string }).method)
      },
      end: () => void (ended = true),
    }
    stream.attach(connection, { sendsPrimingEvent: true })
    return { stream, heard, leave: () => stream.detach(connection), isEnded: () => ended }
  }
  return { log, own, tell, open }
}

test('a message goes to one of several streams: to the one that was opened last', () => {
  const { tell, open } = session()
  const [first, second] = [open(), open()]
  tell('a')
  expect([first.heard, second.heard]).toEqual([[], ['a']])
  second.leave()
  tell('b')
  expect([first.heard, second.heard]).toEqual([['b'], ['a']])
})

test('what is said while none is open waits for the one that was open last', () => {
  const { log, tell, open } = session()
  const [first, second] = [open(), open()]
  first.leave()
  second.leave()
  tell('a')
  expect(log.after(second.stream, 0)).toHaveLength(1)
  expect(log.after(first.stream, 0)).toHaveLength(0)
})

test('what is said before there was any stream is for nobody', () => {
  const { log, own, tell } = session()
  tell('a')
  expect([log.size, own.isRead]).toEqual([0, false])
})

test('there are ten; one more ends the oldest that nobody reads, or else the oldest', () => {
  const { own, open } = session()
  const streams = Array.from({ length: 10 }, open)
  streams[3]?.leave()
  open()
  expect(streams.map(({ isEnded }) => isEnded())).not.toContain(true)
  expect(streams[3]?.stream.finished).toBe(true)
  open()
  expect(streams.map(({ isEnded }) => isEnded()).indexOf(true)).toBe(0)
  expect(own.isRead).toBe(true)
})
