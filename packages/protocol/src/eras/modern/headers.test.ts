import { Fault } from '@toolway/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../json.ts'
import {
  checkHeaders,
  checkParameterHeaders,
  checkVersionHeader,
  decodeHeader,
  encodeHeader,
  headerParameters,
  headersFor,
  type HeaderReader,
} from './headers.ts'

const reader =
  (headers: Record<string, string>): HeaderReader =>
  (name) =>
    Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]

/** Returns the problem that the check throws, or undefined where it passes. */
const problemOf = (check: () => void): string | undefined => {
  try {
    check()
    return undefined
  } catch (thrown) {
    const fault = Fault.of(thrown)
    expect(fault).toMatchObject({ code: 'envelope.header', row: { http: 400, rpc: -32020 } })
    return `${fault.facts['header']} ${fault.facts['problem']}`
  }
}

describe('a text in a header', () => {
  test('comes back as it was, whatever it is, and travels as visible ASCII', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.string().map((text) => `=?base64?${text}?=`),
        ),
        (text) => {
          fc.pre(text.isWellFormed())
          const value = encodeHeader(text)
          expect(value).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/)
          expect(decodeHeader(value)).toBe(text)
        },
      ),
    )
  })

  test.each([
    ['Hello', 'Hello'],
    ['us west 1', 'us west 1'],
    ['SGVsbG8=', 'SGVsbG8='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['', '=?base64??='],
    [' a', '=?base64?IGE=?='],
    ['a ', '=?base64?YSA=?='],
    ['a\tb', '=?base64?YQli?='],
    ['a\r\nX-Evil: 1', '=?base64?YQ0KWC1FdmlsOiAx?='],
    ['Grüße', '=?base64?R3LDvMOfZQ==?='],
    ['=?base64?SGVsbG8=?=', '=?base64?PT9iYXNlNjQ/U0dWc2JHOD0/PQ==?='],
  ])('that is %j travels as %s', (text, value) => {
    expect(encodeHeader(text)).toBe(value)
  })

  test.each([
    ['the sentinel with sound Base64', '=?base64?SGVsbG8=?=', 'Hello'],
    ['the sentinel around nothing', '=?base64??=', ''],
    ['Base64 without the sentinel', 'SGVsbG8=', 'SGVsbG8='],
    ['the sentinel without its end', '=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['the sentinel in capitals', '=?BASE64?SGVsbG8=?=', '=?BASE64?SGVsbG8=?='],
    ['the sentinel inside a text', 'x=?base64?SGVsbG8=?=', 'x=?base64?SGVsbG8=?='],
    ['missing padding', '=?base64?SGVsbG8?=', undefined],
    ['padding too much', '=?base64?SGVsbG8==?=', undefined],
    ['padding in the middle', '=?base64?SG=sbG8=?=', undefined],
    ['characters outside the alphabet', '=?base64?SGVs!!!bG8=?=', undefined],
    ['the alphabet of URLs', '=?base64?_-8=?=', undefined],
    ['a space inside', '=?base64?SGVs bG8=?=', undefined],
    ['bytes that are no UTF-8 at the start', '=?base64?/0hlbGxv?=', undefined],
    ['bytes that are no UTF-8 at the end', '=?base64?SGVsbG/D?=', undefined],
    ['an overlong form', '=?base64?wIA=?=', undefined],
    ['half a surrogate pair', '=?base64?7aCA?=', undefined],
  ])('as %s is read strictly', (_, value, text) => {
    expect(decodeHeader(value)).toBe(text)
  })
})

