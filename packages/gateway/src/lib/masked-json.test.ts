import { parseJson, withDigits } from '@toolway/protocol'
import { expect, test } from 'vitest'
import { maskedJson } from './masked-json.ts'

test('a value is kept as it was, without its secrets', () => {
  const given = { city: 'Bern', count: 2, list: [true, null], password: 'hunter2', note: 'use token=abc' }
  expect(maskedJson(given, 1_000)).toEqual({
    value: { city: 'Bern', count: 2, list: [true, null], password: '•••', note: 'use token=•••' },
    cut: false,
  })
})

test('a large or deep value is cut where its room ends, and says so', () => {
  const many = maskedJson(
    Array.from({ length: 1_000_000 }, () => 'a text'),
    1_000,
  )
  expect(many.cut).toBe(true)
  expect(JSON.stringify(many.value).length).toBeLessThan(2_000)
  const long = maskedJson({ text: 'x'.repeat(10_000_000) }, 1_000)
  expect([long.cut, JSON.stringify(long.value).length < 1_100]).toEqual([true, true])
  let deep: unknown = 1
  for (let level = 0; level < 10_000; level++) deep = [deep]
  expect(maskedJson(deep, 100_000).cut).toBe(true)
})

test('a member that a prototype has is a member', () => {
  const { value } = maskedJson(JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'), 1_000)
  expect(JSON.stringify(value)).toBe('{"__proto__":{"a":1},"constructor":2}')
})

test('a number that a double does not hold is shown as a text of its digits', () => {
  const value = withDigits(parseJson('{"id":1234567890123456789,"list":[1.0,2]}'))
  expect(maskedJson(value, 1_000).value).toEqual({ id: '1234567890123456789', list: [1, 2] })
})
