/**
 * The writer of records: they come into the database without holding a call up, and none is lost.
 *
 * A call writes what it is about to do into the journal before it leaves, and its record when it has ended. The calls of one turn of
 * the event loop share one write (group commit). Records go to the database in batches, with a rest between two rounds of them,
 * because a batch costs the database more than the records in it. Memory holds so many of them and no more: the others are read back
 * from the journal. Records that a killed process left there are stored by the next process that starts, an intent without an end
 * as a call with an unknown outcome.
 */
import { unlink } from 'node:fs/promises'
import { Fault } from '@toolway/contract'
import type { Entry } from '../records.ts'
import { createJournal, type Segment } from './journal.ts'
import { BATCH, BatchStore, type BatchStoreParts } from './batch-store.ts'
import { findLeft } from './leftover-journals.ts'
import { MANY, OutboxRounds, type Amount } from './rounds.ts'

/** Where an intent is written down. */
export type Intent = Segment

export interface RecordWriter {
  /** Its name at the outbox, which has to be alive in the database for as long as it is. */
  readonly owner: string
  /**
   * Writes down what is about to happen, as the record that remains if nothing more is heard, together with all else that is intended
   * in this turn of the event loop. Rejects with `record.unwritable`.
   */
  intend(entry: Entry): Promise<Intent>
  /** `json` is the same entry, where the caller has it as a text already. */
  write(entry: Entry, json?: string, intent?: Intent): void
  /** One attempt to store all that waits. */
  flush(): Promise<void>
  /** Entries that cannot be stored by now stay in the journal. */
  close(): Promise<void>
  /** Records in memory that are not stored. */
  readonly waiting: number
}

export interface RecordWriterParts extends BatchStoreParts {
  /** Whether the writer of that name is connected to the database. */
  readonly holds: (owner: string) => Promise<boolean>
  /**
   * Has the listener called each time the database is of use again, until the function that it returns is called; meanwhile attempts
   * come less and less often.
   */
  readonly onBack?: (listener: () => void) => () => void
  readonly now: () => number
}

interface Item {
  readonly entry: Entry
  /** Where its end is written down, if it is. */
  endSegment: Segment | undefined
  /** Where its intent stands, while that is all there is of it on the disk. */
  intentSegment: Segment | undefined
  /** Memory has no room for it: it is read back from its home. */
  readonly spilled: boolean
}

/** The intents of one turn of the event loop. */
interface IntentBatch {
  lines: string
  count: number
  readonly written: Promise<Intent>
  write(): void
}

/**
 * Records in one batch. On a core that PostgreSQL shares with the gateway, calls wait while a batch is stored, so it is small;
 * where more wait than rounds of those would soon store, the large ones cost less for each record.
 */
const SMALL_BATCH = 100
/** Characters of ends that wait for a write, and of intents. */
const MOST_UNWRITTEN_CHARACTERS = 16 * 1024
export const MOST_IN_MEMORY = 10_000
/** Between two looks for what others left. Milliseconds. */
const LOOK = 15_000

export const createRecordWriter = (parts: RecordWriterParts): RecordWriter => new OutboxWriter(parts)

class OutboxWriter implements RecordWriter {
  readonly #parts: RecordWriterParts
  readonly #journal: ReturnType<typeof createJournal>
  readonly #batches: BatchStore
  #queue: Item[] = []
  /** Ends that are not written down yet, and their lines: a write costs more than what it writes. */
  #ends: Item[] = []
  #lines = ''
  #openBatch: IntentBatch | undefined
  readonly #rounds: OutboxRounds
  #checksLeftovers = true
  readonly #pollTimer: NodeJS.Timeout
  readonly #unsubscribe: (() => void) | undefined

