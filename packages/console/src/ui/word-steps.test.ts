import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordSteps } from './word-steps.ts'

test('two texts are told by what stays, goes and comes', () => {
  expect(wordSteps('Reads one file. ', 'Reads any file. ')).toEqual([
    { kind: 'same', text: 'Reads ' },
    { kind: 'removed', text: 'one ' },
    { kind: 'added', text: 'any ' },
    { kind: 'same', text: 'file. ' },
  ])
  expect(wordSteps('', '')).toEqual([])
})

test('both texts can be read out of it', () => {
  const text = fc.array(fc.constantFrom('a', 'b', ' ', '\n', 'word '), { maxLength: 30 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const steps = wordSteps(before, after)
      const without = (kind: string) => steps.map((step) => (step.kind === kind ? '' : step.text)).join('')
      expect(without('added')).toBe(before)
      expect(without('removed')).toBe(after)
    }),
  )
})
