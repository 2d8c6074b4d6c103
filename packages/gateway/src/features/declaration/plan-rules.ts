/** Steps for rules: of the platform, of an organization and of its connections. Rules of toolsets are settings of those. */
import type { RuleWords } from '@toolway/contract'
import {
  addOrganizationRule,
  addPlatformRule,
  changeOrganizationRule,
  changePlatformRule,
  removeOrganizationRule,
  removePlatformRule,
  type KeptRule,
} from '@toolway/contract/admin'
import { globsOf, mayMean, type PlacedPatterns } from '../rules/index.ts'
import type { Declared } from './declared.ts'
import type { Act } from './call.ts'
import type { KnownContent } from './present.ts'
import { fieldsOf, type Step, type PlanMode } from './steps.ts'
import { wordsOf } from './written.ts'

export interface RulePlan {
  readonly steps: readonly Step[]
  readonly undeclared: readonly Step[]
}

/**
 * Rules may name tools of a connection that the same file adds, which nobody has read yet; other patterns that match no tool are
 * refused as they are everywhere.
 */
export const forcing = (rules: readonly PlacedPatterns[], toBeCreated: readonly string[]): Pick<Act, 'query'> =>
  rules.some((rule) => globsOf(rule).some((pattern) => toBeCreated.some((alias) => mayMean(pattern, alias, rule.of))))
    ? { query: { force: 'true' } }
    : {}

interface RuleOwner {
  readonly organization: string | undefined
  /** How it is told where the rule stands. */
  readonly named: (name: string) => string
  add(words: RuleWords): Act
  change(id: string, words: RuleWords): Act
  remove(id: string): Act
}

function planRules(
  way: PlanMode,
  place: RuleOwner,
  stored: readonly KeptRule[],
  requested: readonly RuleWords[],
): RulePlan {
  const { organization, named } = place
  const step = (name: string) => ({ organization, thing: 'rule', name: named(name) }) as const
  const steps = requested.flatMap((words): Step[] => {
    const before = stored.find(({ name }) => name === words.name)
    // An exception can be written once the rules that it lifts are there.
    const when = (act: Act) => (words.action === 'allow' ? { acts: [], after: [act] } : { acts: [act] })
    if (before === undefined) return [{ ...step(words.name), action: 'create', fields: [], ...when(place.add(words)) }]
    const fields = fieldsOf(wordsOf(before) ?? {}, words)
    way.refuse({ thing: 'rule', name: words.name, origin: before.origin, fields })
    if (fields.length === 0) return []
    return [{ ...step(words.name), action: 'change', fields, ...when(place.change(before.id, words)) }]
  })
  const names = new Set(requested.map(({ name }) => name))
  const undeclared = stored
    .filter(({ name, origin }) => way.removes(origin) && !names.has(name))
    .map(({ id, name }): Step => ({ ...step(name), action: 'remove', fields: [], acts: [place.remove(id)] }))
  return { steps, undeclared }
}

/** `coming`: aliases of connections that the file adds, in any organization. */
export const planPlatformRules = (
  way: PlanMode,
  stored: readonly KeptRule[],
  requested: readonly RuleWords[],
  toBeCreated: readonly string[],
): RulePlan =>
  planRules(
    way,
    {
      organization: undefined,
      named: (name) => name,
      add: (body) => ({ operation: addPlatformRule, params: {}, ...forcing([body], toBeCreated), body }),
      change: (rule, body) => ({
        operation: changePlatformRule,
        params: { rule },
        ...forcing([body], toBeCreated),
        body,
      }),
      remove: (rule) => ({ operation: removePlatformRule, params: { rule } }),
    },
    stored,
    requested,
  )

const placeIn = (organization: string, alias: string | undefined, toBeCreated: readonly string[]): RuleOwner => ({
  organization,
  named: (name) => (alias === undefined ? name : `${alias}: ${name}`),
  add: (words) => ({
    operation: addOrganizationRule,
    params: { organization },
    ...forcing([{ ...words, of: alias }], toBeCreated),
    body: alias === undefined ? words : { ...words, scope: 'connection', of: alias },
  }),
  change: (rule, body) => ({
    operation: changeOrganizationRule,
    params: { organization, rule },
    ...forcing([{ ...body, of: alias }], toBeCreated),
    body,
  }),
  remove: (rule) => ({ operation: removeOrganizationRule, params: { organization, rule } }),
})

/** `own`: of the organization; `ofConnections`: carried out once the connections are there. */
export function planOrganizationRules(
  way: PlanMode,
  { slug, rules = [], connections }: Declared,
  present: KnownContent | undefined,
  toBeCreated: readonly string[],
): { readonly own: RulePlan; readonly ofConnections: RulePlan } {
  const stored = Map.groupBy(present?.rules ?? [], ({ scope, of }) => `${scope} ${of ?? ''}`)
  const plans = connections.map(({ alias, rules: words = [] }) =>
    planRules(way, placeIn(slug, alias, toBeCreated), stored.get(`connection ${alias}`) ?? [], words),
  )
  return {
    own: planRules(way, placeIn(slug, undefined, toBeCreated), stored.get('organization ') ?? [], rules),
    ofConnections: {
      steps: plans.flatMap(({ steps }) => steps),
      undeclared: plans.flatMap(({ undeclared }) => undeclared),
    },
  }
}
