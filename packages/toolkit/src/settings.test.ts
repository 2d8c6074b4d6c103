import { expect, test } from 'vitest'
import { readSettings } from './settings.ts'

test('sizes have defaults, and one that does not fit stops the start and is named', () => {
  expect(readSettings([], {})).toMatchObject({ message: 67_108_864, text: 16_777_216 })
  const given = ['--max-message', '1024', '--max-text', '67108864']
  expect(readSettings(given, {})).toMatchObject({ message: 1_024, text: 67_108_864 })
  for (const option of ['--max-message', '--max-text'])
    for (const value of ['1023', '67108865', '2e4', '', 'many'])
      expect(() => readSettings([option, value], {}), `${option} ${value}`).toThrow(
        `${option} must be 1024 to 67108864`,
      )
})
