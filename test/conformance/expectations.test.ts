import { describe, expect, test } from 'vitest'
import { evaluate, readExpected } from './expectations.ts'
import { absent, weigh, type ScenarioOutcome } from './outcomes.ts'
import { listSuites } from './suites.ts'

const outcome = (scenario: string, failing: string[], required = true): ScenarioOutcome => ({
  scenario,
  required,
  passed: failing.length === 0,
  succeeded: 1,
  failures: failing.map((check) => ({ scenario, check, message: 'no' })),
  warnings: [],
})

describe('the expected failures', () => {
  test('cover a whole scenario or one check of it, and nothing else', () => {
    const outcomes = [outcome('ping', ['ping']), outcome('caching', ['ttl', 'scope'])]
    const { unexpected, stale } = evaluate(outcomes, ['ping', 'caching:ttl'])
    expect(unexpected.map(({ check }) => check)).toEqual(['scope'])
    expect(stale).toEqual([])
  })

  test('are stale once what they name passes', () => {
    const { unexpected, stale } = evaluate(
      [outcome('ping', []), outcome('caching', ['scope'])],
      ['ping', 'caching:ttl'],
    )
    expect(stale).toEqual(['ping', 'caching:ttl'])
    expect(unexpected).toHaveLength(1)
  })

  test('are left alone while their scenario does not run', () => {
    expect(evaluate([outcome('ping', [])], ['caching'])).toEqual({ unexpected: [], stale: [] })
  })

  test('are not asked about scenarios that nothing requires', () => {
    expect(evaluate([outcome('tasks-lifecycle', ['task'], false)], []).unexpected).toEqual([])
  })

  test('cover no scenario that was not looked at', () => {
    const skipped = weigh('caching', true, [{ id: 'ttl', status: 'SKIPPED' }])
    expect(skipped.passed).toBe(false)
    expect(weigh('server-sse-polling', true, []).passed).toBe(true)
    const { unexpected } = evaluate([absent('ping'), skipped], ['ping', 'caching'])
    expect(unexpected.map(({ scenario, check }) => [scenario, check])).toEqual([
      ['ping', 'absent'],
      ['caching', 'nothing'],
    ])
  })

  test('are none where client and upstream speak the same revision', () => {
    const { direct, gateway } = readExpected()
    expect([direct ?? {}, gateway ?? {}]).toEqual([{}, {}])
  })

  test('are none of the newer suites where the gateway is the client', () => {
    const { client, 'client-legacy': legacy } = readExpected()
    for (const suites of [client, legacy]) expect(Object.keys(suites ?? {})).toEqual(['0.1.16'])
  })
})

describe('the suites', () => {
  test('require what their own lists name, no scenario less', () => {
    const counts = (leg: 'server' | 'client') => listSuites(leg).map(({ name, requires }) => [name, requires.length])
    expect(counts('server')).toEqual([
      ['0.1.16', 32],
      ['2025-11-25', 30],
      ['2026-07-28', 37],
      ['extensions', 12],
    ])
    expect(counts('client')).toEqual([
      ['0.1.16', 23],
      ['2025-11-25', 18],
      ['2026-07-28', 32],
      ['2025-03-26', 2],
    ])
  })

  test('run some scenarios without requiring them', () => {
    const modern = listSuites('server').find(({ name }) => name === '2026-07-28')
    expect(modern?.reports).toContain('http-header-validation')
    expect(modern?.requires).toContain('caching')
    expect(modern?.requires).not.toContain('http-header-validation')
  })
})
