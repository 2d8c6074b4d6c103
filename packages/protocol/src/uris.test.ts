import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from './json.ts'
import { joinUri, rewriteResult, rewriteToolMeta, splitUri } from './uris.ts'

const aliases = fc.stringMatching(/^[a-z][a-z0-9_-]{0,30}$/)
const uris = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc
    .tuple(fc.constantFrom('file:///', 'ui://', 'skill://', 'toolway://', 'UI://', 'urn:', 'test://'), fc.string())
    .map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }),
)

describe('the address of a resource on a joined endpoint', () => {
  test('leads back to connection and address, whatever the address is', () => {
    fc.assert(
      fc.property(aliases, uris, (alias, uri) => {
        expect(splitUri(joinUri(alias, uri))).toEqual({ alias, uri })
      }),
    )
  })

  test('is another one for another connection or another address', () => {
    fc.assert(
      fc.property(fc.tuple(aliases, uris), fc.tuple(aliases, uris), (one, other) => {
        expect(joinUri(...one) === joinUri(...other)).toBe(one[0] === other[0] && one[1] === other[1])
      }),
    )
  })

  test.each([
    ['file:///a/b', 'toolway://docs/file:///a/b'],
    ['test://template/{id}/data', 'toolway://docs/test://template/{id}/data'],
    ['ui://app/main.html', 'ui://docs/app/main.html'],
    ['skill://a', 'skill://docs/a'],
    ['toolway://other/file:///x', 'toolway://docs/toolway://other/file:///x'],
    ['', 'toolway://docs/'],
  ])('of %s is %s', (uri, joined) => {
    expect(joinUri('docs', uri)).toBe(joined)
  })

  test.each([
    'file:///a',
    'toolway://docs',
    'ui://docs',
    'toolway:docs/x',
    'TOOLWAY://docs/x',
    '',
    'https://toolway://docs/x',
  ])('is not %j, which nobody here has made', (uri) => {
    expect(splitUri(uri)).toBeUndefined()
  })
})

const mark = (uri: string) => `<${uri}>`

describe('addresses inside a result', () => {
  test('are rewritten where they mean a resource: links, embedded resources, contents, messages', () => {
    const result: JsonObject = {
      content: [
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'file:///b' } },
        { type: 'text', text: 'see file:///c', uri: 'file:///c' },
        { type: 'later', uri: 'file:///d' },
        'odd',
        null,
      ],
      contents: [{ uri: 'file:///e', text: 'file:///e' }, { uri: 5 }, null],
      messages: [
        { role: 'user', content: { type: 'resource', resource: { uri: 'file:///f' } } },
        { role: 'user', content: { type: 'text', text: 'file:///g' } },
        { role: 'user' },
        7,
      ],
      structuredContent: { uri: 'file:///h' },
      uri: 'file:///i',
    }
    const before = structuredClone(result)
    expect(rewriteResult(result, mark)).toEqual({
      ...before,
      content: [
        { type: 'resource_link', uri: '<file:///a>', name: 'a' },
        { type: 'resource', resource: { uri: '<file:///b>', text: 'file:///b' } },
        { type: 'text', text: 'see file:///c', uri: 'file:///c' },
        { type: 'later', uri: 'file:///d' },
        'odd',
        null,
      ],
      contents: [{ uri: '<file:///e>', text: 'file:///e' }, { uri: 5 }, null],
      messages: [
        { role: 'user', content: { type: 'resource', resource: { uri: '<file:///f>' } } },
        { role: 'user', content: { type: 'text', text: 'file:///g' } },
        { role: 'user' },
        7,
      ],
    })
    expect(result).toEqual(before)
  })

  test('leave a result that has none as it is', () => {
    expect(rewriteResult({ tools: [], content: 'odd' }, mark)).toEqual({ tools: [], content: 'odd' })
  })

  test('are rewritten in each place where a tool names its interface', () => {
    const definition = {
      name: 'a',
      _meta: {
        ui: { resourceUri: 'ui://x', csp: {} },
        'ui/resourceUri': 'ui://y',
        'openai/outputTemplate': 'ui://w',
        other: 'ui://z',
      },
    }
    expect(rewriteToolMeta(definition, mark)).toEqual({
      name: 'a',
      _meta: {
        ui: { resourceUri: '<ui://x>', csp: {} },
        'ui/resourceUri': '<ui://y>',
        'openai/outputTemplate': '<ui://w>',
        other: 'ui://z',
      },
    })
    for (const plain of [
      { name: 'a' },
      { name: 'a', _meta: { ui: 'odd' } },
      { name: 'a', _meta: { ui: { resourceUri: 1 } } },
    ]) {
      expect(rewriteToolMeta(plain, mark)).toEqual(plain)
    }
  })
})
