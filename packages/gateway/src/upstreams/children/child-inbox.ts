/**
 * Queue of a child's output lines. Lines wait here until there is a reader, then go to it in order; a line counts as taken when
 * the reader returns, or when the promise that it returns settles. It never holds more than the worker's window, and a reader
 * that throws loses its own line only.
 */
import { weightOf } from './frame.ts'
import type { Log } from '../../lib/log.ts'

export type LineReader = (line: string) => void | Promise<void>

/** Taken weights are told to the worker in sums of this much. */
const TELL_FROM = 256 * 1024

export interface InboxParts {
  name: string
  log: Log
  taken: (weight: number) => void
}

export function createInbox({ name, log, taken }: InboxParts) {
  let reader: LineReader | undefined
  let waiting: Buffer[] = []
  let untold = 0

  const count = (weight: number) => {
    untold += weight
    if (untold < TELL_FROM) return
    taken(untold)
    untold = 0
  }
  const logReaderFailure = (thrown: unknown) =>
    log.error({ child: name, err: thrown }, 'the reader of a stdio server failed on a line')
  const giveToReader = (read: LineReader, body: Buffer) => {
    const weight = weightOf(body.length)
    try {
      const reading = read(body.toString('utf8'))
      if (reading instanceof Promise) return void reading.catch(logReaderFailure).finally(() => count(weight))
    } catch (thrown) {
      logReaderFailure(thrown)
    }
    return count(weight)
  }

  return {
    take(body: Buffer): void {
      if (reader) giveToReader(reader, body)
      else waiting.push(Buffer.from(body)) // a copy: the frame is a view on a chunk that would be kept with it
    },
    read(fn: LineReader): void {
      if (reader) throw new Error(`${name} has a reader already: a line goes to one reader`)
      reader = fn
      const early = waiting
      waiting = []
      for (const body of early) giveToReader(fn, body)
    },
  }
}
