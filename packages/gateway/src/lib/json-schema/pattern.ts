/**
 * The regular expressions of schemas, by RE2: in linear time, whatever the expression and the text (`re2js`).
 *
 * RE2 has no look-around and no back-references. An expression that needs them is not checked, and its schema says so
 * (`unchecked`): a call is not refused because its server's author knew another engine.
 */
import { RE2JS } from 're2js'
import type { Validation } from './validation.ts'

/** Characters of an expression, and instructions of what it becomes. */
const MOST_CHARACTERS = 2_000
const LARGEST = 3_000
/** Instructions that one step pays for, for each character. Measured: 60 ns for each of both at worst. */
const PER_STEP = 16

export interface TextPattern {
  readonly source: string
  fits(text: string, validation: Validation): boolean
}

/** Undefined where RE2 cannot do it. */
export function textPattern(source: string): TextPattern | undefined {
  if (source.length > MOST_CHARACTERS) return undefined
  let made: RE2JS
  try {
    made = RE2JS.compile(RE2JS.translateRegExp(source))
  } catch {
    return undefined
  }
  const size = made.programSize()
  if (size > LARGEST) return undefined
  return {
    source,
    fits(text, validation) {
      validation.spend(1 + Math.ceil((text.length * size) / PER_STEP))
      return made.test(text)
    },
  }
}
