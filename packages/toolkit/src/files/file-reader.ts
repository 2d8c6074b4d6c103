/** One file that is held open to be read, in parts or whole. What is read is the file that was opened, also where its name was given to another. */
import type { FileHandle } from 'node:fs/promises'
import { Refusal } from '../refusal.ts'
import type { LocalPath } from './paths.ts'

const CHUNK = 1024 * 1024

export class FileReader implements AsyncDisposable {
  readonly handle: FileHandle
  readonly path: LocalPath
  /** Bytes, when it was opened. */
  readonly size: number
  readonly modified: Date

  constructor(handle: FileHandle, found: { path: LocalPath; size: number; modified: Date }) {
    this.handle = handle
    this.path = found.path
    this.size = found.size
    this.modified = found.modified
  }

  /** Up to `size` bytes from `position` on; fewer at the end of the file. */
  async read(position: number, size: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      const { bytesRead } = await this.handle.read(bytes, filled, size - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  }

  /** The bytes from `from` to before `to`, in constant memory. Throws a `Refusal` where the file became shorter since it was opened. */
  async *chunks(part: { from?: number; to?: number; signal?: AbortSignal } = {}): AsyncGenerator<Buffer, void, void> {
    const { from = 0, to = this.size, signal } = part
    for (let at = from; at < to;) {
      signal?.throwIfAborted()
      const chunk = await this.read(at, Math.min(CHUNK, to - at))
      if (chunk.byteLength === 0) throw new Refusal(`${this.path} became shorter while it was read.`)
      at += chunk.byteLength
      yield chunk
    }
  }

  /** @param most bytes. Throws a `Refusal` for a larger file, and for one that is no text. */
  async text(most: number): Promise<string> {
    if (this.size > most)
      throw new Refusal(`${this.path} has ${this.size} bytes, but at most ${most} are read.`, 'PAYLOAD_TOO_LARGE')
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await this.read(0, this.size))
    } catch (thrown) {
      throw thrown instanceof TypeError ? new Refusal(`${this.path} is not UTF-8 text.`) : thrown
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close()
  }
}
