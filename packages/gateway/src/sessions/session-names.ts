/**
 * Names of sessions: the hexadecimal digits of a UUID of version 4, whose first six bytes hold the time at which it was made, masked
 * with a keyed hash of the others.
 *
 * To others a name is random. Any gateway of the installation reads how old it is, and a guess has next to no chance (one in a
 * hundred million) of being taken for a name that was made within the last minutes. A name proves nothing else.
 */
import { randomUUID } from 'node:crypto'

export interface SessionNames {
  make(): string
  /** Milliseconds since it was made, negative where its gateway's clock is ahead; far off for what none of ours made. */
  ageOf(name: string): number
}

/** Six bytes. */
const TIME_DIGITS = 12
export const SESSION_NAME = /^[\da-f]{32}$/

export function createSessionNames(now: () => number, hash: (text: string) => Buffer): SessionNames {
  const masked = (rest: string, digits: number): number => {
    const mask = hash(`session name ${rest}`)
    const bytes = Buffer.alloc(6)
    bytes.writeUIntBE(digits, 0, 6)
    for (const [at, byte] of bytes.entries()) bytes[at] = byte ^ (mask[at] ?? 0)
    return bytes.readUIntBE(0, 6)
  }
  return {
    make() {
      const rest = randomUUID().replaceAll('-', '').slice(TIME_DIGITS)
      return masked(rest, now()).toString(16).padStart(TIME_DIGITS, '0') + rest
    },
    ageOf(name) {
      const rest = name.slice(TIME_DIGITS)
      return now() - masked(rest, Number.parseInt(name.slice(0, TIME_DIGITS), 16))
    },
  }
}
