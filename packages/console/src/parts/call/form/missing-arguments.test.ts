import { expect, test } from 'vitest'
import { missingArguments } from './missing-arguments.ts'

const schema = {
  type: 'object',
  required: ['repository', 'state', 'place'],
  properties: {
    repository: { type: 'string' },
    state: { type: 'string', enum: ['open', 'closed'] },
    place: { type: 'object', required: ['a/b'], properties: { 'a/b': { type: 'string' } } },
    page: { type: 'integer' },
  },
}
const paths = (value: object) => missingArguments(schema, value as never).map(({ path }) => path)

test('required arguments without a value are named with their place', () => {
  expect(paths({})).toEqual(['/repository', '/state', '/place'])
  expect(paths({ repository: 'x', state: '', place: {} })).toEqual(['/state', '/place/a~1b'])
  expect(paths({ repository: '', state: 'open', place: { 'a/b': 'x' } })).toEqual([])
  expect(missingArguments({ type: 'object' }, {})).toEqual([])
})
