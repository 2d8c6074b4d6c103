/**
 * From rows to the rules that hold: the platform's, an organization's, and those that stand in its toolsets; and what is wrong with
 * any of them, which administrators are told.
 */
import type { Rule, RuleScope, RuleState, ToolsetSettings } from '@toolway/contract'
import type { OrganizationRuleRow } from './organization-rules.ts'
import type { PlatformRuleRow } from './platform-rules.ts'
import { readRule, type Kept } from './read-rule.ts'

export interface RuleTrouble {
  readonly id: string
  readonly name: string
  readonly scope: RuleScope
  readonly of: string | undefined
  /** For administrators; it repeats no secret, because a rule has none. */
  readonly problem: string
  /** Slugs of the organizations that it speaks of; undefined means all, or that it cannot be told. */
  readonly organizations: readonly string[] | undefined
}

export interface InForce {
  readonly rules: readonly Rule[]
  readonly troubles: readonly RuleTrouble[]
}

export const storedOfPlatform = ({ id, name, match, action, parameters, reason, state }: PlatformRuleRow): Kept => ({
  ...{ id, scope: 'platform', of: undefined, name, match, action, parameters, reason, state },
})

export const storedOfOrganization = ({ id, scope, of, name, words, state }: OrganizationRuleRow): Kept => ({
  ...{ id, scope, of: of ?? undefined, name, state },
  ...{ match: words.match, action: words.action, parameters: words.parameters, reason: words.reason },
})

interface Toolset {
  readonly slug: string
  readonly settings: Pick<ToolsetSettings, 'rules'>
}

/** Rules that stand in toolsets, as the rows have them. They have no ids: their place and name is what they are known by. */
export const storedOfToolsets = (toolsets: readonly Toolset[]): Kept[] =>
  toolsets.flatMap(({ slug, settings }) => {
    const { rules } = settings
    if (rules === undefined) return []
    const list: readonly unknown[] = Array.isArray(rules) ? rules : [rules]
    return list.map((rule, at) => {
      const words: Readonly<Record<string, unknown>> = typeof rule === 'object' && rule !== null ? { ...rule } : {}
      const { name, match, action, parameters, reason } = words
      return {
        ...{ id: `toolsets.${slug}.rules.${typeof name === 'string' ? name : at}`, scope: 'toolset', of: slug },
        ...{ name, match, action, parameters, reason, state: stateOf(words['state']) },
      }
    })
  })

const stateOf = (state: unknown): RuleState => (state === 'off' || state === 'shadow' ? state : 'on')

export function inForce(stored: readonly Kept[]): InForce {
  const rules: Rule[] = []
  const troubles: RuleTrouble[] = []
  for (const item of stored) {
    const { rule, problem } = readRule(item)
    if (rule !== undefined) rules.push(rule)
    if (problem !== undefined) troubles.push({ ...troubleOf(item), problem, organizations: rule?.match.organizations })
  }
  return { rules, troubles }
}

const troubleOf = ({ id, name, scope, of }: Kept) => ({ id, name: typeof name === 'string' ? name : id, scope, of })

/** Those of the platform, as last loaded. */
export interface PlatformRules {
  readonly inForce: InForce
  load(): Promise<void>
}

export function createPlatformRules({ list }: { list(): Promise<readonly PlatformRuleRow[]> }): PlatformRules {
  let current: InForce = { rules: [], troubles: [] }
  let loading: Promise<void> = Promise.resolve()
  return {
    get inForce() {
      return current
    },
    load() {
      // One after the other, so that an older answer never replaces a newer one.
      const run = async () => {
        current = inForce((await list()).map(storedOfPlatform))
      }
      const result = loading.then(run)
      loading = result.catch(() => {})
      return result
    },
  }
}
