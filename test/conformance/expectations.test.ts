import { describe, expect, test } from 'vitest'
import { judge, readExpected } from './expectations.ts'
import { isRequired, listSuites } from './suites.ts'
import type { ScenarioOutcome } from './suite-run.ts'

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
    const { unexpected, stale } = judge(outcomes, ['ping', 'caching:ttl'])
    expect(unexpected.map(({ check }) => check)).toEqual(['scope'])
    expect(stale).toEqual([])
  })

  test('are stale once what they name passes', () => {
    const { unexpected, stale } = judge([outcome('ping', []), outcome('caching', ['scope'])], ['ping', 'caching:ttl'])
    expect(stale).toEqual(['ping', 'caching:ttl'])
    expect(unexpected).toHaveLength(1)
  })

  test('are left alone while their scenario does not run', () => {
    expect(judge([outcome('ping', [])], ['caching'])).toEqual({ unexpected: [], stale: [] })
  })

  test('are not asked about scenarios that nothing requires', () => {
    expect(judge([outcome('tasks-lifecycle', ['task'], false)], []).unexpected).toEqual([])
  })

  test('are none where client and upstream speak the same revision', () => {
    const { direct, gateway } = readExpected()
    expect([direct ?? {}, gateway ?? {}]).toEqual([{}, {}])
  })
})

describe('the suites', () => {
  test('require what the frozen lists of the revisions name', () => {
    const counts = listSuites().map(({ name, requires }) => [
      name,
      Array.isArray(requires) ? requires.length : requires,
    ])
    expect(counts).toEqual([
      ['0.1.16-active', 'every'],
      ['0.1.16-all', 'every'],
      ['2025-11-25', 30],
      ['2026-07-28', 37],
      ['extensions', 12],
    ])
  })

  test('run some scenarios without requiring them', () => {
    const modern = listSuites().find(({ name }) => name === '2026-07-28')
    expect(modern).toBeDefined()
    expect(modern && isRequired(modern, 'http-header-validation')).toBe(false)
    expect(modern && isRequired(modern, 'caching')).toBe(true)
  })
})
