import { describe, expect, test } from 'vitest'
import { readOptions, TARGETS } from './bench-options.ts'

const STARTING_SECONDS = 15
const seconds = ({ plan, targets }: ReturnType<typeof readOptions>) =>
  targets.length * (plan.warmupSeconds + plan.connections.length * plan.rounds * plan.roundSeconds)

describe('the bench', () => {
  test('measures every target by default and ends within two minutes', () => {
    expect(readOptions([]).targets).toEqual(TARGETS)
    expect(seconds(readOptions([]))).toBeLessThanOrEqual(120 - STARTING_SECONDS)
    expect(seconds(readOptions(['--quick']))).toBeLessThanOrEqual(40 - STARTING_SECONDS)
  })

  test('measures only the targets it is told, once each, in its own order', () => {
    expect(readOptions(['--target', 'sdk,raw', '--target', 'raw']).targets).toEqual(['raw', 'sdk'])
  })

  test('refuses what it does not know', () => {
    expect(() => readOptions(['--target', 'moon'])).toThrow("no target 'moon'")
    expect(() => readOptions(['--fast'])).toThrow('--fast')
  })
})
