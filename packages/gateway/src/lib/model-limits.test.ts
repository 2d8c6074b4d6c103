import { expect, test } from 'vitest'
import { combinedAt, isModelName, oddProperty } from './model-limits.ts'

const object = (properties: object) => ({ type: 'object', properties })
const deep = (levels: number) => {
  let schema: object = object({ 'a[]': {} })
  for (let level = 0; level < levels; level++) schema = object({ next: schema })
  return schema
}

test.each<[string, unknown, string | undefined]>([
  ['letters, digits, _, . and -', object({ 'a_B.9-': {} }), undefined],
  ['64 characters', object({ ['x'.repeat(64)]: {} }), undefined],
  ['65 characters', object({ ['x'.repeat(65)]: {} }), 'x'.repeat(65)],
  ['brackets', object({ city: {}, 'uids[]': {} }), 'uids[]'],
  [
    '200,000 members',
    object(Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`p${at}`, {}]))),
    undefined,
  ],
  ['an empty name', object({ '': {} }), ''],
  ['a name in another alphabet', object({ größe: {} }), 'größe'],
  ['items of a list', object({ list: { items: object({ 'a b': {} }) } }), 'a b'],
  ['a list of items, of a draft', object({ list: { items: [object({ $ref: {} })] } }), '$ref'],
  ['one of several', { ...object({}), anyOf: [object({ 'a:b': {} })] }, 'a:b'],
  ['a definition', { ...object({}), $defs: { one: object({ 'a/b': {} }) } }, 'a/b'],
  ['20,000 levels down', deep(20_000), 'a[]'],
  ['a default that looks like a schema', object({ a: { default: { properties: { 'x y': 1 } } } }), undefined],
  ['properties that are no object', { type: 'object', properties: ['a b'] }, undefined],
  ['a schema that is true', object({ a: true }), undefined],
  ['nothing', undefined, undefined],
])('of %s, the first name that model APIs refuse is found', (_, schema, odd) => {
  expect(oddProperty(schema)).toBe(odd)
})

test('anyOf, oneOf and allOf count at the top only', () => {
  expect(['anyOf', 'oneOf', 'allOf'].map((keyword) => combinedAt({ type: 'object', [keyword]: [] }))).toEqual([
    ...['anyOf', 'oneOf', 'allOf'],
  ])
  expect(combinedAt(object({ a: { anyOf: [{}] } }))).toBeUndefined()
  expect(combinedAt(undefined)).toBeUndefined()
})

test('names have up to 64 letters, digits, _ and -', () => {
  expect(['a_B-9', 'x'.repeat(64)].map(isModelName)).toEqual([true, true])
  expect(['', 'a.b', 'a b', 'x'.repeat(65), 'ä'].map(isModelName)).toEqual([false, false, false, false, false])
})
