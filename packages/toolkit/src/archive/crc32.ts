/** The checksum of ZIP archives (CRC-32, ISO 3309); Node's own is newer than the oldest Node that the toolkit runs on. */
const TABLE = new Uint32Array(256).map((_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** @param before the checksum of the bytes before, 0 at the beginning */
export function crc32(bytes: Uint8Array, before: number): number {
  let value = ~before
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0)
  return ~value >>> 0
}
