/** The content codings of one response, which are undone as it comes (RFC 9110, section 8.4). */
import { createDecoding, isReadable, type Decoding } from './content-coding.ts'

interface CodingEnds {
  onData(chunk: Buffer): void
  onEnd(): void
  /** The sentence says why it is not readable. */
  onError(problem: string): void
}

export class ResponseCoding {
  /** The body is compressed, or cannot be read at all (null). */
  #decoding: Decoding | null | undefined

  /** Returns why a response of that status is of no use; a failure says enough without its body. */
  begin(codings: readonly string[], status: number, { onData, onEnd, onError }: CodingEnds): string | undefined {
    if (codings.length === 0) return undefined
    const names = codings.join(', ')
    if (isReadable(codings))
      this.#decoding = createDecoding(codings, {
        onData,
        onEnd,
        onError: () => onError(`its response is not ${names}, as its Content-Encoding says`),
      })
    else if (status >= 300) this.#decoding = null
    else return `its response is compressed as ${names}, which cannot be read; the request asked for no compression`
    return undefined
  }

  /** Bytes that wait to be decoded. */
  get waiting(): number {
    return this.#decoding?.waiting ?? 0
  }

  /** False where the body is not compressed. */
  write(chunk: Buffer): boolean {
    this.#decoding?.write(chunk)
    return this.#decoding !== undefined
  }

  /** False where nothing is left to decode. */
  end(): boolean {
    this.#decoding?.end()
    return this.#decoding !== undefined && this.#decoding !== null
  }

  destroy(): void {
    this.#decoding?.destroy()
  }
}
