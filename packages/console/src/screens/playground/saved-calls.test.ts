import { expect, test } from 'vitest'
import { readCalls, withCall, type SavedCall } from './saved-calls.ts'

const call = (tool: string, args?: string): SavedCall => ({ place: 'all', tool, args, era: 'modern' })

test('the newest is first, the same is there once, and fifty are kept', () => {
  const [one, two] = [call('one'), call('two', '{"a":1}')]
  expect(withCall([one], two)).toEqual([two, one])
  expect(withCall([two, one], one)).toEqual([one, two])
  const many = Array.from({ length: 60 }, (_, number) => call(`t${number}`)).reduce(withCall, [] as SavedCall[])
  expect([many.length, many[0]?.tool]).toEqual([50, 't59'])
})

test('what cannot be read, or is no call, is as if it was not saved', () => {
  expect(readCalls(null)).toEqual([])
  expect(readCalls('{')).toEqual([])
  expect(readCalls(JSON.stringify([call('one'), { tool: 'x' }, 3]))).toEqual([call('one')])
})
