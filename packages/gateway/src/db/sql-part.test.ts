import { expect, test } from 'vitest'
import { part, withParts, type SqlPart } from './sql-part.ts'

const written = (strings: TemplateStringsArray, ...values: readonly unknown[]) => withParts({ strings, values })

test('a statement without parts stays as it is', () => {
  const strings = ['select ', ''] as const
  expect(withParts({ strings, values: [1] }).strings).toBe(strings)
})

test('parts are put where they stand, and their values keep the order of the text', () => {
  const columns = part`a, b`
  const inner: SqlPart = part`d = ${4}`
  const filter = part`(c = ${3} and ${inner})`
  expect(written`select ${columns} from t where x = ${2} and ${filter} limit ${5}`).toEqual({
    strings: ['select a, b from t where x = ', ' and (c = ', ' and d = ', ') limit ', ''],
    values: [2, 3, 4, 5],
  })
  expect(written`${columns}${filter}`).toEqual({ strings: ['a, b(c = ', ' and d = ', ')'], values: [3, 4] })
})
