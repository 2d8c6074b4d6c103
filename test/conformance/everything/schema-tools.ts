/**
 * Tools that show whether an input schema reaches the client keyword for keyword.
 *
 * The schemas are plain JSON on purpose: a schema library would rewrite the keywords the suites look for.
 */
import { fromJsonSchema } from '@modelcontextprotocol/server'
import type { McpServer } from '@modelcontextprotocol/server'
import { text } from './samples.ts'

/** SEP-1613 and SEP-2106: every keyword here must arrive as written. */
const everyKeyword = fromJsonSchema({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
})

/** SEP-2243: `region` is mirrored in the header `Mcp-Param-Region`. */
const region = { type: 'string' as const, 'x-mcp-header': 'Region' }
const mirrored = fromJsonSchema<{ region: string; query?: string }>({
  type: 'object',
  properties: { region, query: { type: 'string' } },
  required: ['region'],
})

/** Adds the tools whose interest is their input schema. */
export function registerSchemaTools(server: McpServer): void {
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: everyKeyword },
    (input) => text(`Received ${JSON.stringify(input)}`),
  )
  server.registerTool(
    'test_x_mcp_header',
    { description: 'Answers with the region it was given', inputSchema: mirrored },
    ({ region }) => text(`Region: ${region}`),
  )
}
