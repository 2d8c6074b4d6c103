/** Keywords for numbers and texts. Each ignores values of another type. */
import { countWithNoun } from '../../count-with-noun.ts'
import type { Json, JsonObject } from '@toolway/protocol'
import { formatOf } from '../formats.ts'
import { wrongKeyword, type Check, type CompileContext } from '../node.ts'
import { textPattern } from '../pattern.ts'

type ScalarKeyword = (value: Json, context: CompileContext, schema: JsonObject) => Check | undefined

function numberOf(value: Json, keyword: string, { where }: CompileContext): number {
  if (typeof value !== 'number') throw wrongKeyword(where, keyword, 'a value that is not a number')
  return value
}

const boundKeyword =
  (keyword: string, words: string, fits: (value: number, limit: number) => boolean): ScalarKeyword =>
  (requested, context) => {
    const limit = numberOf(requested, keyword, context)
    return (value, at, validation) => {
      if (typeof value === 'number' && !fits(value, limit)) validation.report(at, `must be ${words} ${limit}`)
    }
  }

const over = boundKeyword('exclusiveMinimum', 'more than', (value, limit) => value > limit)
const under = boundKeyword('exclusiveMaximum', 'less than', (value, limit) => value < limit)
const least = boundKeyword('minimum', 'at least', (value, limit) => value >= limit)
const most = boundKeyword('maximum', 'at most', (value, limit) => value <= limit)

/** Draft-04 says with `true` that the bound beside it does not belong to what is allowed. */
const exclusive =
  (strict: ScalarKeyword, beside: string): ScalarKeyword =>
  (value, context, schema) => {
    if (typeof value !== 'boolean') return strict(value, context, schema)
    const limit = schema[beside]
    return value && limit !== undefined ? strict(limit, context, schema) : undefined
  }

const length =
  (keyword: string, words: string, fits: (length: number, limit: number) => boolean): ScalarKeyword =>
  (keywordValue, context) => {
    const limit = numberOf(keywordValue, keyword, context)
    return (value, at, validation) => {
      if (typeof value !== 'string') return
      validation.spend(value.length >> 6)
      if (!fits(characters(value), limit))
        validation.report(at, `must have ${words} ${countWithNoun(limit, 'character')}`)
    }
  }

/** Code points: a pair of surrogates is one character. */
function characters(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const high = text.charCodeAt(at)
    if (high < 0xd800 || high > 0xdbff) continue
    const low = text.charCodeAt(at + 1)
    if (low >= 0xdc00 && low <= 0xdfff) count -= 1
  }
  return count
}

/** Decimal, as it is written: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, divisor: number): boolean {
  const [digits, tens] = decimal(value)
  const [other, others] = decimal(divisor)
  const least = Math.min(tens, others)
  return (digits * 10n ** BigInt(tens - least)) % (other * 10n ** BigInt(others - least)) === 0n
}
function decimal(value: number): readonly [digits: bigint, tens: number] {
  const [digits = '0', tens = '0'] = Math.abs(value).toString().split('e')
  const [whole = '0', part = ''] = digits.split('.')
  return [BigInt(whole + part), Number(tens) - part.length]
}

export const SCALARS: Readonly<Record<string, ScalarKeyword>> = {
  minimum: least,
  maximum: most,
  exclusiveMinimum: exclusive(over, 'minimum'),
  exclusiveMaximum: exclusive(under, 'maximum'),
  multipleOf(requested, context) {
    const divisor = numberOf(requested, 'multipleOf', context)
    if (divisor <= 0) throw wrongKeyword(context.where, 'multipleOf', 'something that is not more than 0')
    return (value, at, validation) => {
      if (typeof value === 'number' && !isMultiple(value, divisor))
        validation.report(at, `must be a multiple of ${divisor}`)
    }
  },
  minLength: length('minLength', 'at least', (length, limit) => length >= limit),
  maxLength: length('maxLength', 'at most', (length, limit) => length <= limit),
  pattern(requested, context) {
    if (typeof requested !== 'string') throw wrongKeyword(context.where, 'pattern', 'a value that is not a string')
    const pattern = textPattern(requested)
    const shown = requested.length <= 80 ? requested : `${requested.slice(0, 80)}…`
    if (pattern === undefined) {
      context.skip(`the pattern ${shown}`)
      return undefined
    }
    return (value, at, validation) => {
      if (typeof value === 'string' && !pattern.fits(value, validation))
        validation.report(at, `must match the pattern ${shown}`)
    }
  },
  format(requested, context) {
    if (typeof requested !== 'string') throw wrongKeyword(context.where, 'format', 'a value that is not a string')
    const format = formatOf(requested)
    if (format === undefined) return undefined
    return (value, at, validation) => {
      if (typeof value !== 'string') return
      validation.spend(1 + (Math.min(value.length, format.longest) >> 4))
      if (value.length > format.longest || !format.fits(value)) validation.report(at, `must be ${format.words}`)
    }
  },
}
