import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { checkArguments } from './argument-schema.ts'

const inputSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 50 },
    since: { type: 'string', format: 'date-time' },
    owner: { type: ['string', 'null'] },
  },
  required: ['query', 'owner'],
  additionalProperties: false,
}
const target = (schema: unknown = inputSchema, absentNulls = false) => ({
  name: 'search',
  checkedBy: { definition: { name: 'search', inputSchema: schema } as JsonObject, absentNulls },
})
const faultOf = (work: () => unknown): Fault => {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

describe('arguments', () => {
  test('pass as the very same object where they fit', () => {
    const given = { query: 'x', owner: null, limit: 5 }
    expect(checkArguments(target(), given)).toBe(given)
  })

  test('are looked at only where the gateway is to', () => {
    const given = { limit: 'many' }
    expect(checkArguments({ name: 'search', checkedBy: undefined }, given)).toBe(given)
  })

  test('are refused with all that is wrong, each with its place', () => {
    const fault = faultOf(() => checkArguments(target(), { limit: 500, since: 'now', qery: 'x' }, 'cwr__search'))
    expect(fault).toMatchObject({
      code: 'arguments.invalid',
      row: { word: 'INVALID_ARGUMENT' },
      data: {
        errors: [
          { path: '/limit', message: 'must be at most 50' },
          { path: '/since', message: 'must be a date and time such as 2026-01-31T09:30:00Z (RFC 3339)' },
          { path: '/qery', message: 'is unknown; did you mean "query"?' },
          { path: '/query', message: 'is required' },
          { path: '/owner', message: 'is required' },
        ],
      },
    })
    expect(fault.message).toMatch(
      /^The arguments do not match the input schema of cwr__search: \/limit must be at most 50; .*; \/owner is required\.$/,
    )
  })

  test('that are missing are an empty object', () => {
    expect(checkArguments(target({ type: 'object' }), undefined)).toBeUndefined()
    expect(faultOf(() => checkArguments(target(), undefined)).code).toBe('arguments.invalid')
  })

  test('S1-CAL-10: a null of an optional parameter counts as absent, at the top level and nowhere else', () => {
    const schema = {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer' },
        filters: { properties: { a: { type: 'string' } } },
      },
      required: ['query'],
    }
    expect(checkArguments(target(schema, true), { query: 'x', limit: null })).toEqual({ query: 'x' })
    expect(faultOf(() => checkArguments(target(schema, true), { query: null })).data).toEqual({
      errors: [{ path: '/query', message: 'must be a string' }],
    })
    expect(faultOf(() => checkArguments(target(schema, true), { query: 'x', filters: { a: null } })).data).toEqual({
      errors: [{ path: '/filters/a', message: 'must be a string' }],
    })
    // Elsewhere null is what the caller says.
    expect(faultOf(() => checkArguments(target(schema), { query: 'x', limit: null })).code).toBe('arguments.invalid')
  })

  test('a schema that nothing can be checked by lets nothing through', () => {
    for (const schema of [
      undefined,
      'text',
      { $ref: 'https://example.com/a.json' },
      { properties: { a: { type: 'text' } } },
    ]) {
      const fault = faultOf(() => checkArguments(target(schema === undefined ? null : schema), { a: 1 }))
      expect(fault).toMatchObject({ code: 'schema.unusable' })
    }
  })

  test('a sentence is no longer than a model should have to read', () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`unknown-${at}`.padEnd(200, 'x'), at]))
    const fault = faultOf(() => checkArguments(target(), { query: 'x', owner: 'y', ...many }))
    expect(fault.message.length).toBeLessThan(2_300)
    expect(JSON.stringify(fault.data).length).toBeLessThan(12_000)
  })
})
