import { expect, test } from 'vitest'
import { isMissed, percentRoundedDown, time } from './level-words.ts'

test('a share is never rounded up, and a span without a call has none', () => {
  expect([
    percentRoundedDown(100),
    percentRoundedDown(99.9999),
    percentRoundedDown(99.5),
    percentRoundedDown(-300.5, 0),
    percentRoundedDown(null),
  ]).toEqual(['100%', '99.99%', '99.5%', '-301%', '–'])
  expect(time(null)).toBe('–')
  expect([
    isMissed({ availability: 99.4 }, 99.5),
    isMissed({ availability: 99.5 }, 99.5),
    isMissed({ availability: null }, 99.5),
  ]).toEqual([true, false, false])
})
