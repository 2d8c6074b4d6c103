import { expect, test } from 'vitest'
import { fieldsOf, textOf } from './argument-fields.ts'

test('what a rule changed, added or took away is told apart from what was written', () => {
  expect(fieldsOf({ limit: 50, region: 'eu', text: 'hello' }, { text: 'hello', limit: 900, debug: true })).toEqual([
    { name: 'limit', how: 'changed', text: '50', before: '900' },
    { name: 'region', how: 'added', text: 'eu', before: undefined },
    { name: 'text', how: 'same', text: 'hello', before: undefined },
    { name: 'debug', how: 'removed', text: 'true', before: undefined },
  ])
})

test('nothing saved where nothing is said of it', () => {
  expect(fieldsOf({ a: { b: [1] } }, null)).toEqual([
    { name: 'a', how: 'same', text: '{\n  "b": [\n    1\n  ]\n}', before: undefined },
  ])
})

test('what the eye does not see stands as its code point, and lines stay lines', () => {
  expect(textOf('one\ntwo\u200b')).toBe('one\ntwo⟨U+200B⟩')
})
