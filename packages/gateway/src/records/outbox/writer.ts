/**
 * How does a record come into the database without holding anybody up and without ever being lost?
 *
 * A call writes what it is about to do into the journal before it leaves, and its record when it has ended; records go to the
 * database in batches. Memory holds so many of them and no more: the others are read back from the journal. What a process left
 * there when it was killed is stored by whoever starts next, an intent without an end as a call of which nobody knows how
 * it ended.
 */
import { appendFileSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Fault } from '@toolway/contract'
import type { Log } from '../../lib/log.ts'
import type { Entry } from '../records.ts'
import { createJournal, type Segment } from './journal.ts'
import { findLeft, readJournal, type Left } from './left.ts'

/** Where an intent is written down. */
export type Intent = Segment

export interface RecordWriter {
  /** Its name at the outbox, which has to be alive in the database for as long as it is. */
  readonly owner: string
  /** Write down what is about to happen, as the record that remains if nothing more is heard. Throws `record.unwritable`. */
  intend(entry: Entry): Intent
  /** `json` is the same entry, where the caller has it as a text already. */
  write(entry: Entry, json?: string, intent?: Intent): void
  /** One attempt to store all that waits. */
  flush(): Promise<void>
  /** What cannot be stored by now stays in the journal. */
  close(): Promise<void>
  /** Records in memory that are not stored. */
  readonly waiting: number
}

export interface RecordWriterParts {
  readonly directory: string
  readonly store: (entries: readonly Entry[]) => Promise<void>
  /** Whether the writer of that name is connected to the database. */
  readonly holds: (owner: string) => Promise<boolean>
  readonly log: Log
  readonly now: () => number
  /** Called with the number of records that were given up. */
  onLoss(count: number): void
}

interface Item {
  readonly entry: Entry
  /** Where its end is written down, if it is. */
  home: Segment | undefined
  /** Where its intent stands, while that is all there is of it on the disk. */
  intent: Segment | undefined
  /** Memory has no room for it: it is read back from its home. */
  readonly spilled: boolean
}

const EVERY = 50
const BATCH = 1_000
/** Characters of ends that wait for a write. */
const MOST_UNWRITTEN = 16 * 1024
export const MOST_IN_MEMORY = 10_000
const AGAIN = { first: 200, most: 10_000 }
/** Between two looks for what others left. Milliseconds. */
const LOOK = 15_000
/** Records that the database will never take are kept here, for people. */
const REFUSED = 'refused'

