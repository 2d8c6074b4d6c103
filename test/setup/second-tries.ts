/**
 * Which tests passed only on their second try? In CI each failed test is run once more, because one disturbed process among
 * thousands must not hide what the others say; but it is told here by name, and is a fault to be mended.
 */
import type { Reporter, TestModule } from 'vitest/node'

export default class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('passed')) {
        const name = `${module.relativeModuleId} > ${test.fullName}`
        if (test.diagnostic()?.flaky !== true) continue
        const [first] = test.result().errors ?? []
        process.stderr.write(
          `passed only on its second try: ${name}\n  ${first?.stack ?? 'its first error is not known'}\n`,
        )
      }
    }
  }
}
