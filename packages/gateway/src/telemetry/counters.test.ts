import { expect, test } from 'vitest'
import { errorLabelOf } from './counters.ts'
import { knownMethodOf } from './request-counters.ts'

test('methods and error codes of others share one label each, however many they make up', () => {
  const made = Array.from({ length: 1_000 }, (_, number) => number)
  expect(new Set(made.map((number) => knownMethodOf(`acme/method${number}`)))).toEqual(new Set(['other']))
  expect(new Set(made.map((number) => errorLabelOf(number - 40_000)))).toEqual(new Set(['_OTHER']))
  expect([knownMethodOf('tools/call'), errorLabelOf(-32_602), errorLabelOf('-32602'), errorLabelOf(null)]).toEqual([
    'tools/call',
    '-32602',
    '_OTHER',
    '_OTHER',
  ])
})
