import { hasHidden, visible } from '@toolway/contract'
import fc from 'fast-check'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { alike } from './compare-texts.ts'
import { differenceOf, type DifferenceLine } from './difference.ts'

const SIGNS = { same: ' ', removed: '-', added: '+' } as const
const drawn = (lines: readonly DifferenceLine[]) => lines.map(({ kind, text }) => `${SIGNS[kind]} ${text}`)
const marked = (lines: readonly DifferenceLine[]) =>
  lines.flatMap(({ kind, text, marks }) => marks.map(([from, to]) => `${SIGNS[kind]}${text.slice(from, to)}`))

describe('the difference of two definitions', () => {
  test('is read line by line, whatever the order of their members, with the words that changed', () => {
    const before: JsonObject = { name: 'a', description: 'Reads a file.', inputSchema: { type: 'object' } }
    const after: JsonObject = { inputSchema: { type: 'object' }, description: 'Reads a secret file.', name: 'a' }
    const lines = differenceOf(before, after)
    expect(drawn(lines)).toEqual([
      '  {',
      '-   "description": "Reads a file."',
      '+   "description": "Reads a secret file."',
      '    "inputSchema": {',
      '      "type": "object"',
      '    }',
      '    "name": "a"',
      '  }',
    ])
    expect(marked(lines)).toEqual(['+secret '])
  })

  test('shows a text of several lines as such', () => {
    const lines = differenceOf({ d: 'One.\nTwo.\nThree.' }, { d: 'One.\n2.\nThree.' })
    expect(drawn(lines)).toEqual([
      '  {',
      '    "d":',
      '      "One.\\n"',
      '-     "Two.\\n"',
      '+     "2.\\n"',
      '      "Three."',
      '  }',
    ])
  })

  test('of a tool that is new is all of it', () => {
    expect(drawn(differenceOf(undefined, { name: 'a' }))).toEqual(['+ {', '+   "name": "a"', '+ }'])
  })

  test('shows what is hidden, and marks it', () => {
    const lines = differenceOf({ d: 'Adds.' }, { d: 'Adds.\u200b\u202e\u{E0041}' })
    expect(marked(lines)).toEqual(['+⟨U+200B⟩⟨U+202E⟩⟨U+E0041⟩'])
  })

  test('of what is too long to compare is all of both', () => {
    const long = (word: string) => ({ list: Array.from({ length: 2_100 }, (_, at) => `${word}${at}`) })
    const lines = differenceOf(long('a'), long('b'))
    expect(lines.filter(({ kind }) => kind === 'removed')).toHaveLength(2_100)
    expect(lines.filter(({ kind }) => kind === 'added')).toHaveLength(2_100)
  })

  test('leads from the one to the other', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const steps = alike(before, after)
        const without = (kind: string) => steps.filter((step) => step.kind !== kind).map(({ text }) => text)
        expect(without('added')).toEqual(before)
        expect(without('removed')).toEqual(after)
      }),
    )
  })
})

test.each([
  ['a zero-width space', '\u200b', '⟨U+200B⟩'],
  ['a zero-width joiner', '\u200d', '⟨U+200D⟩'],
  ['a turn of direction', '\u202e', '⟨U+202E⟩'],
  ['an isolate', '\u2066', '⟨U+2066⟩'],
  ['a tag', '\u{e0041}', '⟨U+E0041⟩'],
  ['a variation selector', '\u{e0100}', '⟨U+E0100⟩'],
  ['a soft hyphen', '\u00ad', '⟨U+00AD⟩'],
  ['a filler', '\u3164', '⟨U+3164⟩'],
  ['a space that does not break', '\u00a0', '⟨U+00A0⟩'],
  ['a byte order mark', '\ufeff', '⟨U+FEFF⟩'],
  ['an escape of terminals', '\u001b', '⟨U+001B⟩'],
  ['a private character', '\ue000', '⟨U+E000⟩'],
])('%s is made visible', (_, hidden, shown) => {
  expect(visible(`a${hidden}b c`)).toBe(`a${shown}b c`)
  expect(hasHidden(`a${hidden}`)).toBe(true)
})

test('what the eye sees stays as it is', () => {
  for (const text of ['plain text', 'Größe – 漢字 – עברית – عربى', '😀 👍🏽'])
    expect([visible(text), hasHidden(text)]).toEqual([text, false])
})
