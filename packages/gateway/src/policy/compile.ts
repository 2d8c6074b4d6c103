/**
 * All rules in force in one organization, read once per change; a call then asks only those that can speak of its tool.
 *
 * Nothing here throws: a rule that cannot be read restricts wherever it could have spoken, and is named in `problems`.
 */
import { RULE_SCOPES, type Rule, type ToolFacts } from '@toolway/contract'
import { createNameCheck, mentions } from './argument-names.ts'
import type { Condition } from './condition.ts'
import { decide } from './decide.ts'
import { matchedNames, otherCaller, readRule } from './matching.ts'
import { behaviourOf } from './actions/actions.ts'
import { boundsAt } from './actions/values.ts'
import type { Endpoint, FindAmbiguous, PlacedPolicy, PlacedRule, Policy, ReadRule } from './verdict.ts'

/** From the outermost scope inwards; within one, as they were written. */
const inOrder = (rules: readonly Rule[]): Rule[] =>
  RULE_SCOPES.flatMap((scope) => rules.filter((rule) => rule.scope === scope))

export function createPolicy(written: readonly Rule[]): Policy {
  const rules = inOrder(written.filter(({ state }) => state !== 'off'))
  const conditions = new Map<string, Condition>()
  const read = rules.map((rule): PlacedRule => ({ ...readRule(rule, conditions), bounds: NO_BOUNDS }))
  const concerning = createConcerning(read)
  const groups = createGroups()

  function of(tool: ToolFacts, endpoint: Endpoint, schema?: unknown): PlacedPolicy | undefined {
    const names = matchedNames(tool)
    const own = concerning(tool, endpoint).filter((one) => one.mismatch(tool, endpoint, names) === undefined)
    return own.length === 0 ? undefined : policyOf(groups.of(own), tool, schema)
  }

  return {
    rules,
    problems: read.flatMap(({ rule, problem }) => (problem === undefined ? [] : [{ rule, problem }])),
    of,
    concerns: (tool, endpoint) => concerning(tool, endpoint).length > 0,
  }
}

/** Connections at endpoints that are remembered at a time. */
const MOST_PLACES = 20_000

type Place = Pick<ToolFacts, 'connection' | 'connector'>

/**
 * The rules that can speak of some tool of a connection: the same for all its tools, of which there are thousands where rules are
 * hundreds. Connections and endpoints are those of one organization, and a policy lives until the next change.
 */
function createConcerning(read: readonly PlacedRule[]) {
  const known = new Map<string, readonly PlacedRule[]>()
  return ({ connection, connector }: Place, endpoint: Endpoint): readonly PlacedRule[] => {
    if (read.length === 0) return read
    const key = JSON.stringify([endpoint.organization, endpoint.toolset, connection, connector])
    const before = known.get(key)
    if (before !== undefined) return before
    const own = read.filter((one) => mayConcern(one, { connection, connector, endpoint }))
    if (known.size >= MOST_PLACES) known.clear()
    known.set(key, own)
    return own
  }
}

/** The parts that are the same for all tools to which the same rules apply. */
interface RuleGroup {
  readonly placed: readonly PlacedRule[]
  readonly rules: readonly Rule[]
  readonly varies: boolean
  readonly namesArguments: boolean
  readonly hides: boolean
  /** The value of at least one rule stands at a place in the arguments. */
  readonly bounded: boolean
}

/** Ten thousand tools with three hundred rules share the lists of them, where a list for each tool would be gigabytes. */
function createGroups() {
  const places = new Map<PlacedRule, number>()
  const known = new Map<string, RuleGroup>()
  const placeOf = (one: PlacedRule): number => {
    const place = places.get(one) ?? places.size
    places.set(one, place)
    return place
  }
  return {
    of(placed: readonly PlacedRule[]): RuleGroup {
      const key = placed.map(placeOf).join()
      const before = known.get(key)
      if (before !== undefined) return before
      const group = groupOf(placed)
      known.set(key, group)
      return group
    },
  }
}

const groupOf = (placed: readonly PlacedRule[]): RuleGroup => ({
  placed,
  rules: placed.map(({ rule }) => rule),
  varies: placed.some(({ varies }) => varies),
  namesArguments: placed.some(({ rule }) => mentions(rule)),
  hides: placed.some(({ rule: { action, state } }) => action === 'hide' && state === 'on'),
  bounded: placed.some(({ path }) => path !== undefined),
})

export const NO_POLICY: Policy = createPolicy([])

/** Rules of a member or a key name arguments for that caller alone. */
function findAmbiguous(rules: readonly Rule[], schema: unknown): FindAmbiguous {
  const on = rules.filter(({ state }) => state === 'on')
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

const NO_BOUNDS: PlacedRule['bounds'] = {}

function policyOf(group: RuleGroup, tool: ToolFacts, schema: unknown): PlacedPolicy {
  const { rules, varies, namesArguments, hides } = group
  const placed = group.bounded && schema !== undefined ? withBounds(group.placed, schema) : group.placed
  let find: FindAmbiguous | undefined
  // Most tools that are listed are never called.
  const ambiguous: FindAmbiguous = (facts) => (find ??= findAmbiguous(rules, schema))(facts)
  return {
    ...{ tool, ambiguous, varies, namesArguments, hides, rules, placed },
    decide: (facts) => decide(placed, tool, facts, ambiguous),
    shape: (schema, shapes) =>
      shapes.reduce((own, { action, parameters }) => behaviourOf(action).shape?.(own, parameters) ?? own, schema),
  }
}

const withBounds = (placed: readonly PlacedRule[], schema: unknown): readonly PlacedRule[] =>
  placed.map((one) => (one.path === undefined ? one : { ...one, bounds: boundsAt(schema, one.path) }))

function mayConcern(
  { rule: { match, scope, of } }: ReadRule,
  { connection, connector, endpoint }: { connection: string; connector: string; endpoint: Endpoint },
): boolean {
  if (match.organizations?.includes(endpoint.organization) === false) return false
  if (scope === 'toolset' && of !== endpoint.toolset) return false
  if (scope === 'connection' && of !== connection) return false
  return match.connectors?.includes(connector) !== false
}
