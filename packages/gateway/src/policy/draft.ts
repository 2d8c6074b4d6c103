/** A draft of rules: what is in force, changed as the draft says. Nothing of it is kept anywhere. */
import type { Rule, RuleScope, RuleWords } from '@toolway/contract'

export interface Draft {
  readonly rules: readonly (RuleWords & { readonly scope: RuleScope; readonly of?: string | undefined })[]
  /** Names of rules that are to be gone, whatever their scope. */
  readonly remove: readonly string[]
  /** `whole`: of the rules in force only the platform's stay. */
  readonly as: 'change' | 'whole'
}

const placeOf = ({ name, scope, of }: { name: string; scope: string; of?: string | undefined }): string =>
  `${scope} ${of ?? ''} ${name}`

/** A rule of the draft takes the place of the one of its name, scope and subject, where there is one. */
export function withDraft(inForce: readonly Rule[], { rules, remove, as }: Draft): Rule[] {
  const drafted = new Map(rules.map((rule) => [placeOf(rule), rule]))
  const gone = new Set(remove)
  const remaining = inForce.filter(({ name, scope }) => !gone.has(name) && (as === 'change' || scope === 'platform'))
  const places = new Map(remaining.map((rule) => [placeOf(rule), rule]))
  const changed = remaining.map((rule) => {
    const draft = drafted.get(placeOf(rule))
    return draft === undefined ? rule : ruleOf(draft, rule.id)
  })
  const added = [...drafted].filter(([place]) => !places.has(place))
  return [...changed, ...added.map(([, draft]) => ruleOf(draft, `draft/${draft.name}`))]
}

const ruleOf = ({ of, ...rest }: Draft['rules'][number], id: string): Rule => ({ ...rest, id, of })
