/** Tests of rules that need no gateway, because rules, tools and callers are all written in files. */
import type { DraftRule, PolicyTestReport, PolicyTests } from '@toolway/contract/admin'
import { draftedRules, runPolicyTests, standsAlone } from '../../policy/run-tests.ts'

/** Undefined where an organization has to be known for them. `organization`: its slug, as conditions see it. */
export const testAlone = async (
  tests: PolicyTests,
  rules: readonly DraftRule[],
  organization: string,
): Promise<PolicyTestReport | undefined> =>
  standsAlone(tests) ? runPolicyTests({ tests, rules: draftedRules(rules), organization }) : undefined
