import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { isHeld } from './is-held.ts'
import { hashTool, sightingsOf } from './tool-hash.ts'

const SPEAKERS = { connector: 'mcp.http', trusted: false }
const tool: JsonObject = {
  name: 'send',
  title: 'Send',
  description: 'Send a message.',
  inputSchema: {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'Who' },
      more: { type: 'object', properties: { cc: { type: 'string' } }, required: ['cc'] },
    },
    required: ['to'],
  },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: false },
  _meta: { 'x/y': 1 },
  icons: [{ src: 'https://x.example/a.png' }],
}
const schema = tool['inputSchema'] as { properties: JsonObject; required: string[] }
const withSchema = (more: JsonObject): JsonObject => ({ ...tool, inputSchema: { ...schema, ...more } })
const withProperties = (more: JsonObject) => withSchema({ properties: { ...schema.properties, ...more } })

const READ_BY_MODELS: readonly [string, JsonObject][] = [
  ['its title', { ...tool, title: 'Send!' }],
  ['its description', { ...tool, description: 'Send a message. \u200b' }],
  ['its annotations', { ...tool, annotations: { readOnlyHint: true } }],
  ['its _meta', { ...tool, _meta: { 'x/y': 2 } }],
  ['an icon', { ...tool, icons: [] }],
  ['a description inside a schema', withProperties({ to: { type: 'string', description: 'Whom' } })],
  ['a description in what its schema had none', withSchema({ description: 'Read this first' })],
  ['a member that nobody knows', { ...tool, hint: 'x' }],
]
const OF_SCHEMAS: readonly [string, JsonObject][] = [
  ['an input that is new and required', withSchema({ required: ['to', 'more'] })],
  ['an input of another type', withProperties({ to: { type: 'number', description: 'Who' } })],
  ['an input that is gone', withSchema({ properties: { to: { type: 'string', description: 'Who' } } })],
  ['an input that is named like a member of every object', withSchema({ properties: { constructor: {} } })],
  ['what it returns', { ...tool, outputSchema: { type: 'array' } }],
  ['an output schema that is gone', { name: 'send' }],
]
const WIDER: readonly [string, JsonObject][] = [
  ['an optional input', withProperties({ later: { type: 'string' } })],
  [
    'an optional input of an input',
    withProperties({
      more: { ...(schema.properties['more'] as JsonObject), properties: { cc: { type: 'string' }, x: {} } },
    }),
  ],
]

describe('a change of a tool that is known', () => {
  test.each([...READ_BY_MODELS, ...OF_SCHEMAS])('in %s is held by all modes but off', (_, after) => {
    expect(isHeld('off', tool, after, SPEAKERS)).toBe(false)
    for (const mode of ['additions', 'descriptions', 'all'] as const)
      expect(isHeld(mode, tool, after, SPEAKERS)).toBe(true)
  })

  test.each(WIDER)('by %s comes in where descriptions are held, and nowhere stricter', (_, after) => {
    expect(isHeld('descriptions', tool, after, SPEAKERS)).toBe(false)
    expect(isHeld('additions', tool, after, SPEAKERS)).toBe(true)
    expect(isHeld('all', tool, after, SPEAKERS)).toBe(true)
  })
})

test('a new tool is held where everything is', () => {
  const modes = ['off', 'additions', 'descriptions', 'all'] as const
  expect(modes.filter((mode) => isHeld(mode, undefined, tool, SPEAKERS))).toEqual(['all'])
})

describe('the hash of a tool', () => {
  test('is another for every change of it, and the same for another order', () => {
    const all = [tool, ...[...READ_BY_MODELS, ...OF_SCHEMAS, ...WIDER].map(([, after]) => after)]
    expect(new Set(all.map(hashTool)).size).toBe(all.length)
    expect(hashTool(Object.fromEntries(Object.entries(tool).toReversed()))).toBe(hashTool(tool))
    // Lock files keep hashes: they may not change from one version to the next.
    expect(hashTool({ name: 'a', inputSchema: { type: 'object' } })).toBe(
      '60d4353e9a5499b483d09f13d9e28060e70f34edf787bb7040ba30bd390f85af',
    )
  })

  test('stands for the first of a name, and for none that cannot be kept account of', () => {
    const names = ['a', 'a', '', 'x'.repeat(501), 'b\0', '\ud800', 7]
    const list = names.map((name, at) => ({ name, description: String(at) }))
    expect(sightingsOf(list).map(({ tool: name, definition }) => [name, definition['description']])).toEqual([
      ['a', '0'],
    ])
  })
})
