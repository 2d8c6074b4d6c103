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
    const refuse = () => done(new Error(`a message from the client is larger than ${this.#limit} bytes.`))
    let end = 0
    for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, end)) {
      if (this.#size + at - end > this.#limit) return refuse()
      this.#size = 0
      end = at + 1
    }
    if (end > 0) {
      this.push(Buffer.concat([...this.#held, chunk.subarray(0, end)]))
      this.#held = []
    }
    this.#held.push(chunk.subarray(end))
    this.#size += chunk.byteLength - end
    if (this.#size > this.#limit) return refuse()
    done()
  }
}
