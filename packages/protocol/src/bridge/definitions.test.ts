import { describe, expect, test } from 'vitest'
import { REVISIONS } from '../era.ts'
import { adaptTool, wrapsOutput } from './definitions.ts'

const tool = {
  name: 'a',
  title: 'A',
  inputSchema: { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'R' } } },
  outputSchema: { type: 'object' },
  execution: { taskSupport: 'optional' },
  later: { than: 'us' },
}
const without = (...members: string[]) =>
  Object.fromEntries(Object.entries(tool).filter(([name]) => !members.includes(name)))

describe('a tool in a list', () => {
  test('passes as its server wrote it to a client of the same era', () => {
    for (const to of ['2025-06-18', '2025-11-25'] as const) expect(adaptTool(tool, '2025-11-25', to)).toBe(tool)
    const listed = { ...tool, outputSchema: { type: 'array' } }
    expect(adaptTool(listed, '2026-07-28', '2026-07-28')).toBe(listed)
  })

  test('has no output schema for clients before 2025-06-18', () => {
    for (const from of REVISIONS) {
      for (const to of ['2024-11-05', '2025-03-26'] as const)
        expect(adaptTool(tool, from, to)).toEqual(without('outputSchema'))
    }
  })

  test('of a legacy server loses its task support for a modern client, and keeps its header marks', () => {
    expect(adaptTool(tool, '2025-11-25', '2026-07-28')).toEqual(without('execution'))
  })

  test('of a modern server with an object to give passes to a legacy client', () => {
    expect(adaptTool(tool, '2026-07-28', '2025-11-25')).toBe(tool)
  })

  test('of a modern server with something else to give has that wrapped for a legacy client', () => {
    const list = { type: 'array', items: { type: 'string' } }
    expect(adaptTool({ ...tool, outputSchema: list }, '2026-07-28', '2025-06-18')).toEqual({
      ...tool,
      outputSchema: { type: 'object', properties: { result: list }, required: ['result'] },
    })
  })

  test('whose wrapped schema points into itself points to where that now stands', () => {
    const outputSchema = {
      $defs: { row: { properties: { next: { $ref: '#/$defs/row' }, all: { $ref: '#' }, named: { $ref: '#anchor' } } } },
      type: 'array',
      items: {
        anyOf: [
          { $ref: '#/$defs/row' },
          { $ref: 'https://example.com/x#/a' },
          { $id: 'urn:own', items: { $ref: '#/y' } },
        ],
      },
      description: '#/not/a/reference',
    }
    const adapted = adaptTool({ ...tool, outputSchema }, '2026-07-28', '2025-11-25')
    expect(adapted['outputSchema']).toEqual({
      type: 'object',
      required: ['result'],
      properties: {
        result: {
          $defs: {
            row: {
              properties: {
                next: { $ref: '#/properties/result/$defs/row' },
                all: { $ref: '#/properties/result' },
                named: { $ref: '#anchor' },
              },
            },
          },
          type: 'array',
          items: {
            anyOf: [
              { $ref: '#/properties/result/$defs/row' },
              { $ref: 'https://example.com/x#/a' },
              { $id: 'urn:own', items: { $ref: '#/y' } },
            ],
          },
          description: '#/not/a/reference',
        },
      },
    })
    expect(outputSchema.items.anyOf[0]).toEqual({ $ref: '#/$defs/row' })
  })

  test('never changes under whoever keeps it', () => {
    const before = structuredClone(tool)
    for (const from of REVISIONS) for (const to of REVISIONS) adaptTool(tool, from, to)
    expect(tool).toEqual(before)
  })
})

test.each([
  [{ type: 'object' }, false],
  [{ type: 'array' }, true],
  [{ type: ['object', 'null'] }, true],
  [{ anyOf: [{ type: 'object' }] }, true],
  [{}, true],
  [undefined, false],
  [true, false],
])('the output schema %j is wrapped: %j', (outputSchema, wraps) => {
  expect(wrapsOutput(outputSchema === undefined ? {} : { outputSchema })).toBe(wraps)
})
