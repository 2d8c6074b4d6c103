/**
 * Hands on the client's bytes in whole lines, which are messages (specification, transports: stdio). The SDK joins what it has at each chunk,
 * so that a message of many megabytes would cost seconds. A line that is longer than the limit ends the stream with a reason.
 */
import { Transform, type TransformCallback } from 'node:stream'

const LF = 0x0a

export class WholeLines extends Transform {
  readonly #limit: number
  #held: Buffer[] = []
  #size = 0

  /** @param limit bytes of one line */
  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    const end = chunk.lastIndexOf(LF) + 1
    if (end > 0) {
      this.push(Buffer.concat([...this.#held, chunk.subarray(0, end)]))
      this.#held = []
      this.#size = 0
    }
    this.#held.push(chunk.subarray(end))
    this.#size += chunk.byteLength - end
    done(this.#size > this.#limit ? new Error(`a message of the client has more than ${this.#limit} bytes.`) : null)
  }
}
