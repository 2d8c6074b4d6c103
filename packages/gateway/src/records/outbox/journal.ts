/**
 * The files in which a gateway writes down, before anything leaves, what it is about to do, and after it, how that ended.
 *
 * Lines are appended with plain writes, so that nothing that was said is lost with the process (the kernel has it);
 * what a power loss can take is bounded by the beat, at which all of it is brought to the disk. A file goes once everything in
 * it is stored. A file belongs to one process; `left.ts` finds those whose process is gone.
 */
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** One file. It stays as long as it holds records that are not in the database. */
export interface Segment {
  readonly path: string
  /** Intents in it whose end is not written down. */
  open: number
  /** Ended records in it that memory holds and the database does not. */
  waiting: number
  /** Ended records in it are in no memory: it has to be read. */
  spilled: boolean
}

export interface Journal {
  /** The prefix of its files' names. */
  readonly owner: string
  /** Whole lines, with one write; they stand in the segment that is handed back. Throws what the file system says. */
  append(lines: string, more: { readonly open: number; readonly waiting: number }): Segment
  /** Something about a segment was settled; it goes when that was the last of it. */
  settled(segment: Segment): void
  /** The oldest segment that has to be read, no longer written to; undefined when there is none. */
  nextSpilled(): Segment | undefined
  /** Records that are not stored by now are stored at the next start. */
  close(): void
}

/** An intent, or a record that has ended. */
export type Mark = 'i' | 'f'

interface OpenSegment extends Segment {
  readonly fd: number
  size: number
}

export interface JournalParts {
  readonly directory: string
  /** Says that a file could not be brought to the disk, or not be removed. */
  onTrouble(thrown: unknown): void
}

const SEGMENT_BYTES = 4 * 1024 * 1024
/** Where lines are put together that are short enough, as nearly all are. */
const BUFFER_BYTES = 128 * 1024
/** All is brought to the disk, and what is empty is cut, this often. Milliseconds. */
const BEAT_MS = 1_000
/** Without a beat for so long this process was stopped, and others may have taken it for gone. Milliseconds. */
const STOPPED_MS = 30_000
/** Beats between two signs of life. */
const SIGN = 10

export const LEFTOVER_SUFFIX = '.left'

export const createJournal = (parts: JournalParts): Journal => new SegmentedJournal(parts)

class SegmentedJournal implements Journal {
  readonly owner = `${placeOf()}-${process.pid}-${randomBytes(4).toString('hex')}`
  readonly #parts: JournalParts
  readonly #segments = new Set<OpenSegment>()
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  #active: OpenSegment | undefined
  #count = 0
  #beats = 0
  #beaten = Date.now()
  #dirty = false
  #timer: NodeJS.Timeout | undefined

  constructor(parts: JournalParts) {
    this.#parts = parts
  }

  #openNext(): OpenSegment {
    mkdirSync(this.#parts.directory, { recursive: true, mode: 0o700 })
    const path = join(this.#parts.directory, `${this.owner}-${String(++this.#count).padStart(9, '0')}`)
    const segment = { path, fd: openSync(path, 'ax', 0o600), size: 0, open: 0, waiting: 0, spilled: false }
    this.#segments.add(segment)
    this.#timer ??= setInterval(() => this.#beat(), BEAT_MS).unref()
    return segment
  }

  append(lines: string, { open, waiting }: { readonly open: number; readonly waiting: number }): Segment {
    if (this.#active !== undefined && Date.now() - this.#beaten > STOPPED_MS) this.#leaveAdopted(this.#active)
    const segment = (this.#active ??= this.#openNext())
    // Three bytes are the most that one unit of a text takes.
    const bytes = lines.length * 3 <= this.#buffer.length ? this.#buffer : Buffer.from(lines)
    const length = bytes === this.#buffer ? this.#buffer.write(lines) : bytes.length
    let written = 0
    try {
      written = writeSync(segment.fd, bytes, 0, length)
    } finally {
      // Half a line ends its file: nothing may be written behind it.
      if (written !== length) this.#retire(segment)
    }
    if (written !== length)
      throw Object.assign(new Error('only half a line was written to the disk'), { code: 'ENOSPC' })
    this.#dirty = true
    segment.open += open
    segment.waiting += waiting
    if ((segment.size += written) >= SEGMENT_BYTES) this.#retire(segment)
    return segment
  }

  /** Somebody took this process for gone while it was stopped: what is in its file is on record, and what comes needs another. */
  #leaveAdopted(segment: OpenSegment): void {
    this.#beaten = Date.now()
    if (fstatSync(segment.fd).nlink > 0) return
    this.#active = undefined
    this.#segments.delete(segment)
    closeSync(segment.fd)
  }

  /** Write no more to it. It is brought to the disk before it is closed. */
  #retire(segment: OpenSegment): void {
    if (this.#active === segment) this.#active = undefined
    fdatasync(segment.fd, (failure) => {
      if (failure !== null) this.#parts.onTrouble(failure)
      closeSync(segment.fd)
    })
    this.settled(segment)
  }

  settled(segment: Segment): void {
    if (segment === this.#active || !isIdle(segment) || !this.#segments.delete(segment as OpenSegment)) return
    try {
      unlinkSync(segment.path)
    } catch (thrown) {
      this.#parts.onTrouble(thrown)
    }
  }

  #beat(): void {
    this.#beats++
    this.#beaten = Date.now()
    if (this.#active === undefined) return
    try {
      if (isIdle(this.#active) && this.#active.size > 0) {
        ftruncateSync(this.#active.fd, 0)
        this.#active.size = 0
      } else if (this.#dirty)
        fdatasync(this.#active.fd, (failure) => failure !== null && this.#parts.onTrouble(failure))
      if (this.#beats % SIGN === 0) futimesSync(this.#active.fd, new Date(), new Date())
      this.#dirty = false
    } catch (thrown) {
      this.#parts.onTrouble(thrown)
    }
  }

  nextSpilled(): Segment | undefined {
    for (const segment of this.#segments) {
      if (!segment.spilled) continue
      if (segment === this.#active) this.#retire(segment)
      return segment
    }
    return undefined
  }

  close(): void {
    clearInterval(this.#timer)
    if (this.#active !== undefined) this.#retire(this.#active)
    for (const { path } of this.#segments) {
      try {
        renameSync(path, path + LEFTOVER_SUFFIX)
      } catch (thrown) {
        this.#parts.onTrouble(thrown)
      }
    }
  }
}

const isIdle = ({ open, waiting, spilled }: Segment) => open === 0 && waiting === 0 && !spilled

/** Names where process ids mean the same: this boot of this machine, and in it this room of processes. */
export function placeOf(): string {
  const traits = [
    hostname(),
    readable(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    readable(() => readlinkSync('/proc/self/ns/pid')),
  ]
  return createHash('sha256').update(traits.join('|')).digest('hex').slice(0, 12)
}

/** Not every system has it. */
function readable(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
