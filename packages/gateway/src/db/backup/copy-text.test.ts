import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../../test/setup/form.ts'
import { partsOf } from '../../testing/rough-backup.ts'
import { BrokenCopy, fieldsOf, rowsOf, WholeRows, type Field } from './copy-text.ts'
import { valuesOf } from './column-values.ts'

/** As `copy … to stdout` writes a value (src/backend/commands/copyto.c, CopyAttributeOutText). */
const NAMES: Readonly<Record<string, string>> = {
  ...{ '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', '\\': '\\' },
}
const written = (field: Field): string =>
  field === null ? '\\N' : field.replaceAll(/[\b\f\n\r\t\v\\]/g, (character) => `\\${NAMES[character]}`)
const rowsIn = (rows: readonly (readonly Field[])[]) =>
  Buffer.from(rows.map((row) => `${row.map(written).join('\t')}\n`).join(''))

const HARD = [
  ['1', 'tab\tbreak\nreturn\r\\.', null, 'ä€😀\u2028'],
  ['2', '\\N', '', '\\'],
  ['3', '\b\f\v\\x00', 'x'.repeat(40), null],
  ['', '', '', ''],
]

/** The rows that are read when the bytes come in these chunks, each block ending at the end of a row. */
function readIn(chunks: readonly Uint8Array[]): (readonly Field[])[] {
  const whole = new WholeRows()
  const blocks = chunks.flatMap((chunk) => whole.take(chunk) ?? [])
  whole.close()
  expect(blocks.every((block) => block.at(-1) === 10)).toBe(true)
  expect(Buffer.concat(blocks)).toEqual(Buffer.concat(chunks))
  return blocks.flatMap((block) => [...rowsOf(block)])
}

test('rows are the same wherever a chunk ends: within a character, an escape, a number, a row', () => {
  const bytes = rowsIn(HARD)
  for (let at = 0; at <= bytes.length; at++) expect(readIn([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(HARD)
  for (let length = 1; length <= bytes.length; length++) expect(readIn(partsOf(bytes, length))).toEqual(HARD)
})

test('any rows of any text are the same in chunks of any length', () => {
  // A text of PostgreSQL has no NUL and no half of a pair.
  const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '').toWellFormed())
  const rows = fc.array(fc.array(fc.option(text), { minLength: 3, maxLength: 3 }), { minLength: 1 })
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 50 }), (values, length) => {
      expect(readIn(partsOf(rowsIn(values), length))).toEqual(values)
    }),
    { numRuns: runs(1_000) },
  )
})

test('what PostgreSQL does not write is refused: a raw control character, an unknown escape, bytes that are no text, half a row', () => {
  for (const line of ['a\rb', 'a\0b', 'a\\qb', 'a\\', '\\.', '\\x41'])
    expect(() => fieldsOf(line), JSON.stringify(line)).toThrow(BrokenCopy)
  expect(() => [...rowsOf(Buffer.from([0x61, 0xff, 0x0a]))]).toThrow('UTF-8')
  expect(() => readIn([Buffer.from('1\t2\n3')])).toThrow('cut off')
})

test('a value is held against the type of its column', () => {
  const good: Readonly<Record<string, readonly string[]>> = {
    bigint: ['0', '-9223372036854775808', '9223372036854775807'],
    integer: ['2147483647', '-2147483648'],
    boolean: ['t', 'f'],
    bytea: ['\\x', '\\x00ff'],
    jsonb: ['{"a": [1, null, "ä\\n"]}', '1e400', 'null'],
    'text[]': ['{}', '{a}', '{NULL,"",a b,"a,\\"\\\\}"}'],
    xid8: ['18446744073709551615'],
    uuid: ['0190d5a0-0000-7000-8000-000000000000'],
    'timestamp with time zone': ['2026-11-28 07:16:58.123456+00', 'infinity', '0044-03-15 00:00:00+00 BC'],
    'timestamp without time zone': ['2026-11-28 07:16:58'],
    'character varying(2)': ['ab', '😀😀', ''],
    'double precision': ['-1.5e-10', 'NaN', 'Infinity'],
  }
  const wrong: Readonly<Record<string, readonly string[]>> = {
    bigint: ['', '1.0', '9223372036854775808', '12a'],
    integer: ['2147483648', ' 1'],
    boolean: ['true', ''],
    bytea: ['', 'ff', '\\xf', '\\xZZ'],
    jsonb: ['', '{"a": ', "{'a': 1}"],
    'text[]': ['', '{', '{a', '{"a}', '{a}b', '{a,,b}'],
    xid8: ['-1'],
    uuid: ['0190d5a0'],
    'timestamp with time zone': ['2026-11-28 07:16:58', '2026-13-28 07:16:58+00', '28.11.2026 07:16:58 CET', '2026-1'],
    'timestamp without time zone': ['2026-11-28'],
    'character varying(2)': ['abc'],
    'double precision': ['', 'x'],
  }
  for (const [type, values] of Object.entries(good))
    for (const value of values) expect([type, value, valuesOf(type)?.(value)]).toEqual([type, value, true])
  for (const [type, values] of Object.entries(wrong))
    for (const value of values) expect([type, value, valuesOf(type)?.(value)]).toEqual([type, value, false])
  expect(valuesOf('text')).toBeUndefined()
})
