/**
 * Reporter of the tests that passed only on their second try. CI runs a failed test once more, because one disturbed process among
 * thousands must not hide what the others say. Each of them is a fault to be mended, and is printed with its first error.
 */
import type { Reporter, TestModule } from 'vitest/node'

export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let count = 0
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        const name = `${module.relativeModuleId} > ${test.fullName}`
        if (test.diagnostic()?.flaky !== true) continue
        count += 1
        const [first] = test.result().errors ?? []
        process.stderr.write(
          `passed only on its second try: ${name}\n  ${first?.stack ?? 'its first error is not known'}\n`,
        )
      }
    }
    if (process.env['CI'] === 'true') process.stderr.write(`second tries: ${count}\n`)
  }
}
