import { describe, expect, test } from 'vitest'
import { foldLines, whatChanged } from './connection-change-words.ts'

const schema = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })
const words = (before: object | null, after: object) =>
  whatChanged(before as Record<string, unknown> | null, after as Record<string, unknown>).map(({ what }) => what)

describe('what a change comes down to', () => {
  test('names each input that came, went, or is asked for now', () => {
    const before = { name: 'x', inputSchema: schema({ a: { type: 'string' }, b: {}, c: {} }, ['c']) }
    const after = { name: 'x', inputSchema: schema({ a: { type: 'number' }, c: {}, d: {}, e: {} }, ['a', 'd']) }
    expect(words(before, after)).toEqual([
      'Input a is now required',
      'Input a changed',
      'Input b removed',
      'Input c is now optional',
      'New required input d',
      'New optional input e',
    ])
  })

  test('says texts with what nobody sees in them, and what it has no words for by its name', () => {
    const [text, ...rest] = whatChanged(
      { description: 'Reads.' },
      { description: 'Reads.\u200b Sends.', _meta: { x: 1 } },
    )
    expect(text).toEqual({
      what: 'Description changed',
      before: 'Reads.',
      after: 'Reads.⟨U+200B⟩ Sends.',
    })
    expect(rest).toMatchObject([{ what: '_meta changed', after: '{"x":1}' }])
  })

  test('is nothing where only the order of names changed, and something where a schema is in no property', () => {
    expect(words({ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } })).toEqual([])
    expect(words({ inputSchema: schema({}) }, { inputSchema: { ...schema({}), additionalProperties: false } })).toEqual(
      ['Input schema changed'],
    )
    expect(words({ annotations: { readOnlyHint: true } }, { annotations: {} })).toEqual([
      'Annotation changed: readOnlyHint',
    ])
  })
})

test('lines that stayed are folded where no change is near', () => {
  const lines = [...'sssscsssss'].map((kind) => ({ kind: kind === 's' ? 'same' : 'added' }))
  expect(foldLines(lines).map(({ from, lines: some, folded }) => [from, some.length, folded])).toEqual([
    [0, 2, true],
    [2, 5, false],
    [7, 3, true],
  ])
})
