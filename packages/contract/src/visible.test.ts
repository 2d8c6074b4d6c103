import { describe, expect, test } from 'vitest'
import { visible, visibleJson, visibleText } from './visible.ts'

const HIDING = 'b\u202ec\u00add\ufe0f\u200b\u{e0041}'
const SHOWN = 'b⟨U+202E⟩c⟨U+00AD⟩d⟨U+FE0F⟩⟨U+200B⟩⟨U+E0041⟩'

describe('text of a server', () => {
  test('shows what joins, hides or turns text around', () => {
    expect(visible(`a\n${HIDING}`)).toBe(`a⟨U+000A⟩${SHOWN}`)
  })

  test('of several lines keeps their ends and its tabs, whichever system wrote it', () => {
    expect(visibleText(`a\r\n\t${HIDING}\n\u0007`)).toBe(`a\n\t${SHOWN}\n⟨U+0007⟩`)
  })

  test('as JSON is the same value, written without what a terminal would not show', () => {
    const value = { text: `${HIDING}\u009b2J \u{1f600} ü`, lines: 'a\nb' }
    const json = visibleJson(JSON.stringify(value, null, 2))
    expect(JSON.parse(json)).toEqual(value)
    expect(json).not.toMatch(/\u202e|\u200b|\u009b|\u{e0041}/u)
    expect(json).toContain('\u{1f600} ü')
    expect(json.split('\n')).toHaveLength(4)
  })
})
