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
      'The input a has to be given now',
      'The input a is another',
      'The input b is gone',
      'The input c may be left out now',
      'New input d, which has to be given',
      'New optional input e',
    ])
  })

  test('says texts with what nobody sees in them, and what it has no words for by its name', () => {
    const [text, ...rest] = whatChanged(
      { description: 'Reads.' },
      { description: 'Reads.\u200b Sends.', _meta: { x: 1 } },
    )
    expect(text).toEqual({
      what: 'The description is another',
      before: 'Reads.',
      after: 'Reads.⟨U+200B⟩ Sends.',
    })
    expect(rest).toMatchObject([{ what: '_meta is another', after: '{"x":1}' }])
  })

  test('is nothing where only the order of names is another, and something where a schema is in no property', () => {
    expect(words({ a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } })).toEqual([])
    expect(words({ inputSchema: schema({}) }, { inputSchema: { ...schema({}), additionalProperties: false } })).toEqual(
      ['What it takes has another form'],
    )
    expect(words({ annotations: { readOnlyHint: true } }, { annotations: {} })).toEqual([
      'What it says of itself: readOnlyHint',
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
