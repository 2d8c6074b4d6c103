import { describe, expect, test } from 'vitest'
import { harmless, table } from './output.ts'

/** Sequences with which a server could control the reader's terminal. */
const STEERING = [
  '\u001b[2J',
  '\u001b[31m',
  '\u001b]0;title\u0007',
  '\u001b]8;;https://evil.example\u0007',
  '\u001b]52;c;ZXZpbA==\u0007',
  '\u001bc',
  '\u009b2J',
  '\u009d0;title\u009c',
  '\u0008\u0008\u0008',
  '\r',
  '\u0000',
  '\u007f',
]

describe('text of a server on a terminal', () => {
  test.each(STEERING.map((text) => [JSON.stringify(text), text]))('has no %s in it', (_, steering) => {
    const shown = harmless(`before${steering}after`)
    expect(shown).toMatch(/^before.*after$/)
    // eslint-disable-next-line no-control-regex -- control characters are exactly what is meant
    expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
    expect(table(['NAME'], [[`before${steering}after`]]).join()).toContain(shown)
  })

  test('shows what hides or turns text around, in tables too', () => {
    expect(harmless('safe\u202egnp.exe\u200b')).toBe('safe⟨U+202E⟩gnp.exe⟨U+200B⟩')
    expect(table(['NAME'], [['a\u2066b']]).join('\n')).toContain('a⟨U+2066⟩b')
  })

  test('keeps its lines and its words', () => {
    const text = 'Zürich:\n\t42 \u{1f600} 日本'
    expect(harmless(text)).toBe(text)
  })
})

describe('a table', () => {
  const rows = [
    ['docs', 'https://mcp.example.com/a/long/path/that/goes/on', 'ok'],
    ['a', 'b', 'c'],
  ]

  test('on a terminal fits the line: its widest columns are cut', () => {
    const lines = table(['NAME', 'ADDRESS', 'STATE'], rows, 40)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(lines[1]).toMatch(/^docs {2}https:\/\/mcp\.example\.com.*… {2}ok$/)
    // However narrow, something of each column stays.
    expect(table(['NAME', 'ADDRESS', 'STATE'], rows, 5)[1]).toMatch(/^docs {2}https:\/…/)
  })

  test('on a terminal shows whole ids, however narrow it is', () => {
    const id = '0199e0a2-7c1f-7b52-9d0e-5a4e8f6f0c11'
    const lines = table(['NAME', 'LAST USED', 'ID'], [['a name of more than eight', '2026-11-27 13:00', id]], 60)
    expect(lines[1]).toMatch(new RegExp(`^a name of… +2026-11.*… {2}${id}$`))
    expect(table(['NAME', 'ID'], [['a name of more than eight', id]], 20)[1]).toBe(`a name …  ${id}`)
  })

  test('elsewhere has whole values', () => {
    expect(table(['NAME', 'ADDRESS', 'STATE'], rows, undefined)[1]).toContain('/that/goes/on  ok')
  })
})