describe('the standard headers', () => {
  const say = (headers: Record<string, string>, method: string, params: JsonObject = {}) =>
    problemOf(() => checkHeaders(reader(headers), method, params))

  test.each([
    ['tools/call', { name: 'a' }, 'a'],
    ['prompts/get', { name: 'a' }, 'a'],
    ['resources/read', { uri: 'file:///a' }, 'file:///a'],
    ['tasks/get', { taskId: 't' }, 't'],
    ['tasks/update', { taskId: 't' }, 't'],
    ['tasks/cancel', { taskId: 't' }, 't'],
  ])('of %s name what %j names', (method, params, name) => {
    expect(say({ 'Mcp-Method': method, 'Mcp-Name': name }, method, params)).toBeUndefined()
    expect(say({ 'Mcp-Method': method, 'Mcp-Name': 'other' }, method, params)).toBe('Mcp-Name does not match the body')
    expect(say({ 'Mcp-Method': method }, method, params)).toBe('Mcp-Name is missing')
  })

  const call = { name: 'Grüße' }
  const cases: [name: string, headers: Record<string, string>, problem: string | undefined][] = [
    ['the method is missing', { 'Mcp-Name': encodeHeader(call.name) }, 'Mcp-Method is missing'],
    ['the method is another', { 'Mcp-Method': 'prompts/list' }, 'Mcp-Method does not match the body'],
    ['the method is in capitals', { 'Mcp-Method': 'TOOLS/CALL' }, 'Mcp-Method does not match the body'],
    ['the method is empty', { 'Mcp-Method': '' }, 'Mcp-Method does not match the body'],
    ['the name is in Base64', { 'Mcp-Method': 'tools/call', 'Mcp-Name': '=?base64?R3LDvMOfZQ==?=' }, undefined],
    [
      'the name is in broken Base64',
      { 'Mcp-Method': 'tools/call', 'Mcp-Name': '=?base64?R3LDvMOfZQ?=' },
      'Mcp-Name has invalid Base64',
    ],
    [
      'there is space around them',
      { 'Mcp-Method': '  tools/call\t', 'Mcp-Name': ' =?base64?R3LDvMOfZQ==?= ' },
      undefined,
    ],
    [
      'their names are in other letters',
      { 'MCP-METHOD': 'tools/call', 'mcp-name': '=?base64?R3LDvMOfZQ==?=' },
      undefined,
    ],
  ]
  test.each(cases)('are checked when %s', (_, headers, problem) => {
    expect(say(headers, 'tools/call', call)).toBe(problem)
  })

  test('need no name where the method has none, or where the body names none', () => {
    expect(say({ 'Mcp-Method': 'tools/list' }, 'tools/list')).toBeUndefined()
    expect(say({ 'Mcp-Method': 'tools/call' }, 'tools/call', {})).toBeUndefined()
    expect(say({ 'Mcp-Method': 'toString' }, 'toString', { name: 'a' })).toBeUndefined()
  })

  test('hold the version against the body', () => {
    expect(
      problemOf(() => checkVersionHeader(reader({ 'MCP-Protocol-Version': '2026-07-28' }), '2026-07-28')),
    ).toBeUndefined()
    expect(problemOf(() => checkVersionHeader(reader({}), '2026-07-28'))).toBe('MCP-Protocol-Version is missing')
    expect(problemOf(() => checkVersionHeader(reader({ 'MCP-Protocol-Version': '2025-11-25' }), '2026-07-28'))).toBe(
      'MCP-Protocol-Version does not match the body',
    )
  })
})

const marked = (type: Json, header: Json = 'X'): JsonObject => ({ type, 'x-mcp-header': header })
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })

