/** How much was compared, and what of it got out. Each test hands its figures on; their sum is printed when all have run. */
import { expect, type TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    isolation?: { checks: number; leaks: number }
  }
}

export interface Tally {
  /** One comparison; `leak` says what is wrong, where it is. */
  check(isRight: boolean, leak: string): void
  /** Hand on the figures, and fail with every leak by name. */
  close(): void
}

const SHOWN = 20

export function createTally({ task }: Pick<TestContext, 'task'>): Tally {
  const leaks: string[] = []
  let checks = 0
  return {
    check(isRight, leak) {
      checks++
      if (!isRight) leaks.push(leak)
    },
    close() {
      task.meta.isolation = { checks, leaks: leaks.length }
      expect(checks).toBeGreaterThan(0)
      expect(leaks.slice(0, SHOWN)).toEqual([])
    },
  }
}