export function createRecordWriter({ directory, store, holds, log, now, onLoss }: RecordWriterParts): RecordWriter {
  const journal = createJournal({
    directory,
    onTrouble: (thrown) => log.warn({ err: thrown, directory }, 'the outbox has trouble with its disk'),
  })
  let queue: Item[] = []
  /** Ends that are not written down yet, and their lines: a write costs more than what it writes. */
  let ends: Item[] = []
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let pause = AGAIN.first
  let looks = true
  const look = setInterval(() => {
    looks = true
    plan(0)
  }, LOOK).unref()

  const plan = (after: number) => {
    timer ??= setTimeout(() => {
      timer = undefined
      writing = writing.then(drain)
    }, after)
  }

  async function drain(): Promise<void> {
    try {
      if ((await drainMemory()) && (await drainSpilled()) && (await drainLeft())) {
        pause = AGAIN.first
        return
      }
    } catch (thrown) {
      log.error({ err: thrown }, 'the outbox cannot be read')
    }
    log.warn({ waiting: queue.length }, 'records cannot be stored now; they wait')
    plan(pause)
    pause = Math.min(pause * 2, AGAIN.most)
  }

  /** False when the database does not take them now. */
  async function drainMemory(): Promise<boolean> {
    while (queue.length > 0) {
      // What is stored knows by then where it was written down.
      writeEnds()
      const batch = queue.splice(0, BATCH)
      const left = await storeAll(batch.map(({ entry }) => entry))
      if (left.length === 0) batch.forEach(stored)
      else {
        const again = new Set(left)
        for (const item of batch) if (!again.has(item.entry)) stored(item)
        queue = [...batch.filter(({ entry }) => again.has(entry)), ...queue]
        return false
      }
    }
    return true
  }

  async function drainSpilled(): Promise<boolean> {
    for (let segment = journal.nextSpilled(); segment !== undefined; segment = journal.nextSpilled()) {
      if (!(await storeFiles([segment.path], false)) || !(await drainMemory())) return false
      segment.spilled = false
      journal.settled(segment)
    }
    return true
  }

  async function drainLeft(): Promise<boolean> {
    if (!looks) return true
    for (const { paths } of await findLeft(directory, now(), holds)) {
      if (!(await storeFiles(paths, true))) return false
      await Promise.all(paths.map((path) => unlink(path).catch(unlessGone)))
    }
    looks = false
    return true
  }

  /** Store the records of these files, and with `intents` what was begun and never ended. */
  async function storeFiles(paths: Left['paths'], intents: boolean): Promise<boolean> {
    const begun = new Map<string, Entry>()
    let batch: Entry[] = []
    const take = async () => {
      const left = await storeAll(batch)
      batch = []
      return left.length === 0
    }
    for (const path of paths) {
      const onBroken = (line: string) => log.warn({ path, length: line.length }, 'a line of the outbox cannot be read')
      for await (const { mark, entry } of readJournal(path, onBroken)) {
        if (mark === 'i') {
          if (intents) begun.set(entry.id, entry)
          continue
        }
        begun.delete(entry.id)
        if (batch.push(entry) >= BATCH && !(await take())) return false
      }
    }
    if (begun.size > 0)
      log.warn({ count: begun.size }, 'a gateway ended before calls were answered; their records say so')
    batch.push(...begun.values())
    return take()
  }

  /** What could not be stored for now. A row that the database will never take must not hold up all others. */
  async function storeAll(batch: readonly Entry[]): Promise<readonly Entry[]> {
    if (batch.length === 0) return []
    try {
      await store(batch)
      return []
    } catch (thrown) {
      if (!isRefusedRow(thrown)) return batch
      if (batch.length === 1) {
        refused(batch[0], thrown)
        return []
      }
      const middle = Math.ceil(batch.length / 2)
      return [...(await storeAll(batch.slice(0, middle))), ...(await storeAll(batch.slice(middle)))]
    }
  }

  function refused(entry: Entry | undefined, thrown: unknown): void {
    log.error({ err: thrown, id: entry?.id }, 'the database refuses a record')
    onLoss(1)
    try {
      appendFileSync(join(directory, REFUSED), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    } catch (failure) {
      log.error({ err: failure, entry }, 'a refused record cannot be stored')
    }
  }

  function stored({ home, intent }: Item): void {
    if (home !== undefined && --home.waiting === 0) journal.settled(home)
    if (intent !== undefined) ended(intent)
  }

  function ended(intent: Segment): void {
    if (--intent.open === 0) journal.settled(intent)
  }

  /**
   * The end of what was intended is written down with the next intent, or when the database is next written to: until then the
   * intent stands for it. What has no intent is written down at once.
   */
  function write(entry: Entry, json = JSON.stringify(entry), intent?: Intent): void {
    const item = { entry, home: undefined, intent, spilled: queue.length >= MOST_IN_MEMORY }
    ends.push(item)
    lines += `f${json}\n`
    if (!item.spilled) queue.push(item)
    if (intent === undefined || lines.length > MOST_UNWRITTEN) writeEnds()
    plan(EVERY)
  }

  function writeEnds(): void {
    if (ends.length === 0) return
    try {
      append('', 0)
    } catch (thrown) {
      log.error({ err: thrown, directory }, 'the outbox cannot be written; records wait in memory only')
      // An intent on the disk still stands for what memory has no room for.
      const lost = ends.filter(({ spilled, intent }) => spilled && intent === undefined).length
      if (lost > 0) onLoss(lost)
      ends = []
      lines = ''
    }
  }

  /** A line, and the ends that wait to be written down before it. */
  function append(line: string, open: number): Segment {
    const segment = journal.append(lines + line, { open, waiting: ends.length })
    if (ends.length === 0) return segment
    const written = ends
    ends = []
    lines = ''
    for (const item of written) {
      if (item.spilled) {
        segment.waiting--
        segment.spilled = true
      } else item.home = segment
      if (item.intent !== undefined) ended(item.intent)
      item.intent = undefined
    }
    return segment
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(drain)
    await writing
  }

  plan(0)
  return {
    owner: journal.owner,
    intend(entry) {
      try {
        return append(`i${JSON.stringify(entry)}\n`, 1)
      } catch (thrown) {
        const { code = 'unknown cause' } = thrown as NodeJS.ErrnoException
        throw new Fault('record.unwritable', { problem: code }, { cause: thrown })
      }
    },
    write,
    flush,
    async close() {
      clearInterval(look)
      await flush()
      clearTimeout(timer)
      const alone = queue.filter(({ home, intent }) => home === undefined && intent === undefined)
      if (alone.length > 0) onLoss(alone.length)
      if (queue.length > 0) log.warn({ waiting: queue.length }, 'records that could not be stored wait in the outbox')
      journal.close()
    },
    get waiting() {
      return queue.length
    },
  }
}

/** Another gateway found it at the same time; what it stored is stored once. */
function unlessGone(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown
}

/** SQLSTATE classes 22 (data) and 23 (integrity): the row itself is at fault, not the moment. */
const isRefusedRow = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && /^2[23]/.test(String(thrown.code))
