/** How many calls a session may make: all together, and of single tools. A call within a batch counts like any other. */
import { Refusal } from './refusal.ts'

export interface Budgets {
  readonly all?: number
  readonly byTool: ReadonlyMap<string, number>
}

export interface BudgetCounter {
  /** Counts a call. Throws a `Refusal` that names the budget where it is used up; that call is not counted. */
  take(tool: string): void
}

export function createBudgetCounter({ all, byTool }: Budgets): BudgetCounter {
  let made = 0
  const madeByTool = new Map<string, number>()
  return {
    take(tool) {
      const mine = madeByTool.get(tool) ?? 0
      const own = byTool.get(tool)
      if (own !== undefined && mine >= own) throw usedUp('max_calls', own, `calls of ${tool}`)
      if (all !== undefined && made >= all) throw usedUp('max_tool_calls', all, 'calls of tools')
      made++
      madeByTool.set(tool, mine + 1)
    },
  }
}

function usedUp(by: string, limit: number, what: string): Refusal {
  const words = `This session has used up its ${limit} ${what} (blocked_by ${by}). Work with the results so far, or start a new session.`
  return new Refusal(words, 'POLICY_VIOLATION', { blocked_by: by, limit, used: limit })
}
