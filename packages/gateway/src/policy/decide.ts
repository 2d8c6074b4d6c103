/**
 * The one decision: what the rules say of a tool for somebody, with arguments or before there are any (ledger U-06).
 *
 * Pure. Lists, calls, searches, explanations and replays all ask here, so that what is listed can be called and what is explained
 * is what happens. Exceptions first, then what locks, then what refuses, then what clamps; among what refuses the strictest holds,
 * and of several that say the same the outermost is named.
 */
import type { Rule, ToolFacts } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { Condition } from './condition.ts'
import { clampValue, lockValue, refOf, rejectionOf, unboundedOf } from './values.ts'
import type { AmbiguousName } from './argument-names.ts'
import type { Change, Facts, FindAmbiguous, PlacedRule, Shadow, Verdict } from './verdict.ts'

const NOTHING: readonly never[] = []
const NO_ARGUMENTS: JsonObject = {}

/** Those that speak, by what they do. */
type Sorted = { [Action in Rule['action']]?: PlacedRule[] }

interface Rejected extends NonNullable<Verdict['rejected']> {
  readonly rule: Rule
}

export function decide(
  rules: readonly PlacedRule[],
  tool: ToolFacts,
  facts: Facts,
  findAmbiguous?: FindAmbiguous,
): Verdict {
  const listing = facts.arguments === undefined
  const { speaking, shadowing } = matchingOf(rules, tool, facts)
  const sorted: Sorted = {}
  for (const one of speaking) (sorted[one.rule.action] ??= []).push(one)

  const changes: Change[] = []
  let args = facts.arguments ?? NO_ARGUMENTS
  let rejected: Rejected | undefined = rejectedName(findAmbiguous?.(facts))
  if (!listing && rejected === undefined) {
    for (const one of sorted.lock ?? NOTHING) args = lockValue(one, args, changes)
    for (const one of sorted.reject ?? NOTHING) {
      const found = rejectionOf(one, args)
      if (found === undefined) continue
      rejected = { ...found, rule: one.rule }
      break
    }
    for (const one of sorted.clamp ?? NOTHING) {
      const found = rejected === undefined ? unboundedOf(one, args, one.bounds, tool.connector) : undefined
      if (found !== undefined) rejected = { ...found, rule: one.rule }
      args = clampValue(one, args, changes, one.bounds)
    }
  }
  const first = (sorted.hide ?? sorted.block)?.[0]?.rule
  const decisive = first ?? rejected?.rule ?? (sorted.approve ?? sorted.warn)?.[0]?.rule
  const action = decisive === rejected?.rule && decisive !== undefined ? 'reject' : decisive?.action
  return {
    action: action === undefined ? 'allow' : (action as Verdict['action']),
    rule: decisive === undefined ? undefined : refOf(decisive),
    rejected:
      action === 'reject' && rejected !== undefined
        ? { place: rejected.place, problem: rejected.problem, readAs: rejected.readAs }
        : undefined,
    arguments: listing ? undefined : args,
    changes,
    warnings: sorted.warn?.map(({ rule }) => refOf(rule)) ?? NOTHING,
    approvals: rulesOf<'approve'>(sorted.approve),
    rates: rulesOf<'rate'>(sorted.rate),
    sizes: rulesOf<'size'>(sorted.size),
    shapes: [...rulesOf(sorted.lock), ...rulesOf(sorted.clamp)],
    shadows: shadowing.length === 0 ? NOTHING : shadowing.flatMap((one) => shadowOf(one, speaking, facts.arguments)),
  }
}

/** A name that a server may read as another one is refused before any value is looked at. */
const rejectedName = (found: AmbiguousName | undefined): Rejected | undefined =>
  found && { ...found, problem: `some servers read this name as "${found.name}"`, readAs: found.name }

const rulesOf = <Action extends Rule['action']>(placed: readonly PlacedRule[] | undefined): readonly Rule<Action>[] =>
  placed === undefined ? NOTHING : placed.map(({ rule }) => rule as unknown as Rule<Action>)

/** Those that speak and are not lifted, in their order; those that only watch apart. */
function matchingOf(rules: readonly PlacedRule[], tool: ToolFacts, facts: Facts) {
  const speaking: PlacedRule[] = []
  const shadowing: PlacedRule[] = []
  const lifts: Rule<'allow'>[] = []
  const answers = new Map<Condition, boolean | string>()
  for (const one of rules) {
    const { rule } = one
    const { speaks } = one.speaking(facts, tool, answers)
    if (speaks === 'no') continue
    // Before there are arguments, an exception may come to hold and a restriction may not: what could be allowed is shown.
    if (rule.action === 'allow' && rule.state === 'on') lifts.push(rule)
    if (speaks === 'unknown') continue
    if (rule.state === 'shadow') shadowing.push(one)
    else if (rule.action !== 'allow') speaking.push(one)
  }
  if (lifts.length === 0) return { speaking, shadowing }
  const stands = ({ rule }: PlacedRule) => !lifts.some((exception) => liftsIt(exception, rule))
  return { speaking: speaking.filter(stands), shadowing: shadowing.filter(stands) }
}

/** An exception of the platform lifts any rule that it names, one of an organization only the organization's. */
export const liftsIt = ({ scope, parameters }: Rule<'allow'>, rule: Rule): boolean =>
  parameters.lifts.includes(rule.name) && (scope === 'platform' || rule.scope !== 'platform')

/** What a rule that only watches would have done; nothing where it would have changed nothing. */
function shadowOf(one: PlacedRule, speaking: readonly PlacedRule[], args: JsonObject | undefined): Shadow[] {
  const { rule } = one
  const would = { rule: refOf(rule), would: rule.action }
  if (rule.action === 'allow') return speaking.some((held) => liftsIt(rule, held.rule)) ? [would] : []
  if (args === undefined) return []
  if (rule.action === 'reject') {
    const found = rejectionOf(one, args)
    return found === undefined ? [] : [{ ...would, problem: found.problem }]
  }
  if (rule.action !== 'lock' && rule.action !== 'clamp') return [would]
  const changes: Change[] = []
  lockValue(one, args, changes)
  clampValue(one, args, changes, one.bounds)
  return changes.length === 0 ? [] : [would]
}
