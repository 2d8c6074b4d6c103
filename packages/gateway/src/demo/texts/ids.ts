/**
 * What is a fresh identifier by RFC 9562?
 *
 * Version 4 is random; version 7 begins with the Unix time in milliseconds, so that ids sort by the time they were
 * made. Within one batch the 12 bits after the time count up from a random start (RFC 9562 section 6.2, method 1),
 * which keeps the batch in order. All randomness comes from the operating system.
 */
import { randomBytes, randomInt, randomUUID } from 'node:crypto'

export const MAX_IDS = 100

/** `count` identifiers of one version; `now` is in milliseconds since 1970. */
export function makeIds(version: 'v4' | 'v7', count: number, now: number): string[] {
  if (version === 'v4') return Array.from({ length: count }, () => randomUUID())
  const start = randomInt(0x1000 - MAX_IDS)
  return Array.from({ length: count }, (_, index) => idAt(now, start + index))
}

function idAt(now: number, counter: number): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes.writeUInt16BE(0x7000 | counter, 6)
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
