/** All rules that files declare, as one policy: the platform's, an organization's, and those that stand in connections and toolsets. */
import type { Rule, RuleScope, RuleWords } from '@toolway/contract'
import { ConfigFault } from '../../config.ts'
import { createPolicy } from '../../policy/compile.ts'
import { inForce, storedOfToolsets } from '../../policy/stored/rules-in-force.ts'
import type { Policy } from '../../policy/verdict.ts'
import type { ToolsetRow } from '../../toolsets/toolsets.ts'

export interface DeclaredRules {
  readonly slug: string
  readonly rules?: readonly RuleWords[] | undefined
  readonly connections: readonly { readonly alias: string; readonly rules?: readonly RuleWords[] | undefined }[]
}

/** A rule that cannot be read stops the start, or leaves what was in force: nothing goes on without it. */
export function declaredPolicy(
  platform: readonly RuleWords[],
  { slug, rules: own = [], connections }: DeclaredRules,
  toolsets: readonly ToolsetRow[],
): Policy {
  const placed = inForce(storedOfToolsets(toolsets))
  const policy = createPolicy([
    ...platform.map((words) => ruleOf(words, 'platform')),
    ...own.map((words) => ruleOf(words, 'organization')),
    ...connections.flatMap(({ alias, rules = [] }) => rules.map((words) => ruleOf(words, 'connection', alias))),
    ...placed.rules,
  ])
  const problems = policy.problems.map(({ rule, problem }) => ({ name: rule.name, problem }))
  const [trouble] = [...placed.troubles, ...problems]
  if (trouble !== undefined)
    throw new ConfigFault(`The rule "${trouble.name}" of ${slug} cannot be used: ${trouble.problem}.`)
  return policy
}

/** Its place and name are what it is known by. */
const ruleOf = (words: RuleWords, scope: RuleScope, of?: string): Rule => ({
  ...words,
  id: [scope === 'connection' ? `connections.${of}` : scope, 'rules', words.name].join('.'),
  scope,
  of,
})
