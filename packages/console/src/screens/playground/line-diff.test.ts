import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

const said = (left: string, right: string) =>
  lineDiff(left, right)
    .map(({ side, text }) => `${side === 'both' ? ' ' : side === 'left' ? '-' : '+'}${text}`)
    .join('|')

test('two texts are told apart line by line', () => {
  expect(said('a\nb\nc', 'a\nb\nc')).toBe(' a| b| c')
  expect(said('a\nb\nc', 'a\nx\nc')).toBe(' a|-b|+x| c')
  expect(said('a\nc', 'a\nb\nc\nd')).toBe(' a|+b| c|+d')
  expect(said('', 'a')).toBe('-|+a')
})

test('very long ones end, too', () => {
  const long = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word} ${at}`).join('\n')
  expect(lineDiff(long('a'), long('b'))).toHaveLength(10_000)
})
