/**
 * Reads the one thing of an answer to an export that matters: how many items were rejected although the request was accepted
 * (`ExportXServiceResponse { partial_success = 1 { rejected = 1 } }`). An answer that cannot be read rejects none.
 */
export function rejectedIn(answer: Uint8Array): number {
  const partial = fieldOf(answer, 1)
  const rejected = partial instanceof Uint8Array ? fieldOf(partial, 1) : undefined
  return typeof rejected === 'number' ? rejected : 0
}

const MOST_FIELDS = 100

/** The last field of that number: bytes, or a whole number. */
function fieldOf(message: Uint8Array, fieldNumber: number): Uint8Array | number | undefined {
  let at = 0
  let found: Uint8Array | number | undefined
  const readVarint = (): number => {
    let value = 0
    for (let shift = 1; at < message.length; shift *= 0x80) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * shift
      if (byte < 0x80) return value
    }
    return Number.NaN
  }
  for (let count = 0; at < message.length && count < MOST_FIELDS; count++) {
    const tag = readVarint()
    const kind = tag % 8
    if (kind === 0) {
      const value = readVarint()
      if (Math.floor(tag / 8) === fieldNumber) found = value
    } else if (kind === 2) {
      const length = readVarint()
      if (!(length <= message.length - at)) return found
      if (Math.floor(tag / 8) === fieldNumber) found = message.subarray(at, at + length)
      at += length
    } else return found
  }
  return found
}
