import { describe, expect, test } from 'vitest'
import { REVISIONS, type Revision } from '../era.ts'
import type { Json, JsonObject } from '../json.ts'
import { adaptError, adaptResult } from './results.ts'

const MODERN: Revision = '2026-07-28'
const LEGACY: Revision = '2025-11-25'
const OLD: readonly Revision[] = ['2024-11-05', '2025-03-26']
const text = (said: string): JsonObject => ({ type: 'text', text: said })
const call = (result: JsonObject, from: Revision, to: Revision, wraps = false) =>
  adaptResult('tools/call', result, { from, to, wraps })

describe('a result within one era', () => {
  test('passes as it is, with everything that we do not know', () => {
    const result = {
      content: [text('a'), { type: 'later', x: 1 }],
      structuredContent: { a: [1] },
      odd: null,
      _meta: { a: 1 },
    }
    expect(call(result, LEGACY, '2025-06-18')).toBe(result)
    const modern = { ...result, resultType: 'complete' }
    expect(call(modern, MODERN, MODERN)).toBe(modern)
    const task = { resultType: 'task', task: { taskId: 't' } }
    expect(call(task, MODERN, MODERN)).toBe(task)
  })

  test('that asks for input passes unstamped', () => {
    const asking = { resultType: 'input_required', inputRequests: {}, requestState: 's' }
    expect(adaptResult('resources/read', asking, { from: MODERN, to: MODERN })).toBe(asking)
  })

  test('of a modern server gets the kind and the hints that it lacks, and keeps those it has', () => {
    expect(call({ content: [] }, MODERN, MODERN)).toEqual({ content: [], resultType: 'complete' })
    expect(adaptResult('tools/list', { tools: [] }, { from: MODERN, to: MODERN })).toEqual({
      tools: [],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
    })
    const hinted = { tools: [], resultType: 'complete', ttlMs: 5, cacheScope: 'public' }
    expect(adaptResult('tools/list', hinted, { from: MODERN, to: MODERN })).toEqual(hinted)
  })
})

describe('a legacy result for a modern client', () => {
  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'])(
    'of %s says that it is complete and may not be cached',
    (method) => {
      expect(adaptResult(method, { a: 1 }, { from: LEGACY, to: MODERN })).toEqual({
        a: 1,
        resultType: 'complete',
        ttlMs: 0,
        cacheScope: 'private',
      })
    },
  )

  test.each(['tools/call', 'prompts/get', 'completion/complete'])(
    'of %s says that it is complete and nothing of caches',
    (method) => {
      const result = { content: [], isError: true }
      expect(adaptResult(method, result, { from: LEGACY, to: MODERN })).toEqual({ ...result, resultType: 'complete' })
    },
  )

  test('of a call has content, even where the server left it out', () => {
    expect(call({ structuredContent: { a: 1 } }, '2025-06-18', MODERN)).toEqual({
      content: [],
      structuredContent: { a: 1 },
      resultType: 'complete',
    })
  })

  test('cannot pretend to be of another kind, or fit for every cache', () => {
    expect(call({ content: [], resultType: 'input_required' }, LEGACY, MODERN)['resultType']).toBe('complete')
    expect(
      adaptResult('tools/list', { tools: [], ttlMs: 9e9, cacheScope: 'public' }, { from: LEGACY, to: MODERN }),
    ).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    })
  })

  test('keeps every kind of content', () => {
    const content = [
      { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'a:b', name: 'b' },
      { type: 'later' },
    ]
    expect(call({ content }, '2025-11-25', MODERN)['content']).toEqual(content)
  })
})

describe('a modern result for a legacy client', () => {
  test('loses what only the modern era knows, and nothing else', () => {
    const result = {
      resultType: 'complete',
      ttlMs: 5,
      cacheScope: 'public',
      tools: [],
      nextCursor: '',
      _meta: { x: 1 },
      odd: 1,
    }
    expect(adaptResult('tools/list', result, { from: MODERN, to: LEGACY })).toEqual({
      tools: [],
      nextCursor: '',
      _meta: { x: 1 },
      odd: 1,
    })
  })

  test('with an object keeps it', () => {
    const result = { content: [text('{"a":1}')], structuredContent: { a: 1 } }
    expect(call({ ...result, resultType: 'complete' }, MODERN, LEGACY)).toEqual(result)
  })

  test.each<[Json]>([[[1, 2]], ['text'], [0], [false], [null], [[]]])(
    'with %j has it wrapped, and said in a text',
    (value) => {
      expect(call({ resultType: 'complete', content: [], structuredContent: value }, MODERN, LEGACY)).toEqual({
        content: [text(JSON.stringify(value))],
        structuredContent: { result: value },
      })
    },
  )

  test('of a tool whose schema was wrapped is wrapped even where it is an object', () => {
    expect(call({ content: [text('{"a":1}')], structuredContent: { a: 1 } }, MODERN, LEGACY, true)).toEqual({
      content: [text('{"a":1}')],
      structuredContent: { result: { a: 1 } },
    })
  })

  test('without a structured part gets none, whatever the schema was', () => {
    expect(call({ resultType: 'complete', content: [], isError: true }, MODERN, LEGACY, true)).toEqual({
      content: [],
      isError: true,
    })
  })

  test('says its structure once more only where no text says that very thing', () => {
    const said = (content: Json[], value: Json = [1, { a: 'b' }]) =>
      call({ content, structuredContent: value }, MODERN, LEGACY)['content']
    const pretty = text(JSON.stringify([1, { a: 'b' }], null, 2))
    expect(said([text('Two things.'), pretty])).toEqual([text('Two things.'), pretty])
    expect(said([text('Two things.')])).toEqual([text('Two things.'), text('[1,{"a":"b"}]')])
    expect(said([text('[1, oops')])).toEqual([text('[1, oops'), text('[1,{"a":"b"}]')])
    expect(said([text('"x"')], 'x')).toEqual([text('"x"')])
    expect(said([{ type: 'image', data: 'x' }, { type: 'text' }, 5])).toHaveLength(4)
  })
})

