import type { RJSFSchema } from '@rjsf/utils'
import { describe, expect, test } from 'vitest'
import { errorTreeOf } from './field-errors.ts'
import { resembles } from './validator.ts'

const is = (schema: RJSFSchema, value: unknown) => resembles(schema, value, schema, 0)

describe('which of several schemas a value is of', () => {
  test('is told by type, constants, names and what they refer to', () => {
    const schema: RJSFSchema = {
      $defs: { size: { enum: ['s', 'm'] } },
      type: 'object',
      required: ['kind'],
      properties: {
        kind: { const: 'shirt' },
        size: { $ref: '#/$defs/size' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    }
    expect(is(schema, { kind: 'shirt', size: 'm', tags: ['a'] })).toBe(true)
    for (const wrong of [
      {},
      { kind: 'shoe' },
      { kind: 'shirt', size: 'xl' },
      { kind: 'shirt', tags: [1] },
      'shirt',
      null,
    ])
      expect(is(schema, wrong), JSON.stringify(wrong)).toBe(false)
  })
  test('ends, whatever a schema refers to', () => {
    expect(is({ $ref: '#' }, 1)).toBe(true)
    expect(is({ $ref: 'https://elsewhere.example/schema' }, 1)).toBe(true)
  })
})

test('what does not fit stands at its place in the arguments', () => {
  const errors = [
    { path: '/a/0/b~1c', message: 'is required' },
    { path: '', message: 'has too many members' },
    { path: '/__proto__/x', message: 'is nowhere' },
  ]
  expect(errorTreeOf(errors)).toEqual({
    a: { 0: { 'b/c': { __errors: ['is required'] } } },
    __errors: ['has too many members', 'is nowhere'],
  })
})
