/**
 * Suggests the first tool to call: one that only reads and needs no arguments, else the nearest to that; never a destructive one.
 * Pure.
 */
import type { Effect } from '@toolway/contract'

export interface Callable {
  readonly name: string
  readonly effect: Effect
  /** What its server claims: of those whose effect is unknown, one that claims to read is tried first. */
  readonly claimed?: Effect
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** More than arguments weigh, and less than the difference of two effects. */
const UNCLAIMED = 50
const HARM: Readonly<Record<Effect, number>> = { read: 0, write: 100, destructive: 10_000 }

const requiredOf = ({ inputSchema: { required } }: Callable): number => (Array.isArray(required) ? required.length : 0)

/** Undefined where all of them destroy: a person chooses such a one, and nobody else. */
export function suggestTool<One extends Callable>(tools: readonly One[]): One | undefined {
  const weight = (tool: One) =>
    HARM[tool.effect] + (tool.effect === 'write' && tool.claimed !== 'read' ? UNCLAIMED : 0) + requiredOf(tool)
  return tools
    .filter(({ effect }) => effect !== 'destructive')
    .toSorted((tool, other) => weight(tool) - weight(other))[0]
}