describe('a result for a client before 2025-06-18', () => {
  const froms: readonly Revision[] = ['2025-06-18', LEGACY, MODERN]

  test('has no structured part, but the same as text', () => {
    for (const from of froms) {
      for (const to of OLD) {
        expect(call({ content: [], structuredContent: { a: [1] } }, from, to)).toEqual({ content: [text('{"a":[1]}')] })
        expect(call({ structuredContent: [1] }, from, to, true)).toEqual({ content: [text('[1]')] })
        expect(call({ structuredContent: null }, from, to)).toEqual({ content: [text('null')] })
      }
    }
  })

  test('has links to resources as their addresses', () => {
    for (const to of OLD) {
      const content = [{ type: 'resource_link', uri: 'file:///a', name: 'a' }, text('b')]
      expect(call({ content }, LEGACY, to)['content']).toEqual([text('file:///a'), text('b')])
      expect(call({ content: [{ type: 'resource_link' }] }, LEGACY, to)['content']).toEqual([text('')])
    }
  })

  test('has audio from 2025-03-26 on, and a note in its place before', () => {
    const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }
    expect(call({ content: [audio] }, LEGACY, '2025-03-26')['content']).toEqual([audio])
    const [note] = call({ content: [audio] }, LEGACY, '2024-11-05')['content'] as [JsonObject]
    expect(note['type']).toBe('text')
    expect(note['text']).toContain('audio/wav')
    expect(note['text']).not.toContain('AAAA')
    const [unknown] = call({ content: [{ type: 'audio' }] }, LEGACY, '2024-11-05')['content'] as [JsonObject]
    expect(unknown['text']).toContain('unknown type')
  })

  test('keeps kinds of content that it does know, and those that nobody knows', () => {
    const content = [
      { type: 'image', data: 'x', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'a:b', text: '' } },
      { type: 'constructor' },
      { type: '__proto__' },
      { odd: 1 },
      'odd',
      null,
    ]
    for (const to of OLD) expect(call({ content }, LEGACY, to)['content']).toEqual(content)
  })

  test('has simple content in prompts too', () => {
    const messages = [
      { role: 'user', content: { type: 'resource_link', uri: 'file:///a' } },
      { role: 'assistant', content: text('b') },
      { role: 'user' },
      'odd',
    ]
    for (const to of OLD) {
      expect(adaptResult('prompts/get', { description: 'd', messages }, { from: LEGACY, to })).toEqual({
        description: 'd',
        messages: [{ role: 'user', content: text('file:///a') }, ...messages.slice(1)],
      })
    }
  })

  test('of any other method passes', () => {
    const result = { contents: [{ uri: 'a:b', text: 'x' }], structuredContent: { a: 1 } }
    for (const to of OLD) expect(adaptResult('resources/read', result, { from: LEGACY, to })).toEqual(result)
  })
})

test('no result changes under whoever keeps it', () => {
  const result = {
    resultType: 'complete',
    content: [{ type: 'resource_link', uri: 'a:b' }],
    structuredContent: [1],
    messages: [{ content: text('a') }],
  }
  const before = structuredClone(result)
  for (const from of REVISIONS) {
    for (const to of REVISIONS)
      for (const method of ['tools/call', 'prompts/get', 'tools/list'])
        adaptResult(method, result, { from, to, wraps: true })
  }
  expect(result).toEqual(before)
})

describe('an error', () => {
  const cases: [name: string, method: string, code: number, from: Revision, to: Revision, becomes: number][] = [
    ['resource not found', 'resources/read', -32002, LEGACY, MODERN, -32602],
    ['the same of another method', 'tools/call', -32002, LEGACY, MODERN, -32603],
    ['the same within the legacy era', 'resources/read', -32002, LEGACY, '2024-11-05', -32002],
    ['resource not found', 'resources/read', -32602, MODERN, LEGACY, -32602],
    ['a url to open first', 'tools/call', -32042, LEGACY, MODERN, -32603],
    ['a url to open first', 'tools/call', -32042, LEGACY, '2025-11-25', -32042],
    ['a missing capability', 'tools/call', -32021, MODERN, LEGACY, -32603],
    ['a missing capability', 'tools/call', -32021, MODERN, MODERN, -32021],
    ['an unknown version of the other hop', 'tools/call', -32022, MODERN, LEGACY, -32603],
    ['a header of the other hop', 'tools/call', -32020, MODERN, LEGACY, -32603],
    ['the last of the reserved numbers', 'tools/call', -32099, LEGACY, MODERN, -32603],
    ['a number of the server itself', 'tools/call', -32001, LEGACY, MODERN, -32001],
    ['a number outside JSON-RPC', 'tools/call', 4711, MODERN, LEGACY, 4711],
    ['an unknown method', 'tools/call', -32601, LEGACY, MODERN, -32601],
    ['bad params', 'tools/call', -32602, MODERN, LEGACY, -32602],
    ['a parse error', 'tools/call', -32700, LEGACY, MODERN, -32700],
  ]
  test.each(cases)('that is %s (%s, %i, %s to %s) becomes %i', (_, method, code, from, to, becomes) => {
    const data = { uri: 'a:b', requiredCapabilities: {} }
    expect(adaptError(method, { code, message: 'm', data }, { from, to })).toEqual({
      code: becomes,
      message: 'm',
      data,
    })
  })
})