describe('a header mark in a schema', () => {
  test('is found at any depth below properties', () => {
    const schema = object({
      region: marked('string', 'Region'),
      plain: { type: 'string' },
      where: object({ row: marked('integer', 'Row'), deep: object({ on: marked('boolean', 'On') }) }),
    })
    expect(headerParameters(schema)).toEqual([
      { header: 'Region', path: ['region'] },
      { header: 'Row', path: ['where', 'row'] },
      { header: 'On', path: ['where', 'deep', 'on'] },
    ])
  })

  test('is not looked for where there is no schema', () => {
    expect([undefined, null, true, 'x', []].map((schema) => headerParameters(schema))).toEqual([[], [], [], [], []])
    expect(headerParameters({ type: 'object' })).toEqual([])
  })

  test('is no mark where it is a property of that name, or a value that somebody may send', () => {
    const schema = object(
      { 'x-mcp-header': { type: 'string' }, a: { type: 'object', default: marked('string') } },
      {
        examples: [marked('string')],
        default: marked('string'),
        enum: [marked('string')],
        const: { properties: { a: marked('string') } },
      },
    )
    expect(headerParameters(schema)).toEqual([])
  })

  const wrong: [name: string, schema: JsonObject][] = [
    ['an empty name', object({ a: marked('string', '') })],
    ['a name with a space', object({ a: marked('string', 'My Region') })],
    ['a name with a colon', object({ a: marked('string', 'a:b') })],
    ['a name with a line feed', object({ a: marked('string', 'a\n') })],
    ['a name that is not ASCII', object({ a: marked('string', 'Größe') })],
    ['a name that is no text', object({ a: marked('string', 5) })],
    ['a name of null', object({ a: marked('string', null) })],
    ['the same name twice', object({ a: marked('string'), b: marked('integer') })],
    ['the same name in other letters', object({ a: marked('string', 'region'), b: marked('string', 'REGION') })],
    ['the type number', object({ a: marked('number') })],
    ['the type object', object({ a: marked('object') })],
    ['the type array', object({ a: marked('array') })],
    ['the type null', object({ a: marked('null') })],
    ['several types', object({ a: marked(['string', 'null']) })],
    ['no type', object({ a: { 'x-mcp-header': 'X' } })],
    ['the root', object({}, { 'x-mcp-header': 'X' })],
    ['the root, beside a sound one', object({ a: marked('string') }, { 'x-mcp-header': 'Y' })],
    ['items', object({ a: { type: 'array', items: marked('string') } })],
    ['a list of items', object({ a: { type: 'array', items: [marked('string')] } })],
    ['prefixItems', object({ a: { type: 'array', prefixItems: [marked('string')] } })],
    ['oneOf', object({ a: { oneOf: [marked('string')] } })],
    ['anyOf without a type', object({ a: { anyOf: [{ 'x-mcp-header': 'X' }] } })],
    ['allOf of the root', object({}, { allOf: [object({ a: marked('string') })] })],
    ['not', object({ a: { not: marked('string') } })],
    ['if', object({}, { if: object({ a: marked('string') }) })],
    ['then', object({}, { then: object({ a: marked('string') }) })],
    ['else', object({}, { else: object({ a: marked('string') }) })],
    ['additionalProperties', object({}, { additionalProperties: marked('string') })],
    ['patternProperties', object({}, { patternProperties: { '^a': marked('string') } })],
    ['what only a $ref reaches', object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: marked('string') } })],
    ['old definitions', object({}, { definitions: { a: marked('string') } })],
    ['dependentSchemas', object({}, { dependentSchemas: { a: object({ b: marked('string') }) } })],
    ['contains', object({ a: { contains: marked('string') } })],
    ['properties below items', object({ a: { items: object({ b: marked('string') }) } })],
  ]
  test.each(wrong)('with or at %s makes the tool one that may not be offered', (_, schema) => {
    expect(headerParameters(schema)).toBeUndefined()
  })
})

