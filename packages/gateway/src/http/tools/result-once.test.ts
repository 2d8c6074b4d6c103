/** The answer of the OpenAPI door to a model: the data once. */
import { expect, test } from 'vitest'
import { bareArguments, restArguments } from './ask-tools.ts'
import { resultOnce } from './result-once.ts'

const text = (said: string) => ({ type: 'text', text: said })
const DATA = { hits: [{ id: 1 }] }
const META = { 'dev.toolway/fault': { code: 'INVALID_ARGUMENT', fault: 'arguments.invalid', detail: 'No such facet.' } }

test.each([
  [
    'data that is repeated as text',
    { content: [text(JSON.stringify(DATA))], structuredContent: DATA },
    { structuredContent: DATA },
  ],
  [
    'data that is repeated as text with blanks, and facts for programs',
    { content: [text(JSON.stringify(DATA, null, 2))], structuredContent: DATA, _meta: { x: 1 } },
    { structuredContent: DATA },
  ],
  [
    'a list that is wrapped for its text',
    { content: [text('[1]')], structuredContent: { result: [1] } },
    { structuredContent: { result: [1] } },
  ],
  ['text alone', { content: [text('done')], isError: false }, { content: [text('done')] }],
  [
    'text that says something else than the data',
    { content: [text('3 hits'), text(JSON.stringify(DATA))], structuredContent: DATA },
    { structuredContent: DATA, content: [text('3 hits')] },
  ],
  [
    'a refusal',
    { content: [text('No such facet.')], isError: true, _meta: META },
    { content: [text('No such facet.')], isError: true, code: 'arguments.invalid' },
  ],
  ['a failure of the tool', { content: [text('no')], isError: true }, { content: [text('no')], isError: true }],
  [
    'a failure of the tool that writes a code where ours stands',
    { content: [text('no')], isError: true, code: 'policy.blocked' },
    { content: [text('no')], isError: true },
  ],
  ['nothing', {}, { content: [] }],
])('%s is answered once', (_, result, once) => {
  expect(resultOnce(result as never)).toEqual(once)
})

test.each([
  [{ arguments: { a: 1 } }, { a: 1 }, { a: 1 }, { arguments: { a: 1 } }],
  [{ a: 1 }, { a: 1 }, { a: 1 }, { a: 1 }],
  [{}, {}, {}, {}],
  [
    { name: 'x', arguments: { a: 1 } },
    { a: 1 },
    { name: 'x', arguments: { a: 1 } },
    { name: 'x', arguments: { a: 1 } },
  ],
  [{ arguments: 'text' }, { arguments: 'text' }, { arguments: 'text' }, { arguments: 'text' }],
  [
    { arguments: { arguments: { b: 2 } } },
    { arguments: { b: 2 } },
    { arguments: { b: 2 } },
    { arguments: { arguments: { b: 2 } } },
  ],
  [{ arguments: null }, {}, { arguments: null }, { arguments: null }],
])('a body %j is read as documented at each address', (body, rest, bare, own) => {
  expect(restArguments(body as never)).toEqual(rest)
  expect(bareArguments(body as never, false)).toEqual(bare)
  expect(bareArguments(body as never, true)).toEqual(own)
})
