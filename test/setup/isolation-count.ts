/**
 * Reports the comparisons and leaks of the isolation suite in one line at the end of a run, the sum over all tests that report
 * figures (test/isolation/tally.ts).
 */
import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

export default class IsolationCount implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const sum = { checks: 0, leaks: 0 }
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { checks = 0, leaks = 0 } = test.meta().isolation ?? {}
        sum.checks += checks
        sum.leaks += leaks
      }
    }
    if (sum.checks > 0) writeFileSync('.reports/isolation.json', `${JSON.stringify(sum)}\n`)
    if (sum.checks > 0) process.stdout.write(`isolation: ${sum.checks} checks, ${sum.leaks} leaks\n`)
  }
}
