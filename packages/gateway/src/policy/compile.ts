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
import type { Endpoint, FindAmbiguous, PlacedPolicy, PlacedRule, Policy } from './verdict.ts'

/** From the outermost scope inwards; within one, as they were written. */
const inOrder = (rules: readonly Rule[]): Rule[] =>
  RULE_SCOPES.flatMap((scope) => rules.filter((rule) => rule.scope === scope))

export function createPolicy(written: readonly Rule[]): Policy {
  const rules = inOrder(written.filter(({ state }) => state !== 'off'))
  const conditions = new Map<string, Condition>()
  const read = rules.map((rule): PlacedRule => ({ ...readRule(rule, conditions), bounds: NO_BOUNDS }))
  const concerning = createConcerning(read)
  const applying = createApplying(concerning)

  return {
    rules,
    problems: read.flatMap(({ rule, problem }) => (problem === undefined ? [] : [{ rule, problem }])),
    of: (tool, endpoint, schema) => (read.length === 0 ? undefined : applying(tool, endpoint, schema)),
    concerns: (tool, endpoint) => concerning(tool).some((placed) => placed.elsewhere(endpoint) === undefined),
  }
}

/** Connections that are remembered at a time. */
const MOST_PLACES = 20_000
/** Tools that are remembered at a time: those of the largest organization, and some. */
const MOST_TOOLS = 200_000

type Place = Pick<ToolFacts, 'connection' | 'connector'>

/**
 * The rules that can apply to some tool of a connection: the same for all its tools, of which there are thousands where rules are
 * hundreds. A policy lives until the next change of rules.
 */
function createConcerning(read: readonly PlacedRule[]) {
  const known = new Map<string, readonly PlacedRule[]>()
  return ({ connection, connector }: Place): readonly PlacedRule[] => {
    const key = `${connection} ${connector}`
    const before = known.get(key)
    if (before !== undefined) return before
    const own = read.filter(
      ({ rule: { match, scope, of } }) =>
        !(scope === 'connection' && of !== connection) && match.connectors?.includes(connector) !== false,
    )
    if (known.size >= MOST_PLACES) known.clear()
    known.set(key, own)
    return own
  }
}

/** The rules that apply to a tool at some endpoint, and what follows from them where they apply at each. */
interface Applying {
  readonly tool: ToolFacts
  readonly schema: unknown
  readonly placed: readonly PlacedRule[]
  /** None of them is bound to an endpoint. */
  readonly anywhere: boolean
  /** Undefined where no rule applies, or it depends on the endpoint. */
  readonly policy: PlacedPolicy | undefined
}

/**
 * Looks for the rules of a tool once: an organization lists each of its tools at as many endpoints as it has toolsets, and again
 * after each change of a connection.
 */
function createApplying(concerning: (place: Place) => readonly PlacedRule[]) {
  const known = new Map<string, Applying>()
  const groups = createGroups()

  function applyingTo(tool: ToolFacts, schema: unknown): Applying {
    const names = matchedNames(tool)
    const placed = concerning(tool).filter((own) => own.otherTool(tool, names) === undefined)
    const anywhere = placed.every(({ boundToEndpoint }) => !boundToEndpoint)
    const policy = anywhere && placed.length > 0 ? policyOf(groups.of(placed), tool, schema) : undefined
    return { tool, schema, placed, anywhere, policy }
  }

  return (tool: ToolFacts, endpoint: Endpoint, schema: unknown): PlacedPolicy | undefined => {
    let own = known.get(tool.joined)
    if (own === undefined || own.schema !== schema || !isSame(own.tool, tool)) {
      own = applyingTo(tool, schema)
      if (known.size >= MOST_TOOLS) known.clear()
      known.set(tool.joined, own)
    }
    if (own.anywhere) return own.policy
    const here = own.placed.filter((placed) => placed.elsewhere(endpoint) === undefined)
    return here.length === 0 ? undefined : policyOf(groups.of(here), tool, schema)
  }
}

const NO_NAMES: readonly string[] = []
const sameList = (first: readonly string[] = NO_NAMES, second: readonly string[] = NO_NAMES): boolean =>
  first.length === second.length && first.every((name, at) => name === second[at])

/** Whether whatever rules ask of a tool has the same answer of both. */
const isSame = (first: ToolFacts, second: ToolFacts): boolean =>
  first.name === second.name &&
  first.joined === second.joined &&
  first.connection === second.connection &&
  first.connector === second.connector &&
  first.effect === second.effect &&
  first.effectFrom === second.effectFrom &&
  first.category === second.category &&
  sameList(first.others?.derived, second.others?.derived) &&
  sameList(first.others?.earlier, second.others?.earlier) &&
  sameList(first.others?.chosen, second.others?.chosen)

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
  const placeOf = (rule: PlacedRule): number => {
    const rank = places.get(rule) ?? places.size
    places.set(rule, rank)
    return rank
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
  placed.map((rule) => (rule.path === undefined ? rule : { ...rule, bounds: boundsAt(schema, rule.path) }))
