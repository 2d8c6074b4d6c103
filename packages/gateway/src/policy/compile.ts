/**
 * All rules in force in one organization, read once per change; a call then asks only those that can speak of its tool.
 *
 * Nothing here throws: a rule that cannot be read restricts wherever it could have spoken, and is named in `problems`.
 */
import { RULE_SCOPES, type Rule, type ToolFacts } from '@toolway/contract'
import { createNameCheck, mentions } from './argument-names.ts'
import type { Condition } from './condition.ts'
import { decide } from './decide.ts'
import { otherCaller, readRule } from './matching.ts'
import { behaviourOf } from './actions/actions.ts'
import { boundsAt } from './actions/values.ts'
import type { Endpoint, FindAmbiguous, PlacedPolicy, PlacedRule, Policy, ReadRule } from './verdict.ts'

/** From the outermost scope inwards; within one, as they were written. */
const inOrder = (rules: readonly Rule[]): Rule[] =>
  RULE_SCOPES.flatMap((scope) => rules.filter((rule) => rule.scope === scope))

export function createPolicy(written: readonly Rule[]): Policy {
  const rules = inOrder(written.filter(({ state }) => state !== 'off'))
  const conditions = new Map<string, Condition>()
  const read = rules.map((rule) => readRule(rule, conditions))

  function of(tool: ToolFacts, endpoint: Endpoint, schema?: unknown): PlacedPolicy | undefined {
    const own = read.filter((one) => one.mismatch(tool, endpoint) === undefined)
    return own.length === 0 ? undefined : policyOf(own, tool, schema)
  }

  return {
    rules,
    problems: read.flatMap(({ rule, problem }) => (problem === undefined ? [] : [{ rule, problem }])),
    of,
    concerns: ({ connection, connector }, endpoint) =>
      read.some((one) => mayConcern(one, { connection, connector, endpoint })),
  }
}

export const NO_POLICY: Policy = createPolicy([])

/** Rules of a member or a key name arguments for that caller alone. */
function findAmbiguous(own: readonly ReadRule[], schema: unknown): FindAmbiguous {
  const on = own.map(({ rule }) => rule).filter(({ state }) => state === 'on')
  const isPersonal = ({ scope }: Rule) => scope === 'member' || scope === 'key'
  const shared = createNameCheck(
    on.filter((rule) => !isPersonal(rule)),
    schema,
  )
  const personal = on.filter(isPersonal).flatMap((rule) => {
    const check = createNameCheck([rule], schema)
    return check === undefined ? [] : [{ rule, check }]
  })
  return ({ principal, arguments: args }) => {
    if (args === undefined) return undefined
    const found = shared?.(args)
    if (found !== undefined) return found
    for (const { rule, check } of personal) {
      const own = otherCaller(rule, principal) === undefined ? check(args) : undefined
      if (own !== undefined) return own
    }
    return undefined
  }
}

function policyOf(own: readonly ReadRule[], tool: ToolFacts, schema: unknown): PlacedPolicy {
  const placed: PlacedRule[] = own.map((one) => ({
    ...one,
    bounds: one.path === undefined || schema === undefined ? {} : boundsAt(schema, one.path),
  }))
  const ambiguous = findAmbiguous(own, schema)
  return {
    tool,
    ambiguous,
    varies: own.some(({ varies }) => varies),
    namesArguments: own.some(({ rule }) => mentions(rule)),
    hides: own.some(({ rule: { action, state } }) => action === 'hide' && state === 'on'),
    rules: own.map(({ rule }) => rule),
    placed,
    decide: (facts) => decide(placed, tool, facts, ambiguous),
    shape: (schema, shapes) =>
      shapes.reduce((own, { action, parameters }) => behaviourOf(action).shape?.(own, parameters) ?? own, schema),
  }
}

function mayConcern(
  { rule: { match, scope, of } }: ReadRule,
  { connection, connector, endpoint }: { connection: string; connector: string; endpoint: Endpoint },
): boolean {
  if (match.organizations?.includes(endpoint.organization) === false) return false
  if (scope === 'toolset' && of !== endpoint.toolset) return false
  if (scope === 'connection' && of !== connection) return false
  return match.connectors?.includes(connector) !== false
}
