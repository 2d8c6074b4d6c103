import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { facetProblems, hasFacets } from './check-facets.ts'
import { readMetadata } from './metadata.ts'

const CATALOG = {
  namespaces: [
    { namespace: 'custom', fields: [{ field_name: 'region' }, { field_name: 'clearance_level' }] },
    { namespace: 'sam', fields: [{ field_name: 'agency' }] },
    { namespace: 'empty', fields: [] },
  ],
}
const FACETS = [{ facet_name: 'agency', operators: ['eq', 'in'] }, { facet_name: 'set_aside' }]
const KNOWN = readMetadata(CATALOG, FACETS, 'cwr')
const problems = (filters: unknown) =>
  facetProblems({ facet_filters: filters } as JsonObject, KNOWN).map(({ path, message }) => `${path} ${message}`)

describe('filters', () => {
  test.each([
    [{ agency: 'GSA' }],
    [{ agency: ['GSA', 'DOD'] }],
    [{ agency: { in: ['GSA'] } }],
    [{ set_aside: { whatever: 1 } }],
    [{ custom: { region: 'west', clearance_level: { in: ['secret'] } } }],
    [{ 'custom.region': 'west' }],
    [{}],
  ])('that name what there is pass: %j', (filters) => expect(problems(filters)).toEqual([]))

  test.each([
    [{ agncy: 1 }, '/facet_filters/agncy "agncy" is neither a facet nor a namespace; did you mean "agency"?'],
    [
      { agency: { like: 'G' } },
      '/facet_filters/agency/like "like" is not a way to filter by agency; there are "eq", "in"',
    ],
    [
      { custom: { fake_field: 1 } },
      '/facet_filters/custom/fake_field "fake_field" is not a field of custom; there are "region", "clearance_level"',
    ],
    [
      { custom: { regions: 1 } },
      '/facet_filters/custom/regions "regions" is not a field of custom; did you mean "region"?',
    ],
    [
      { custom: 'west' },
      '/facet_filters/custom must be an object of fields of custom; there are "region", "clearance_level"',
    ],
    [
      { 'custom.fake': 1 },
      '/facet_filters/custom.fake "fake" is not a field of custom; there are "region", "clearance_level"',
    ],
    [{ empty: { a: 1 } }, '/facet_filters/empty/a "a" is not a field of empty; there are none here'],
    [
      { constructor: 1 },
      '/facet_filters/constructor "constructor" is neither a facet nor a namespace; there are "agency", "set_aside", "custom", "sam", "empty"',
    ],
    [
      { custom: JSON.parse('{"__proto__": 1}') as object },
      '/facet_filters/custom/__proto__ "__proto__" is not a field of custom; there are "region", "clearance_level"',
    ],
    ['agency', '/facet_filters must be an object of facets and their values'],
    [['agency'], '/facet_filters must be an object of facets and their values'],
  ])('that name what there is not do not: %j', (filters, problem) => expect(problems(filters)).toEqual([problem]))

  test('are told of twenty at most, however many are made up', () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${'x'.repeat(500)}${at}`, 1]))
    const told = problems(many)
    expect(told).toHaveLength(20)
    expect(Math.max(...told.map((one) => one.length))).toBeLessThan(500)
  })

  test('are seen wherever they stand; null is none', () => {
    expect(hasFacets({ a: [{ facet_filters: {} }] })).toBe(true)
    expect(hasFacets({ facet_filters: null, filters: { agency: 1 } })).toBe(false)
  })
})

describe('what an organization has', () => {
  test.each([
    ['a bare list', [{ facet_name: 'agency' }]],
    ['an object with a list', { facets: [{ name: 'agency' }] }],
    ['a list of names', ['agency']],
  ])('S1-CWR-04: is read from %s', (_, facets) =>
    expect([...readMetadata(CATALOG, facets, 'cwr').facets.keys()]).toEqual(['agency']),
  )

  test('is read from namespaces by name, too', () => {
    const { namespaces } = readMetadata(
      { namespaces: { custom: { fields: { region: {} } }, sam: ['agency'] } },
      [],
      'cwr',
    )
    expect([...namespaces].map(([name, fields]) => [name, [...fields]])).toEqual([
      ['custom', ['region']],
      ['sam', ['agency']],
    ])
  })

  test.each([
    [CATALOG, {}],
    [CATALOG, { facets: {} }],
    [CATALOG, null],
    [CATALOG, [{ title: 'agency' }]],
    [[], FACETS],
    [{}, FACETS],
    [{ namespaces: 'custom' }, FACETS],
  ])('in no shape that is known it is refused, so that nothing passes: %j %j', (catalog, facets) =>
    expect(() => readMetadata(catalog, facets as never, 'cwr')).toThrow(
      expect.objectContaining({ code: 'contract.malformed' }),
    ),
  )
})
