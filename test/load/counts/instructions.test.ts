import { describe, expect, test } from 'vitest'
import { readPerf } from './instructions.ts'

describe('what perf says', () => {
  test('is a count', () => {
    expect(readPerf('\n48213377,,instructions:u,1002113,100.00,,\n')).toBe(48_213_377)
  })

  test('is a reason where there is no counter, or it is not allowed', () => {
    expect(readPerf('<not supported>,,instructions:u,0,100.00,,\n')).toBe('not supported')
    expect(readPerf('<not counted>,,instructions:u,0,0.00,,\n')).toBe('not counted')
    expect(readPerf('Error:\nNo permission to enable instructions:u event.\n')).toBe(
      'No permission to enable instructions:u event.',
    )
    expect(readPerf('')).toBe('perf says nothing')
  })
})
