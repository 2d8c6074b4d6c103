/** The OpenAPI document of an endpoint's tools: valid by the published schema of OpenAPI 3.1, and readable by a client of it. */
import { Validator } from '@seriousme/openapi-schema-validator'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { toolAddressOf } from './tool-addresses.ts'
import { toolsDocumentOf } from './tools-document.ts'

const SEARCH: JsonObject = {
  name: 'search_assets',
  description: 'Search assets.\nReturns ids.',
  inputSchema: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer', maximum: 1000, default: 20 } },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: { hits: { type: 'array', items: { $ref: '#/$defs/Hit' } } },
    $defs: { Hit: { type: 'object' } },
  },
}
const TREE: JsonObject = {
  name: 'tree.walk',
  inputSchema: {
    type: 'object',
    properties: { node: { $ref: '#/definitions/A%20node' }, same: { $ref: '#' } },
    definitions: {
      'A node': {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/definitions/A%20node' } } },
      },
    },
  },
}
const NOW: JsonObject = { name: 'health', inputSchema: { type: 'object', properties: {} } }

const documentOf = (tools: readonly JsonObject[], flat = true, base = '') =>
  toolsDocumentOf({ tools, base, version: '1', flat })

const at = (document: JsonObject, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document)

/** Where a reference of the document leads. */
const follow = (document: JsonObject, reference: string): unknown =>
  at(
    document,
    ...reference
      .slice(2)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
  )

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  )
}

describe('S1-MCP-09: the OpenAPI 3.1 document', () => {
  test('is valid, and has one POST path for each tool', async () => {
    const document = documentOf([SEARCH, TREE, NOW])
    const validator = new Validator()
    const checked = await validator.validate(structuredClone(document))
    expect(checked).toMatchObject({ valid: true })
    expect(validator.version).toBe('3.1')
    // A tool whose name is an address of something else is below /rest.
    expect(Object.keys(document['paths'] as object)).toEqual([
      '/search_assets',
      '/tree.walk',
      '/rest/tools/health/call',
    ])
    // The validator objects where it must.
    const broken = structuredClone(document)
    delete (broken['info'] as Record<string, unknown>)['title']
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
  })

  test('says what to send and what comes back, in references that lead somewhere', () => {
    const document = documentOf([SEARCH, TREE, NOW])
    const input = at(
      document,
      'paths',
      '/search_assets',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    )
    expect(input).toEqual({
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer', maximum: 1000, default: 20 } },
      required: ['query'],
    })
    const references = referencesIn(document)
    expect(references).toContain('#/components/schemas/search_assets.output.Hit')
    expect(references).toContain('#/components/schemas/tree.walk.input')
    expect(references).toContain('#/components/schemas/tree.walk.input.A_node')
    for (const reference of references) expect({ reference, is: follow(document, reference) }).toMatchObject({ is: {} })
    expect(at(document, 'paths', '/search_assets', 'post', 'summary')).toBe('Search assets.')
    // Open WebUI fails where a body is asked for and it has nothing to send.
    expect(at(document, 'paths', '/rest/tools/health/call', 'post', 'requestBody')).toBeUndefined()
  })

  test('names no address but its own paths, and calls tools below /rest where the root is not for them', () => {
    expect(documentOf([SEARCH], false)['servers']).toEqual([{ url: '/' }])
    expect(Object.keys(documentOf([SEARCH], false)['paths'] as object)).toEqual(['/rest/tools/search_assets/call'])
    expect(documentOf([SEARCH], true, '/o/acme/t/read')['servers']).toEqual([{ url: '/o/acme/t/read' }])
  })
})

describe('the addresses of tools', () => {
  test.each([
    ['/openapi.json', 'openapi', undefined],
    ['/mcp/tools/list', 'mcp list', undefined],
    ['/mcp/tools/call', 'mcp call', undefined],
    ['/rest/tools', 'rest list', undefined],
    ['/rest/tools/a%2Fb/call', 'rest call', 'a/b'],
    ['/openai/tools', 'functions list', undefined],
    ['/openai/tools/search', 'functions call', 'search'],
    ['/list/apps', 'app list', undefined],
    ['/resources', 'app list', undefined],
    ['/list/apps/My%20app/tools', 'app tools', 'My app'],
    ['/namespaces', 'account list', undefined],
    ['/tools/sync/version', 'tool version', undefined],
    ['/execute/SLACK_SEND_MESSAGE', 'app call', 'SLACK_SEND_MESSAGE'],
    ['/o/acme/t/read/openapi.json', 'openapi', undefined],
    ['/o/acme/t/read/search', 'flat call', 'search'],
  ])('%s', (path, way, name) => {
    expect(toolAddressOf(path, false)).toMatchObject({ way, name })
  })

  test('take any name at the root only where a preset says so, and never one that is something else', () => {
    expect(toolAddressOf('/search', false)).toBeUndefined()
    expect(toolAddressOf('/search', true)).toMatchObject({ way: 'flat call', name: 'search', method: 'POST' })
    for (const path of [
      '/mcp',
      '/sse',
      '/policy',
      '/health',
      '/metrics',
      '/namespaces/x',
      '/',
      '/a/b',
      '/%zz',
      '/o/acme/t/read/mcp',
    ])
      expect({ path, is: toolAddressOf(path, true) }).toEqual({ path, is: undefined })
  })
})
