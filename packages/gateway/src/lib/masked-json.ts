/**
 * A value of JSON as it may be kept for people to look at: secrets masked, and no more than so many characters of it.
 *
 * Members whose name tells of a secret are masked whole; texts are masked as `mask-text.ts` does, and cut. The walk ends where the
 * room does, so that a large value costs no more than a small one; what is left out is counted.
 */
import { ExactNumber, withDigitsAsText, type Json } from '@toolway/protocol'
import { maskText } from './mask-text.ts'
import { isTellingName, MASK } from '@toolway/contract/secret-marks'

const MOST_DEEP = 32
/** Characters of one text. */
const MOST_TEXT_CHARACTERS = 8_192
/** Beside a value: its name, quotes, comma. */
const PUNCTUATION_COST = 4

export interface MaskedJson {
  readonly value: unknown
  /** Whether anything of it is missing for want of room. */
  readonly cut: boolean
}

export function maskedJson(input: unknown, most: number): MaskedJson {
  let remaining = most
  let cut = false

  const leaveOut = (): string => {
    cut = true
    return '…'
  }

  function textOf(text: string): string {
    const fits = Math.min(text.length, MOST_TEXT_CHARACTERS, Math.max(0, remaining))
    if (fits < text.length) cut = true
    remaining -= fits
    const maskedText = maskText(text.slice(0, fits)).toWellFormed().replaceAll('\0', '\uFFFD')
    return fits < text.length ? `${maskedText}…` : maskedText
  }

  function listOf(items: readonly unknown[], deep: number): unknown[] {
    const shownItems: unknown[] = []
    for (const item of items) {
      if (remaining <= 0) {
        shownItems.push(leaveOut())
        break
      }
      shownItems.push(walk(item, deep + 1))
    }
    return shownItems
  }

  function objectOf(members: object, deep: number): Record<string, unknown> {
    const shownMembers = Object.create(null) as Record<string, unknown>
    for (const [name, value] of Object.entries(members)) {
      if (remaining <= 0) {
        shownMembers['…'] = leaveOut()
        break
      }
      const shown = textOf(name)
      shownMembers[shown] = isTellingName(name) ? MASK : walk(value, deep + 1)
    }
    return shownMembers
  }

  function walk(value: unknown, deep: number): unknown {
    remaining -= PUNCTUATION_COST
    if (typeof value === 'string') return textOf(value)
    if (typeof value !== 'object' || value === null) return value
    // A number that a double does not hold, for people to read.
    if (value instanceof ExactNumber) return withDigitsAsText(value as unknown as Json)
    if (deep >= MOST_DEEP) return leaveOut()
    return Array.isArray(value) ? listOf(value, deep) : objectOf(value, deep)
  }

  return { value: walk(input, 0), cut }
}
