/** `type`, `const` and `enum`: what kind of value, or which. */
import type { Json } from '@toolway/protocol'
import { canonicalOf } from '../canonical.ts'
import { wrongKeyword, type Check, type CompileContext } from '../node.ts'
import { SCHEMA_BOUNDS, UnusableSchema } from '../usable.ts'

const TYPES: Readonly<Record<string, { readonly words: string; is(value: Json): boolean }>> = {
  string: { words: 'a string', is: (value) => typeof value === 'string' },
  integer: { words: 'an integer', is: (value) => Number.isInteger(value) },
  number: { words: 'a number', is: (value) => typeof value === 'number' },
  boolean: { words: 'a boolean', is: (value) => typeof value === 'boolean' },
  array: { words: 'an array', is: (value) => Array.isArray(value) },
  object: {
    words: 'an object',
    is: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
  null: { words: 'null', is: (value) => value === null },
}

/** "a string, an integer or null". */
export function typeWords(types: readonly string[]): string {
  const words = [...new Set(types)].map((type) => TYPES[type]?.words ?? type)
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

export function typeCheck(value: Json, { where }: CompileContext): Check {
  const names = Array.isArray(value) ? value : [value]
  const known = names.map((name) =>
    typeof name === 'string' && Object.hasOwn(TYPES, name) ? { name, is: TYPES[name]?.is } : undefined,
  )
  if (known.length === 0 || known.includes(undefined))
    throw wrongKeyword(where, 'type', 'a value that is not a JSON type')
  const types = known.map((type) => type?.name ?? '')
  return (value, at, validation) => {
    if (!known.some((type) => type?.is?.(value) === true)) validation.report(at, `must be ${typeWords(types)}`, types)
  }
}

const LONGEST_WORD = 60
const SHOWN = 8

/** A value of the schema, as it is told; those of callers never are. */
function wordOf(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= LONGEST_WORD ? text : `${text.slice(0, LONGEST_WORD)}…`
}

export function constCheck(expected: Json): Check {
  const canonical = canonicalOf(expected)
  const words = `must be ${wordOf(expected)}`
  return (value, at, validation) => {
    if (canonicalOf(value, validation) !== canonical) validation.report(at, words, [])
  }
}

export function enumCheck(choices: Json, { where }: CompileContext): Check {
  if (!Array.isArray(choices)) throw wrongKeyword(where, 'enum', 'a value that is not a list')
  if (choices.length > SCHEMA_BOUNDS.choices)
    throw new UnusableSchema(`has an enum of more than ${SCHEMA_BOUNDS.choices} values`)
  const known = new Set(choices.map((choice) => canonicalOf(choice)))
  const shown = choices.slice(0, SHOWN).map(wordOf).join(', ')
  const more = choices.length > SHOWN ? ` or ${choices.length - SHOWN} more` : ''
  const words = choices.length === 1 ? `must be ${shown}` : `must be one of ${shown}${more}`
  return (value, at, validation) => {
    if (!known.has(canonicalOf(value, validation))) validation.report(at, words, [])
  }
}
