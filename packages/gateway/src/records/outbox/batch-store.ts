/**
 * Batches of records on their way into the database, from memory and from files of the outbox. A record that the database will never
 * take does not hold up the others: it is kept in a file for people.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../../lib/log.ts'
import type { Entry } from '../records.ts'
import { readJournal, type Left } from './leftover-journals.ts'

export interface BatchStoreParts {
  readonly directory: string
  readonly store: (entries: readonly Entry[]) => Promise<void>
  readonly log: Log
  /** Called for each batch that is stored, with the number of its records. */
  onStored?(count: number): void
  /** Called with the number of records that were given up. */
  onLoss(count: number): void
}

export const BATCH = 1_000
/** The file of refused records. */
const REFUSED = 'refused'

export class BatchStore {
  readonly #parts: BatchStoreParts

  constructor(parts: BatchStoreParts) {
    this.#parts = parts
  }

  /** The records that could not be stored for now. */
  async store(batch: readonly Entry[]): Promise<readonly Entry[]> {
    if (batch.length === 0) return []
    try {
      await this.#parts.store(batch)
      this.#parts.onStored?.(batch.length)
      return []
    } catch (thrown) {
      if (!isRefusedRow(thrown)) return batch
      if (batch.length === 1) {
        this.#keepRefused(batch[0], thrown)
        return []
      }
      const middle = Math.ceil(batch.length / 2)
      return [...(await this.store(batch.slice(0, middle))), ...(await this.store(batch.slice(middle)))]
    }
  }

  /** Stores the records of these files, and with `intents` the calls that were begun and never ended. False when it has to wait. */
  async storeFiles(paths: Left['paths'], intents: boolean): Promise<boolean> {
    const { log } = this.#parts
    const begun = new Map<string, Entry>()
    let batch: Entry[] = []
    const storeBatch = async () => {
      const left = await this.store(batch)
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
        if (batch.push(entry) >= BATCH && !(await storeBatch())) return false
      }
    }
    if (begun.size > 0)
      log.warn({ count: begun.size }, 'a gateway ended before calls were answered; their records state this')
    batch.push(...begun.values())
    return storeBatch()
  }

  #keepRefused(entry: Entry | undefined, thrown: unknown): void {
    const { directory, log, onLoss } = this.#parts
    log.error({ err: thrown, id: entry?.id }, 'the database refuses a record')
    onLoss(1)
    try {
      appendFileSync(join(directory, REFUSED), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
    } catch (failure) {
      log.error({ err: failure, entry }, 'a refused record cannot be stored')
    }
  }
}

/** SQLSTATE classes 22 (data) and 23 (integrity): the row itself is at fault, not the moment. */
const isRefusedRow = (thrown: unknown): boolean =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && /^2[23]/.test(String(thrown.code))
