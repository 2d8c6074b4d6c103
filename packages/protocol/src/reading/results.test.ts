/** What servers answer, as the official clients take it: mended with a note, or the very object that came. */
import * as modern from '@modelcontextprotocol/core'
import * as legacy from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import type { Revision } from '../era.ts'
import { MENDED_RESULTS, text, type Method } from '../../../../test/wild/rows/results.ts'
import { variantsOf } from '../../../../test/wild/variants.ts'
import type { JsonObject } from '../json.ts'
import { adaptResult } from '../bridge/results.ts'
import { readResult, REPAIRED } from './results.ts'

const SCHEMAS = {
  'tools/call': [legacy.CallToolResultSchema, modern.CallToolResultSchema],
  'prompts/get': [legacy.GetPromptResultSchema, modern.GetPromptResultSchema],
  'resources/read': [legacy.ReadResourceResultSchema, modern.ReadResourceResultSchema],
} as const

function refusalOf(method: Method, result: JsonObject): string | undefined {
  for (const [at, schema] of SCHEMAS[method].entries()) {
    const { error } = schema.safeParse(result)
    if (error !== undefined) return `SDK ${at + 1}: ${error.message}`
  }
  return undefined
}

function read(method: Method, given: JsonObject, revision: Revision = '2025-11-25') {
  const result = readResult(method, given, { revision })
  expect(refusalOf(method, result)).toBeUndefined()
  const { _meta: meta, ...rest } = result
  return { rest, repairs: ((meta as JsonObject | undefined)?.[REPAIRED] ?? []) as string[] }
}

describe('a result', () => {
  test.each(MENDED_RESULTS)('with %s is mended and says so', (_, method, given, result, repair) => {
    const { rest, repairs } = read(method, given)
    expect(rest).toEqual(result)
    expect(repairs.join('; ')).toMatch(repair)
  })

  test('without a fault is the very object that came', () => {
    const results: [Method, JsonObject][] = [
      [
        'tools/call',
        {
          content: [
            text('a'),
            { type: 'image', data: 'AA==', mimeType: 'image/png', annotations: { audience: ['user'] } },
          ],
          structuredContent: { a: null },
          isError: false,
          _meta: { a: 1 },
          later: null,
        },
      ],
      [
        'tools/call',
        {
          content: [
            { type: 'resource', resource: { uri: 'a://b', blob: 'AA==' } },
            { type: 'resource_link', uri: 'a://b', name: 'b', size: 1 },
          ],
        },
      ],
      ['prompts/get', { messages: [{ role: 'assistant', content: text('a') }] }],
      [
        'resources/read',
        {
          contents: [
            { uri: 'a://b', text: '' },
            { uri: 'a://c', blob: '' },
          ],
        },
      ],
    ]
    for (const [method, result] of results) expect(readResult(method, result, { revision: '2025-11-25' })).toBe(result)
    for (const result of [{ task: { taskId: 't' } }, { resultType: 'input_required', content: 5 }] as JsonObject[])
      expect(readResult('tools/call', result, { revision: '2026-07-28' })).toBe(result)
    const structured = { content: [], structuredContent: [1] }
    expect(readResult('tools/call', structured, { revision: '2025-11-25' })).toBe(structured)
    const own = { content: [{ type: 'hologram' }] }
    expect(readResult('tools/call', own, { revision: '2026-07-28', extended: true })).toBe(own)
  })

  test('with any member changed in any of many ways is one that both clients take', () => {
    const wholes: readonly (readonly [Method, JsonObject])[] = [
      [
        'tools/call',
        {
          content: [
            {
              ...text('a'),
              annotations: { audience: ['user'], priority: 1, lastModified: '2026-01-01T00:00:00Z' },
              _meta: {},
            },
            { type: 'image', data: 'AA==', mimeType: 'image/png' },
            { type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: 'a/b', _meta: {} } },
            { type: 'resource_link', uri: 'a://b', name: 'b', title: 't', size: 1, icons: [] },
          ],
          structuredContent: { a: 1 },
          isError: false,
          _meta: {},
        },
      ],
      ['prompts/get', { description: 'd', messages: [{ role: 'user', content: text('a') }], _meta: {} }],
      [
        'resources/read',
        {
          contents: [
            { uri: 'a://b', text: 'x', mimeType: 'a/b' },
            { uri: 'a://b', blob: 'AA==' },
          ],
          _meta: {},
        },
      ],
    ]
    let tried = 0
    for (const [method, whole] of wholes) {
      for (const given of variantsOf(whole) as Iterable<JsonObject>) {
        if ('resultType' in given || 'task' in given) continue
        tried += 1
        const crossing = { from: '2025-11-25', to: '2025-11-25' } as const
        const result = adaptResult(method, readResult(method, given, { revision: '2025-11-25' }), crossing)
        const refusal = refusalOf(method, result)
        if (refusal !== undefined) expect.fail(`${JSON.stringify(given)} became ${JSON.stringify(result)}: ${refusal}`)
      }
    }
    expect(tried).toBeGreaterThan(500)
  })
})
