import { describe, expect, test } from 'vitest'
import { filePlacesOf, replaceAt, valuesAt } from './file-places.ts'

const mark = { type: 'string', 'x-toolway-file': true }
const composio = { file_uploadable: true, anyOf: [{ type: 'string' }, { type: 'object' }] }

describe('places for files', () => {
  test('are found by their marks: in members, lists, choices and definitions', () => {
    const schema = {
      type: 'object',
      properties: {
        subject: { type: 'string' },
        attachments: { type: 'array', items: mark },
        cover: { anyOf: [composio, { type: 'null' }] },
        deep: { $ref: '#/$defs/Deep' },
      },
      $defs: { Deep: { type: 'object', properties: { 'a/b': mark, again: { $ref: '#/$defs/Deep' } } } },
    }
    const places = filePlacesOf(schema)
    expect(places).toEqual(expect.arrayContaining([['attachments', '*'], ['cover'], ['deep', 'a/b']]))
    expect(filePlacesOf({ type: 'object', properties: { a: { type: 'string' } } })).toBeUndefined()
  })

  test('give what stands there, with its place, and are replaced there alone', async () => {
    const places = [['attachments', '*'], ['deep', 'a/b'], ['cover']]
    const given = { subject: 'toolway://files/no', attachments: ['x', 'y'], deep: { 'a/b': 'z' }, cover: null }
    expect(valuesAt(given, places, 10)).toEqual([
      { place: '/attachments/0', value: 'x' },
      { place: '/attachments/1', value: 'y' },
      { place: '/deep/a~1b', value: 'z' },
    ])
    expect(valuesAt(given, places, 1)).toHaveLength(1)
    const made = await replaceAt(given, places, async (value) => `${String(value)}!`)
    expect(made).toEqual({ ...given, attachments: ['x!', 'y!'], deep: { 'a/b': 'z!' } })
  })
})
