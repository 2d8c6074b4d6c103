/**
 * The bounded queue of one signal: items are encoded as they come, collected into batches and exported in the background.
 *
 * No caller waits for it. Items that find it full are dropped and counted, never silently. A batch leaves when it is complete, or after
 * the delay; the end of the process flushes within a deadline.
 */
import { ITEM } from './envelope.ts'
import { MEDIUM, ProtoWriter } from './proto-writer.ts'

export interface QueueLimits {
  /** Items that wait to be exported. */
  readonly queue: number
  /** Items of one request. */
  readonly batch: number
  /** Milliseconds until an incomplete batch leaves. */
  readonly delay: number
}

export interface ExportQueueParts extends QueueLimits {
  /** Exports the items of a batch. Never rejects. */
  export(items: Buffer, count: number): Promise<void>
  /** Items were lost before they could be exported. */
  drop(count: number, reason: DropReason): void
}

export type DropReason = 'queue_full' | 'unencodable' | 'refused' | 'undelivered' | 'shutdown'

export interface ExportQueue {
  /** Encodes an item with the writer. */
  add(write: (to: ProtoWriter) => void): void
  /** Exports all that waits; what is not gone when the signal comes is dropped. */
  close(deadline: AbortSignal): Promise<void>
}

/** Bytes that may wait, whatever the number of items. */
const MOST_BYTES = 16 * 1024 * 1024
/** Requests of one signal at the same time. */
const AT_ONCE = 4

interface Batch {
  readonly items: Buffer
  readonly count: number
}

export const createExportQueue = (parts: ExportQueueParts): ExportQueue => new BatchQueue(parts)

class BatchQueue implements ExportQueue {
  readonly #parts
  readonly #writer = new ProtoWriter(64 * 1024)
  readonly #sealed: Batch[] = []
  readonly #underWay = new Set<Promise<void>>()
  /** Items in the batch that is being collected, and all that wait. */
  #collected = 0
  #waiting = 0
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(parts: ExportQueueParts) {
    this.#parts = parts
  }

  add(write: (to: ProtoWriter) => void): void {
    const { queue, batch, delay, drop } = this.#parts
    if (this.#closed) return drop(1, 'shutdown')
    if (this.#waiting >= queue || this.#bytes + this.#writer.size >= MOST_BYTES) return drop(1, 'queue_full')
    const before = this.#writer.size
    try {
      const from = this.#writer.open(ITEM, MEDIUM)
      write(this.#writer)
      this.#writer.close(from, MEDIUM)
    } catch {
      this.#writer.rewind(before)
      return drop(1, 'unencodable')
    }
    this.#collected++
    this.#waiting++
    if (this.#collected >= batch) this.#seal()
    else this.#timer ??= setTimeout(() => this.#seal(), delay).unref()
  }

  #seal(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#collected === 0) return
    const items = this.#writer.take()
    this.#sealed.push({ items, count: this.#collected })
    this.#bytes += items.length
    this.#collected = 0
    this.#pump()
  }

  #pump(): void {
    while (this.#underWay.size < AT_ONCE) {
      const next = this.#sealed.shift()
      if (next === undefined) return
      this.#waiting -= next.count
      this.#bytes -= next.items.length
      const exporting = this.#parts.export(next.items, next.count).finally(() => {
        this.#underWay.delete(exporting)
        this.#pump()
      })
      this.#underWay.add(exporting)
    }
  }

  async close(deadline: AbortSignal): Promise<void> {
    this.#seal()
    this.#closed = true
    const late = new Promise<void>((resolve) => {
      if (deadline.aborted) resolve()
      else deadline.addEventListener('abort', () => resolve(), { once: true })
    })
    while (this.#underWay.size > 0 && !deadline.aborted) await Promise.race([Promise.all(this.#underWay), late])
    if (this.#waiting > 0) this.#parts.drop(this.#waiting, 'shutdown')
    this.#waiting = 0
    this.#sealed.length = 0
  }
}
