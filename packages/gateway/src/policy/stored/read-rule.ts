/**
 * Parses a stored rule into one that can be enforced. A part that cannot be parsed blocks the calls that the rule is about, as
 * far as that can be known: a rule never stops holding because it was written incorrectly.
 */
import { RuleMatch, RuleName, type Rule, type RuleScope, type RuleState } from '@toolway/contract'
import { compileProblems, readWords } from './check-rule.ts'

/** A rule as some row or file has it. */
export interface Kept {
  readonly id: string
  readonly scope: RuleScope
  readonly of: string | undefined
  readonly name: unknown
  readonly match?: unknown
  readonly action?: unknown
  readonly parameters?: unknown
  readonly reason?: unknown
  readonly state: RuleState
}

export interface ReadRule {
  /** Undefined where it is not to hold: an exception that cannot be read lifts nothing. */
  readonly rule: Rule | undefined
  /** The problem of the rule, for administrators; undefined where there is none. */
  readonly problem: string | undefined
}

export function readRule(stored: Kept): ReadRule {
  const { id, scope, of, name, match, action, parameters, reason, state } = stored
  const read = readWords({ name, match, action, parameters, reason, state })
  const problems = 'words' in read ? compileProblems(read.words) : read.problems
  if ('words' in read && problems.length === 0) return { rule: { ...read.words, id, scope, of }, problem: undefined }
  const [first] = problems
  const problem = `${first?.place ?? ''} ${first?.problem ?? 'cannot be read'}`.trim()
  return { rule: state === 'on' && action !== 'allow' ? standIn(stored) : undefined, problem }
}

/** Blocks what the rule spoke of, and more where it cannot be told: without its condition, and everything where nothing can be read. */
function standIn({ id, scope, of, name, match }: Kept): Rule {
  const named = RuleName.safeParse(name)
  const spoken = RuleMatch.safeParse(match ?? {})
  const { when: _, parameter: __, ...wider } = spoken.success ? spoken.data : RuleMatch.parse({})
  return {
    id,
    scope,
    of,
    name: named.success ? named.data : 'unreadable',
    match: wider,
    action: 'block',
    parameters: {},
    reason:
      'a rule that applies here is not valid: calls that it may match are blocked until an administrator corrects it',
    state: 'on',
  }
}
