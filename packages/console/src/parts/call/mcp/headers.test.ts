import { expect, test } from 'vitest'
import { encoded, modernHeaders } from './headers.ts'

test('a modern request repeats in its head what it is about, and the arguments that ask for it', () => {
  const schema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      deep: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } } },
      none: { type: 'string', 'x-mcp-header': 'None' },
    },
  }
  const params = { name: 'grüße', arguments: { region: 'eu-1', deep: { dry: true }, none: null } }
  expect(modernHeaders('tools/call', params, schema)).toEqual({
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': '=?base64?Z3LDvMOfZQ==?=',
    'mcp-param-region': 'eu-1',
    'mcp-param-dry-run': 'true',
  })
  expect(modernHeaders('tools/list', {})).not.toHaveProperty('mcp-name')
})

test.each([
  ['plain text', 'plain text'],
  [' edge', '=?base64?IGVkZ2U=?='],
  ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
  ['', '=?base64??='],
])('%j travels as %j', (text, header) => expect(encoded(text)).toBe(header))
