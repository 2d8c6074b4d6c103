import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffLines } from './line-diff.ts'

const plainly = { context: 3, ignoreSpace: false }

describe('comparing two texts', () => {
  test('shows a changed line with its context as diff -u does', () => {
    expect(diffLines('a\nb\nc\nd\n', 'a\nB\nc\nd\n', { context: 1, ignoreSpace: false })).toEqual({
      identical: false,
      added: 1,
      removed: 1,
      unchanged: 3,
      unified: '--- before\n+++ after\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n',
    })
  })

  test('of which one is empty, names line zero', () => {
    expect(diffLines('', 'x\n', plainly).unified).toBe('--- before\n+++ after\n@@ -0,0 +1 @@\n+x\n')
    expect(diffLines('x\n', '', plainly).unified).toBe('--- before\n+++ after\n@@ -1 +0,0 @@\n-x\n')
  })

  test('that are the same has nothing to show', () => {
    expect(diffLines('same\n', 'same\n', plainly)).toMatchObject({ identical: true, unified: '', unchanged: 1 })
  })

  test('sees a missing newline at the end', () => {
    expect(diffLines('x', 'x\n', plainly).unified).toBe(
      '--- before\n+++ after\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n',
    )
  })

  test('writes far changes as hunks of their own', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const changed = lines.with(1, 'first').with(18, 'last')
    const { unified } = diffLines(lines.join('\n') + '\n', changed.join('\n') + '\n', {
      context: 1,
      ignoreSpace: false,
    })
    expect(unified.match(/^@@ .* @@$/gm)).toEqual(['@@ -1,3 +1,3 @@', '@@ -18,3 +18,3 @@'])
  })

  test('can overlook white space', () => {
    expect(diffLines('a  b\n\tc\n', ' a b\nc', { context: 3, ignoreSpace: true }).identical).toBe(true)
  })

  test('with too many lines is refused', () => {
    expect(() => diffLines('\n'.repeat(2_001), '', plainly)).toThrow('at most 2000 lines; these have 2001 and 0')
  })

  test('leads from one text to the other, whatever they are', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { unified, identical } = diffLines(before, after, { context: 50, ignoreSpace: false })
        if (identical) return before === after
        const body = unified.split('\n').slice(3, -1)
        const side = (other: string) =>
          body
            .filter((line) => line[0] !== other)
            .map((line) => `${line.slice(1)}\n`)
            .join('')
        return side('+') === before && side('-') === after
      }),
    )
  })
})
