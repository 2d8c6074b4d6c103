/**
 * Writes protocol buffers (https://protobuf.dev/programming-guides/encoding) into one growing buffer: tags, varints, fixed numbers,
 * texts and messages within messages.
 *
 * A message within another is begun with room for its length and closed when its end is known. Texts are nearly always ASCII and
 * short, and are then written without a conversion.
 */
const FIRST_SIZE = 16 * 1024
/** Bytes that are kept free for the length of a message: one below 128 bytes, two below 16,384, three below 2 MiB. */
export const SMALL = 1
export const MEDIUM = 2
export const LARGE = 3

/** Characters or bytes: more are copied by the runtime, which costs a call. Below 128, so that a length takes one byte. */
const LONGEST_BY_HAND = 64

/** Kinds of fields on the wire. */
const VARINT = 0
const FIXED64 = 1
const DELIMITED = 2
const FIXED32 = 5

const digitAt = (digits: string, at: number): number => {
  const code = digits.charCodeAt(at)
  return code < 0x3a ? code - 0x30 : code - 0x57
}

export class ProtoWriter {
  #bytes: Buffer
  #at = 0

  constructor(size = FIRST_SIZE) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
  }

  /** Bytes that were written; a place for `rewind`. */
  get size(): number {
    return this.#at
  }

  /** A copy of all that was written; the writer begins anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#at))
    this.#at = 0
    return taken
  }

  /** Gives up what was written after this place. */
  rewind(to: number): void {
    this.#at = to
  }

  #room(bytes: number): void {
    const needed = this.#at + bytes
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
    this.#bytes.copy(grown, 0, 0, this.#at)
    this.#bytes = grown
  }

  /** A whole number of at most 53 bits, not negative. */
  #varint(value: number): void {
    if (value < 0x80) {
      this.#bytes[this.#at++] = value
      return
    }
    let rest = value
    while (rest > 0x7f) {
      this.#bytes[this.#at++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#bytes[this.#at++] = rest
  }

  #tag(field: number, kind: number): void {
    this.#varint(field * 8 + kind)
  }

  /** A negative number is written as its two's complement of 64 bits. */
  whole(field: number, value: number): void {
    this.#room(16)
    this.#tag(field, VARINT)
    if (value >= 0) return this.#varint(value)
    let rest = BigInt.asUintN(64, BigInt(value))
    while (rest > 0x7fn) {
      this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80
      rest >>= 7n
    }
    this.#bytes[this.#at++] = Number(rest)
  }

  double(field: number, value: number): void {
    this.#room(14)
    this.#tag(field, FIXED64)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
  }

  fixed32(field: number, value: number): void {
    this.#room(10)
    this.#tag(field, FIXED32)
    this.#at = this.#bytes.writeUInt32LE(value, this.#at)
  }

  fixed64(field: number, value: number): void {
    this.#room(14)
    this.#tag(field, FIXED64)
    this.#at = this.#bytes.writeBigUInt64LE(BigInt(value), this.#at)
  }

  /** A repeated field of whole numbers, packed. */
  fixed64s(field: number, values: readonly number[]): void {
    this.#packed(field, values, (value) => (this.#at = this.#bytes.writeBigUInt64LE(BigInt(value), this.#at)))
  }

  /** A repeated field of doubles, packed. */
  doubles(field: number, values: readonly number[]): void {
    this.#packed(field, values, (value) => (this.#at = this.#bytes.writeDoubleLE(value, this.#at)))
  }

  #packed(field: number, values: readonly number[], write: (value: number) => void): void {
    this.#room(values.length * 8 + 16)
    this.#tag(field, DELIMITED)
    this.#varint(values.length * 8)
    values.forEach(write)
  }

  /** A time in milliseconds since 1970, in nanoseconds. A double holds 2^53 of them exactly, so both halves are computed apart. */
  nanoseconds(field: number, milliseconds: number): void {
    this.#room(14)
    this.#tag(field, FIXED64)
    const whole = Math.floor(milliseconds)
    const part = Math.round((milliseconds - whole) * 1e6)
    // 1e6 = 2^6 × 15625: the product of the low bits stays below 2^53.
    const low = (whole % 0x1_0000_0000) * 1e6 + part
    const high = Math.floor(whole / 0x1_0000_0000) * 1e6 + Math.floor(low / 0x1_0000_0000)
    this.#four(low % 0x1_0000_0000)
    this.#four(high % 0x1_0000_0000)
  }

  /** By hand: the runtime's own way costs as much as the rest of a time. */
  #four(value: number): void {
    const [written, at] = [this.#bytes, this.#at]
    written[at] = value
    written[at + 1] = value >>> 8
    written[at + 2] = value >>> 16
    written[at + 3] = value >>> 24
    this.#at = at + 4
  }

  /** Bytes that are given as hexadecimal digits in lower case; by hand, because ids are short and many. */
  hex(field: number, digits: string): void {
    const bytes = digits.length >> 1
    this.#room(bytes + 12)
    this.#tag(field, DELIMITED)
    this.#varint(bytes)
    const written = this.#bytes
    let to = this.#at
    for (let at = 0; at < bytes * 2; at += 2) written[to++] = (digitAt(digits, at) << 4) | digitAt(digits, at + 1)
    this.#at = to
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.#room(bytes.length + 12)
    this.#tag(field, DELIMITED)
    this.#varint(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** Bytes that are whole fields already. */
  encoded(bytes: Uint8Array): void {
    const { length } = bytes
    this.#room(length)
    if (length > LONGEST_BY_HAND) this.#bytes.set(bytes, this.#at)
    else for (let from = 0, to = this.#at, written = this.#bytes; from < length;) written[to++] = bytes[from++] ?? 0
    this.#at += length
  }

  text(field: number, value: string): void {
    const { length } = value
    this.#room(length * 3 + 12)
    this.#tag(field, DELIMITED)
    if (length > LONGEST_BY_HAND) return this.#convert(value)
    const written = this.#bytes
    let to = this.#at
    written[to++] = length
    for (let at = 0; at < length; at++) {
      const code = value.charCodeAt(at)
      if (code > 0x7f) return this.#convert(value)
      written[to++] = code
    }
    this.#at = to
  }

  #convert(value: string): void {
    this.#varint(Buffer.byteLength(value))
    this.#at += this.#bytes.write(value, this.#at)
  }

  /** Begins a message within the message; returns the place to give to `close`, with the same size. */
  open(field: number, size: number): number {
    this.#room(size + 10)
    this.#tag(field, DELIMITED)
    this.#at += size
    return this.#at
  }

  /** Ends the message that began at `from`: its length is written in front of it, and it moves where that takes more or less room. */
  close(from: number, size: number): void {
    const length = this.#at - from
    const bytes = length < 0x80 ? 1 : length < 0x4000 ? 2 : length < 0x20_0000 ? 3 : 4
    if (bytes !== size) {
      this.#room(bytes)
      this.#bytes.copyWithin(from - size + bytes, from, this.#at)
    }
    this.#at = from - size
    this.#varint(length)
    this.#at += length
  }
}