  constructor(parts: RecordWriterParts) {
    const { directory, log } = parts
    this.#parts = parts
    this.#batches = new BatchStore(parts)
    this.#journal = createJournal({
      directory,
      onTrouble: (thrown) => log.warn({ err: thrown, directory }, 'the outbox cannot use its disk'),
    })
    this.#rounds = new OutboxRounds({ log, waiting: () => this.#queue.length, drain: (what) => this.#drain(what) })
    this.#unsubscribe = parts.onBack?.(() => this.#rounds.tryAgain())
    this.#pollTimer = setInterval(() => {
      this.#checksLeftovers = true
      this.#rounds.plan(0)
    }, LOOK).unref()
    this.#rounds.plan(0)
  }

  get owner(): string {
    return this.#journal.owner
  }

  get waiting(): number {
    return this.#queue.length
  }

  intend(entry: Entry): Promise<Intent> {
    const batch = (this.#openBatch ??= this.#beginBatch())
    batch.lines += `i${JSON.stringify(entry)}\n`
    batch.count++
    if (batch.lines.length > MOST_UNWRITTEN_CHARACTERS) batch.write()
    return batch.written
  }

  #beginBatch(): IntentBatch {
    const { promise: written, resolve, reject } = Promise.withResolvers<Intent>()
    const write = () => {
      clearImmediate(immediate)
      this.#openBatch = undefined
      try {
        resolve(this.#append(batch.lines, batch.count))
      } catch (thrown) {
        const { code = 'unknown cause' } = thrown as NodeJS.ErrnoException
        reject(new Fault('record.unwritable', { problem: code }, { cause: thrown }))
      }
    }
    // After all that came in this turn was read, and before anything else is waited for.
    const immediate = setImmediate(write)
    const batch = { lines: '', count: 0, written, write }
    return batch
  }

  /**
   * The end of an intended call is written down with the next intent, or when the database is next written to: until then the
   * intent stands for it. A record without an intent is written down at once.
   */
  write(entry: Entry, json = JSON.stringify(entry), intent?: Intent): void {
    const item = { entry, endSegment: undefined, intentSegment: intent, spilled: this.#queue.length >= MOST_IN_MEMORY }
    this.#ends.push(item)
    this.#lines += `f${json}\n`
    if (!item.spilled) this.#queue.push(item)
    if (intent === undefined || this.#lines.length > MOST_UNWRITTEN_CHARACTERS) this.#writeEnds()
    this.#rounds.arrived()
  }

  async flush(): Promise<void> {
    await this.#rounds.run('all')
  }

  async close(): Promise<void> {
    const { log, onLoss } = this.#parts
    clearInterval(this.#pollTimer)
    this.#unsubscribe?.()
    this.#openBatch?.write()
    await this.flush()
    this.#rounds.stop()
    const unwritten = this.#queue.filter(
      ({ endSegment, intentSegment }) => endSegment === undefined && intentSegment === undefined,
    )
    if (unwritten.length > 0) onLoss(unwritten.length)
    if (this.#queue.length > 0)
      log.warn({ waiting: this.#queue.length }, 'records that could not be stored wait in the outbox')
    this.#journal.close()
  }

  /** False when what waits cannot be stored now. */
  async #drain(what: Amount): Promise<boolean> {
    try {
      return (await this.#drainMemory(what)) && (await this.#drainSpilled(what)) && (await this.#drainLeft())
    } catch (thrown) {
      this.#parts.log.error({ err: thrown }, 'the outbox cannot be read')
      return false
    }
  }

  /**
   * False when the database does not take them now. A round of batches ends when less than a batch waits: under steady load there
   * is always something that came while the last one was stored.
   */
  async #drainMemory(what: Amount): Promise<boolean> {
    const rest = what === 'all' ? 1 : SMALL_BATCH
    do {
      // A record that is stored knows by then where it was written down.
      this.#writeEnds()
      const batch = this.#queue.splice(0, this.#queue.length < MANY ? SMALL_BATCH : BATCH)
      const left = new Set(await this.#batches.store(batch.map(({ entry }) => entry)))
      for (const item of batch) if (!left.has(item.entry)) this.#stored(item)
      if (left.size > 0) {
        this.#queue = [...batch.filter(({ entry }) => left.has(entry)), ...this.#queue]
        return false
      }
    } while (this.#queue.length >= rest)
    return true
  }

  async #drainSpilled(what: Amount): Promise<boolean> {
    const journal = this.#journal
    for (let segment = journal.nextSpilled(); segment !== undefined; segment = journal.nextSpilled()) {
      if (!(await this.#batches.storeFiles([segment.path], false)) || !(await this.#drainMemory(what))) return false
      segment.spilled = false
      journal.settled(segment)
    }
    return true
  }

  async #drainLeft(): Promise<boolean> {
    if (!this.#checksLeftovers) return true
    const { directory, now, holds } = this.#parts
    for (const { paths } of await findLeft(directory, now(), holds)) {
      if (!(await this.#batches.storeFiles(paths, true))) return false
      await Promise.all(paths.map((path) => unlink(path).catch(unlessGone)))
    }
    this.#checksLeftovers = false
    return true
  }

  #stored({ endSegment, intentSegment }: Item): void {
    if (endSegment !== undefined && --endSegment.waiting === 0) this.#journal.settled(endSegment)
    if (intentSegment !== undefined) this.#ended(intentSegment)
  }

  #ended(intent: Segment): void {
    if (--intent.open === 0) this.#journal.settled(intent)
  }

  #writeEnds(): void {
    if (this.#ends.length === 0) return
    const { log, directory, onLoss } = this.#parts
    try {
      this.#append('', 0)
    } catch (thrown) {
      log.error({ err: thrown, directory }, 'the outbox cannot be written; records wait in memory only')
      // An intent on the disk still stands for a record that memory has no room for.
      const lost = this.#ends.filter(({ spilled, intentSegment }) => spilled && intentSegment === undefined).length
      if (lost > 0) onLoss(lost)
      this.#ends = []
      this.#lines = ''
    }
  }

  /** The lines of so many intents, and before them the ends that wait to be written down. */
  #append(lines: string, open: number): Segment {
    const segment = this.#journal.append(this.#lines + lines, { open, waiting: this.#ends.length })
    if (this.#ends.length === 0) return segment
    const written = this.#ends
    this.#ends = []
    this.#lines = ''
    for (const item of written) {
      if (item.spilled) {
        segment.waiting--
        segment.spilled = true
      } else item.endSegment = segment
      if (item.intentSegment !== undefined) this.#ended(item.intentSegment)
      item.intentSegment = undefined
    }
    return segment
  }
}

/** Another gateway found it at the same time; what it stored is stored once. */
function unlessGone(thrown: NodeJS.ErrnoException): void {
  if (thrown.code !== 'ENOENT') throw thrown
}
