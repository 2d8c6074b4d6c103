import type { ToolMark } from '@toolway/contract/admin'
import type { JsonObject } from '@toolway/protocol'
import { expect, test } from 'vitest'
import { marksOf } from './definition-marks.ts'

const WELL = { name: 'read', description: 'Reads.', annotations: { readOnlyHint: true } }

test.each<[JsonObject, ToolMark[]]>([
  [WELL, []],
  [{ ...WELL, annotations: { destructiveHint: false } }, []],
  [{ ...WELL, name: 'a.b' }, ['name']],
  [{ ...WELL, name: 'n'.repeat(65) }, ['name']],
  [{ ...WELL, description: ' ' }, ['no-description']],
  [{ ...WELL, description: 'x'.repeat(1_025) }, ['long-description']],
  [{ ...WELL, inputSchema: { type: 'object', properties: { 'uids[]': {} } } }, ['property-name']],
  [{ ...WELL, inputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } }, ['combined-schema']],
  [{ name: 'read', annotations: { title: 'Read' } }, ['no-description', 'no-annotations']],
])('%j has the marks %j', (definition, marks) => {
  expect(marksOf({ definition, joined: 'a__read' })).toEqual(marks)
})

test('a joined name that is too long is marked', () => {
  expect(marksOf({ definition: WELL, joined: `a__${'n'.repeat(62)}` })).toEqual(['name'])
})
