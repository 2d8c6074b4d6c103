/** Passes output on by whole lines, so that lines of several processes do not mix within one another. */
import type { Readable, Writable } from 'node:stream'

const LF = 0x0a
/** A line that is longer is passed on in parts. Bytes. */
const MOST_BYTES = 1_048_576

export function passLines(from: Readable, to: Writable): void {
  let rest: Buffer[] = []
  let buffered = 0
  const pass = (bytes: readonly Buffer[]) => void to.write(Buffer.concat(bytes))
  from.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(LF) + 1
    if (end === 0 && buffered + chunk.length < MOST_BYTES) {
      rest.push(chunk)
      buffered += chunk.length
      return
    }
    const cut = end === 0 ? chunk.length : end
    pass([...rest, chunk.subarray(0, cut)])
    rest = cut < chunk.length ? [chunk.subarray(cut)] : []
    buffered = chunk.length - cut
  })
  from.on('end', () => {
    if (buffered > 0) pass(rest)
  })
}
