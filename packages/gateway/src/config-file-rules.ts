/**
 * Rules in a declaration file: the same fields as everywhere, in a list under the object they apply to. Errors name the line and
 * column of the wrong member.
 */
import { ACTIONS, RULE_ACTIONS, RuleMatch, RuleWords, type RuleScope } from '@toolway/contract'
import { z } from 'zod'
import type { Complain } from './config-file-fault.ts'
import { compileProblems, senseProblems } from './policy/stored/check-rule.ts'

export const Rules = z.array(RuleWords).max(1_000)

/** Names that a member of a rule can have. */
export const RULE_MEMBERS: readonly string[] = [
  ...new Set(RuleWords.options.flatMap((option) => Object.keys(option.shape))),
  ...Object.keys(RuleMatch.shape),
  ...ACTIONS.flatMap(({ beginning, form }) => [
    ...Object.keys(beginning),
    ...form.flatMap((row) => row.flatMap(({ name }) => name.split('.'))),
  ]),
  ...RULE_ACTIONS,
]

/** Throws for the first rule that cannot be carried out, or that has the name of another one in its list. */
export function checkRules(
  rules: readonly RuleWords[] | undefined,
  scope: RuleScope,
  place: readonly string[],
  complain: Complain,
): void {
  const names = new Set<string>()
  rules?.forEach((words, at) => {
    const [first] = [...senseProblems(words, scope), ...compileProblems(words)]
    const own = [...place, String(at)]
    if (first !== undefined) throw complain([...own, ...first.place.split('/').slice(1)], first.problem)
    if (names.has(words.name)) throw complain([...own, 'name'], `is the name of another rule in this list`)
    names.add(words.name)
  })
}
