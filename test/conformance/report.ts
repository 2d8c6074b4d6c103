/**
 * Reports a run as one JSON document for programs and one plain table for readers.
 *
 * Only required scenarios are counted in the figures; scenarios that a suite runs without scoring are listed beside them.
 */
import type { Verdict } from './expectations.ts'
import { unseen } from './outcomes.ts'
import type { Failure, ScenarioOutcome } from './outcomes.ts'
import type { Suite } from './suites.ts'

/** Figures of one suite on one path. */
export interface SuiteReport {
  scenarios: { passed: number; total: number }
  checks: { passed: number; total: number }
  /** Failed checks of required scenarios, expected ones included. */
  failed: Failure[]
  unexpected: Failure[]
  stale: string[]
  warnings: Failure[]
  notScored: { passed: number; total: number; failed: string[] }
}

/** path -> suite -> figures */
export interface Report {
  paths: Record<string, Record<string, SuiteReport>>
}

/** Counts one suite. A scenario that decides nothing is counted when it alone was run, so that its figures say something. */
export function summarize(suite: Suite, outcomes: readonly ScenarioOutcome[], verdict: Verdict): SuiteReport {
  const required = outcomes.filter((outcome) => outcome.required)
  const counted = required.length > 0 ? required : outcomes
  const rest = outcomes.filter((outcome) => !counted.includes(outcome))
  const failed = counted.flatMap(({ failures }) => failures)
  const passed = counted.reduce((sum, { succeeded }) => sum + succeeded, 0)
  return {
    scenarios: { passed: counted.filter((outcome) => outcome.passed).length, total: counted.length },
    checks: { passed, total: passed + failed.length },
    failed,
    unexpected: verdict.unexpected,
    stale: verdict.stale,
    warnings: outcomes.flatMap(({ warnings }) => warnings),
    notScored: {
      passed: rest.filter((outcome) => outcome.passed).length,
      total: rest.length,
      failed: rest.filter(({ failures }) => failures.length > 0).map(({ scenario }) => scenario),
    },
  }
}

/** The figures of a suite that could not be run at all: nothing passed, for one reason. */
export function notRun({ name, requires }: Suite, reason: string): SuiteReport {
  const failure = unseen(name, 'not-run', reason)
  const total = requires.length
  return {
    scenarios: { passed: 0, total },
    checks: { passed: 0, total: 1 },
    failed: [failure],
    unexpected: [failure],
    stale: [],
    warnings: [],
    notScored: { passed: 0, total: 0, failed: [] },
  }
}

/** Whether nothing unexpected failed and no entry is stale. */
export function isGreen(report: Report): boolean {
  return everySuite(report).every(({ suite }) => suite.unexpected.length === 0 && suite.stale.length === 0)
}

/** The table, and below it only what needs attention. */
export function printTable(report: Report): string {
  const rows = everySuite(report).map(({ path, name, suite }) => [
    path,
    name,
    ratio(suite.scenarios),
    ratio(suite.checks),
    suite.notScored.total === 0 ? '' : ratio(suite.notScored),
    suite.warnings.length === 0 ? '' : String(suite.warnings.length),
  ])
  const head = ['path', 'suite', 'scenarios', 'checks', 'not scored', 'warnings']
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(head), ...rows.map(line), ...remarks(report)].join('\n')
}

function remarks(report: Report): string[] {
  return everySuite(report).flatMap(({ path, name, suite }) => {
    const where = `${path} · ${name} ·`
    const fails = suite.failed.map(({ scenario, check, message }) => {
      const mark = suite.unexpected.some((other) => other.scenario === scenario && other.check === check) ? '✗' : '~'
      return `${mark} ${where} ${scenario}:${check}  ${message.slice(0, 300)}`
    })
    const stale = suite.stale.map((entry) => `✗ ${where} ${entry} is listed as an expected failure and passes`)
    const rest =
      suite.notScored.failed.length === 0 ? [] : [`  ${where} not scored: ${suite.notScored.failed.join(', ')}`]
    return [...fails, ...stale, ...rest]
  })
}

function everySuite({ paths }: Report) {
  return Object.entries(paths).flatMap(([path, suites]) =>
    Object.entries(suites).map(([name, suite]) => ({ path, name, suite })),
  )
}

const ratio = ({ passed, total }: { passed: number; total: number }) => `${passed}/${total}`
