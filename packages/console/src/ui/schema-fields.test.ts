import { expect, test } from 'vitest'
import { fieldsOf } from './schema-fields.ts'

test('a schema is told field by field, with what is in lists and behind references', () => {
  const fields = fieldsOf({
    type: 'object',
    required: ['to'],
    properties: {
      to: { type: 'array', items: { $ref: '#/$defs/Person' }, minItems: 1 },
      kind: { enum: ['a', 'b', 3], default: 'a', description: 'Which.' },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    $defs: { Person: { type: 'object', properties: { mail: { type: 'string', maxLength: 9 } } } },
  })
  expect(fields).toMatchObject([
    { name: 'to', type: 'array of object', required: true, least: 1, fields: [{ name: 'mail', most: 9 }] },
    { name: 'kind', type: 'any', choices: ['a', 'b', '3'], otherwise: '"a"', description: 'Which.' },
    { name: 'note', type: 'string or null', required: false, fields: [] },
  ])
})

test('what contains itself ends, and what is no schema has no fields', () => {
  const self = { properties: { child: { $ref: '#' }, again: { $ref: '#/properties/child' } } }
  expect(fieldsOf(self)).toHaveLength(2)
  for (const nothing of [undefined, null, 3, [], { properties: [] }, { $ref: '#/$ref' }])
    expect(fieldsOf(nothing)).toEqual([])
})
