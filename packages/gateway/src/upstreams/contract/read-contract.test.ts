import { expect, test } from 'vitest'
import { readContract } from './read-contract.ts'

test('a broken contract is told all that it lacks, so that it is mended at once', () => {
  const read = readContract({ name: 'search' })
  expect(read).toEqual({
    problem: expect.stringMatching(/^\/description is missing; \/category is missing; \/input_schema /),
  })
  expect(readContract({ name: 7, description: 'x' })).toEqual({
    problem: expect.stringMatching(/\/name .*; \/category is missing/),
  })
})