describe('the headers of marked arguments', () => {
  const parameters = [
    { header: 'Region', path: ['region'] },
    { header: 'Row', path: ['where', 'row'] },
    { header: 'On', path: ['on'] },
  ]
  const say = (headers: Record<string, string>, given: Json | undefined) =>
    problemOf(() => checkParameterHeaders(reader(headers), parameters, given))

  const cases: [name: string, headers: Record<string, string>, given: Json | undefined, problem: string | undefined][] =
    [
      ['none is there, on either side', {}, {}, undefined],
      ['there are no arguments at all', {}, undefined, undefined],
      ['a text is there', { 'Mcp-Param-Region': 'us-west1' }, { region: 'us-west1' }, undefined],
      ['a text is in Base64', { 'Mcp-Param-Region': '=?base64?SGVsbG8=?=' }, { region: 'Hello' }, undefined],
      [
        'a text in Base64 has no padding',
        { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' },
        { region: 'Hello' },
        'Mcp-Param-Region has invalid Base64',
      ],
      [
        'a text in Base64 has odd characters',
        { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' },
        { region: 'Hello' },
        'Mcp-Param-Region has invalid Base64',
      ],
      ['a text looks like Base64', { 'Mcp-Param-Region': 'SGVsbG8=' }, { region: 'SGVsbG8=' }, undefined],
      [
        'a text looks like half a sentinel',
        { 'Mcp-Param-Region': '=?base64?SGVsbG8=' },
        { region: '=?base64?SGVsbG8=' },
        undefined,
      ],
      [
        'a text is another',
        { 'Mcp-Param-Region': 'us-east1' },
        { region: 'us-west1' },
        'Mcp-Param-Region does not match the body',
      ],
      [
        'a text is in other letters',
        { 'Mcp-Param-Region': 'US-WEST1' },
        { region: 'us-west1' },
        'Mcp-Param-Region does not match the body',
      ],
      ['the header is missing', {}, { region: 'us-west1' }, 'Mcp-Param-Region is missing'],
      ['the empty text has no header', {}, { region: '' }, 'Mcp-Param-Region is missing'],
      ['the empty text has one', { 'Mcp-Param-Region': '=?base64??=' }, { region: '' }, undefined],
      [
        'the argument is missing',
        { 'Mcp-Param-Region': 'us' },
        {},
        'Mcp-Param-Region is given, but the body has no such argument',
      ],
      [
        'the argument is null',
        { 'Mcp-Param-Region': 'null' },
        { region: null },
        'Mcp-Param-Region is given, but the body has no such argument',
      ],
      [
        'the argument is an object',
        { 'Mcp-Param-Region': '[object Object]' },
        { region: {} },
        'Mcp-Param-Region is given, but the body has no such argument',
      ],
      ['null has no header', {}, { region: null }, undefined],
      ['zero is there', { 'Mcp-Param-Row': '0' }, { where: { row: 0 } }, undefined],
      ['zero has no header', {}, { where: { row: 0 } }, 'Mcp-Param-Row is missing'],
      ['an integer is written otherwise', { 'Mcp-Param-Row': '007.0' }, { where: { row: 7 } }, undefined],
      [
        'an integer is another',
        { 'Mcp-Param-Row': '8' },
        { where: { row: 7 } },
        'Mcp-Param-Row does not match the body',
      ],
      [
        'an integer is hexadecimal',
        { 'Mcp-Param-Row': '0x7' },
        { where: { row: 7 } },
        'Mcp-Param-Row does not match the body',
      ],
      ['an integer is empty', { 'Mcp-Param-Row': '' }, { where: { row: 0 } }, 'Mcp-Param-Row does not match the body'],
      [
        'an integer is a word',
        { 'Mcp-Param-Row': 'seven' },
        { where: { row: 7 } },
        'Mcp-Param-Row does not match the body',
      ],
      ['an integer is in Base64', { 'Mcp-Param-Row': '=?base64?Nw==?=' }, { where: { row: 7 } }, undefined],
      ['false is there', { 'Mcp-Param-On': 'false' }, { on: false }, undefined],
      ['false has no header', {}, { on: false }, 'Mcp-Param-On is missing'],
      ['a boolean is another', { 'Mcp-Param-On': 'true' }, { on: false }, 'Mcp-Param-On does not match the body'],
      ['a boolean is in capitals', { 'Mcp-Param-On': 'TRUE' }, { on: true }, 'Mcp-Param-On does not match the body'],
      [
        'the way to it is not an object',
        { 'Mcp-Param-Row': '7' },
        { where: 'text' },
        'Mcp-Param-Row is given, but the body has no such argument',
      ],
    ]
  test.each(cases)('are checked when %s', (_, headers, given, problem) => {
    expect(say(headers, given)).toBe(problem)
  })

  test('are not asked for an argument that only every object has', () => {
    const inherited = [
      { header: 'C', path: ['constructor'] },
      { header: 'P', path: ['a', 'toString'] },
    ]
    expect(problemOf(() => checkParameterHeaders(reader({}), inherited, { a: {} }))).toBeUndefined()
    expect(headersFor('tools/call', { name: 'a', arguments: { a: {} } }, inherited)).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'a',
    })
  })
})

describe('the headers of a request of ours', () => {
  test('are computed from the body that goes out', () => {
    const parameters = [
      { header: 'Region', path: ['region'] },
      { header: 'Row', path: ['row'] },
      { header: 'On', path: ['on'] },
    ]
    const given = { region: ' Köln', row: 0, on: false }
    expect(headersFor('tools/call', { name: 'a b', arguments: given }, parameters)).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'a b',
      'mcp-param-region': '=?base64?IEvDtmxu?=',
      'mcp-param-row': '0',
      'mcp-param-on': 'false',
    })
    expect(headersFor('tools/list', {}, [])).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    })
    expect(headersFor('resources/read', { uri: 'file:///ä' }, [])).toMatchObject({
      'mcp-name': '=?base64?ZmlsZTovLy/DpA==?=',
    })
  })

  test('pass our own check, whatever the arguments are', () => {
    const parameters = [
      { header: 'A', path: ['a'] },
      { header: 'B', path: ['b', 'c'] },
    ]
    const text = fc.string({ unit: 'grapheme' })
    const value = fc.oneof(text, fc.maxSafeInteger(), fc.boolean(), fc.constant(null))
    fc.assert(
      fc.property(text, value, value, (name, a, c) => {
        const params = { name, arguments: { a, b: { c } } }
        const headers = reader(headersFor('tools/call', params, parameters))
        checkHeaders(headers, 'tools/call', params)
        checkParameterHeaders(headers, parameters, params.arguments)
        checkVersionHeader(headers, '2026-07-28')
      }),
    )
  })
})
