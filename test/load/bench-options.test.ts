import { describe, expect, test } from 'vitest'
import { BYTES_RATE } from './counts/counts.ts'
import { LOADS } from './open-loop.ts'
import { readOptions, TARGETS } from './bench-options.ts'

const STARTING_SECONDS = 15
/** Counts are bounded in calls: at their fixed rate they have a time, the others are fast. */
const seconds = ({ plan, targets }: ReturnType<typeof readOptions>) =>
  targets.length * (plan.warmupSeconds + plan.connections.length * plan.rounds * plan.roundSeconds) +
  3 * Object.keys(LOADS).length * plan.open.rounds * plan.open.seconds +
  (3 * plan.counts.rounds * plan.counts.offeredCalls) / BYTES_RATE

describe('the bench', () => {
  test('measures every target by default and ends within four minutes, the short form within one', () => {
    expect(readOptions([]).targets).toEqual(TARGETS)
    expect(seconds(readOptions([]))).toBeLessThanOrEqual(240 - STARTING_SECONDS)
    const short = readOptions(['--quick'])
    expect(short.targets).toEqual(['direct', 'raw', 'gateway'])
    expect(seconds(short)).toBeLessThanOrEqual(65 - STARTING_SECONDS)
  })

  test('measures only the targets it is told, once each, in its own order', () => {
    expect(readOptions(['--target', 'sdk,raw', '--target', 'raw']).targets).toEqual(['raw', 'sdk'])
  })

  test('leaves out only what it is told to', () => {
    expect(readOptions([])).toMatchObject({ countsOnly: false, more: true })
    expect(readOptions(['--counts'])).toMatchObject({ countsOnly: true, targets: TARGETS })
    expect(readOptions(['--quick', '--target', 'sdk'])).toMatchObject({ more: false, targets: ['sdk'] })
  })

  test('measures growth only where it is told to, with as many records as it is told', () => {
    expect(readOptions([]).growth).toBeUndefined()
    expect(readOptions(['--growth']).growth).toEqual({ records: 1_000_000 })
    expect(readOptions(['--growth', '--records', '5000']).growth).toEqual({ records: 5_000 })
    expect(() => readOptions(['--growth', '--records', 'many'])).toThrow('--records many')
  })

  test('with peers measures rounds only, also in the short form, and only what is named', () => {
    expect(readOptions(['--peers'])).toMatchObject({ peers: true, more: false, countsOnly: false })
    expect(readOptions(['--peers', '--quick']).targets).toEqual(readOptions(['--peers']).targets)
    expect(readOptions(['--peers', '--target', 'mcp-hub']).targets).toEqual(['mcp-hub'])
    expect(readOptions([]).targets).not.toContain('mcp-hub')
    expect(() => readOptions(['--peers', '--counts'])).toThrow('exclude each other')
  })

  test('has a gateway beside a company only where it is named, and leaves the usual targets as they are', () => {
    expect(readOptions(['--target', 'town,gateway']).targets).toEqual(['gateway', 'town'])
    for (const words of [[], ['--quick'], ['--peers'], ['--counts']])
      expect(readOptions(words).targets.filter((name) => name.startsWith('town'))).toEqual([])
  })

  test('measures processes, and what size costs, only where it is told to', () => {
    expect(readOptions([])).toMatchObject({ processes: false, growth: undefined })
    expect(readOptions(['--processes'])).toMatchObject({ processes: true })
  })

  test('refuses what it does not know', () => {
    expect(() => readOptions(['--target', 'moon'])).toThrow("no target 'moon'")
    expect(() => readOptions(['--fast'])).toThrow('--fast')
  })
})
