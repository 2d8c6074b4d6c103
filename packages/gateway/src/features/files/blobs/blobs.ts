/**
 * Where sealed content is stored: a folder or an object store. It moves bytes and knows neither keys nor organizations; a store is
 * told the key of each content, `<organization>/<file>`.
 *
 * Failures of the store itself are the Faults `file.away` and `file.full`.
 */
import { Fault } from '@toolway/contract'
import type { PartList } from '../files.rows.ts'

/** Content that is being written. Whole sealed frames come in order; a crash loses at most what was not saved. */
export interface Draft {
  /** The bytes may be another frame afterwards. */
  append(frame: Buffer): Promise<void>
  /** Has all frames so far, and the sealed tail if there is one, survive this process. */
  save(tail: Buffer | undefined): Promise<void>
  /** Writes the last frame; from now on it can be read. */
  complete(last: Buffer): Promise<void>
  /** Lets go of it as it is. */
  close(): Promise<void>
}

/** The rest of a draft. */
export interface Resumed {
  readonly draft: Draft
  /** Whole frames that are stored. */
  readonly frames: number
  /** Sealed, behind those frames. */
  readonly tail: Buffer | undefined
}

export interface PartMemory {
  read(): Promise<PartList | undefined>
  write(parts: PartList): Promise<void>
}

export interface Blobs {
  /** For people: where content is. */
  readonly where: string
  begin(key: string, memory: PartMemory): Promise<Draft>
  /** Undefined: it is complete already. */
  resume(key: string, memory: PartMemory): Promise<Resumed | undefined>
  /** Bytes `start` to `end` (exclusive); fewer where fewer are there. */
  read(key: string, start: number, end: number, signal?: AbortSignal): AsyncIterable<Buffer>
  /** Content, draft and all; it may be gone already. */
  remove(key: string, parts: PartList | undefined): Promise<void>
  /** Everything that is stored, with the time of its last change. */
  keys(): AsyncIterable<{ readonly key: string; readonly changedAt: Date }>
  /** Writes, reads and removes a probe. */
  look(): Promise<void>
  /** Only reads: whether it answers, and whether it may be used as far as that shows. */
  glance(): Promise<void>
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** The fault of an error of the file system or the network. */
export function storeFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  const code = (thrown as { code?: unknown } | undefined)?.code
  if (typeof code === 'string' && FULL.has(code)) return new Fault('file.full', {}, { cause: thrown })
  const name = typeof code === 'string' ? code : thrown instanceof Error ? thrown.name : 'unknown'
  return new Fault('file.away', { problem: `it responds with ${name}` }, { cause: thrown })
}
