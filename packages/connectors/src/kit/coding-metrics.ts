/**
 * The metrics of AI coding tools in one form, so that vendors can be compared. Each vendor measures some of them: a connector names
 * those, and a member that is absent was not measured.
 */
import { many, num, shape, str } from './shape.ts'

const Model = shape({ model: str(), requests: num(), tokens: num(), cost_usd: num() })

const MEMBERS = {
  from: str(),
  to: str(),
  /** People who used the tool in the period, and seats that are paid for. */
  active_users: num(),
  seats: num(),
  sessions: num(),
  requests: num(),
  suggestions: num(),
  acceptances: num(),
  lines_suggested: num(),
  lines_accepted: num(),
  commits: num(),
  pull_requests: num(),
  input_tokens: num(),
  output_tokens: num(),
  credits_used: num(),
  /** US dollars. */
  cost_usd: num(),
  models: many(Model),
}

/** The shape with these members, besides the period. */
export const codingMetrics = (...names: readonly (keyof typeof MEMBERS)[]) =>
  shape(Object.fromEntries((['from', 'to', ...names] as const).map((name) => [name, MEMBERS[name]])))

/** The sum of the numbers at one member of each item; undefined where none has it. */
export function sumOf(items: readonly unknown[], read: (item: unknown) => unknown): number | undefined {
  const numbers = items.map(read).map(Number).filter(Number.isFinite)
  return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0)
}
