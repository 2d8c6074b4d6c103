/**
 * One client's session: its tools, its budgets and the folders that it works in. Sessions of one process share nothing that a call can
 * change. Every call, also one within a batch, goes through `call`.
 */
import type { z } from 'zod'
import { createBudgetCounter, type BudgetCounter, type Budgets } from './budgets.ts'
import type { Workspace } from './files/workspace.ts'
import { faultOf } from './fault.ts'
import { Refusal } from './refusal.ts'
import type { Outcome, Tool, ToolCall } from './tools/tool.ts'

export interface SessionParts {
  readonly tools: readonly Tool[]
  readonly budgets: Budgets
}

/** The inputs that a call brings with it. */
export interface CallParts {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  readonly progress: ToolCall['progress']
}

export class Session {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly #budget: BudgetCounter

  constructor({ tools, budgets }: SessionParts) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]))
    this.#budget = createBudgetCounter(budgets)
  }

  findTool(name: string): Tool | undefined {
    return this.#tools.get(name)
  }

  async call(tool: Tool, value: unknown, parts: CallParts): Promise<Outcome> {
    try {
      const input = checkInput(tool.input, value)
      this.#budget.take(tool.name)
      parts.signal.throwIfAborted()
      const call: ToolCall = { ...parts, callTool: (item, its, more) => this.call(item, its, { ...parts, ...more }) }
      const { text, structured } = await tool.run(input, call)
      return { text, structured }
    } catch (thrown) {
      return this.refuse(tool, thrown, parts.signal)
    }
  }

  /** The outcome of a call that failed, also before it began. */
  refuse(tool: Tool, thrown: unknown, signal: AbortSignal): Outcome {
    const fault = faultOf(thrown, signal)
    return { text: `${tool.failure}: ${fault.message}`, fault }
  }
}

function checkInput(shape: z.ZodObject, input: unknown): Record<string, unknown> {
  const { success, data, error } = shape.safeParse(input)
  if (success) return data
  const problems = error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'the input'}: ${message}`)
  throw new Refusal(`${problems.join('. ')}.`)
}
