/**
 * Rules: how people manage and try the rules of the platform and of organizations (ADR 0030, ADR 0031), and the policies that follow from
 * them, compiled once per change. What a rule is, and what it decides, is the noun `policy/`.
 */
import type { Served } from '../../operations/serve.ts'
import { ruleOperations } from './policies.operations.ts'
import { platformRuleOperations, type RuleParts } from './platform-rules.operations.ts'
import { organizationRuleOperations } from './organization-rules.operations.ts'
import { policyTrialOperations } from './trials.operations.ts'

export { startRules } from './rules.start.ts'
export { placesIn } from './organization-rules.operations.ts'
export { platformRulesIn } from './platform-rules-in.ts'
export { globsOf, mayMean, refuseIdle, type PlacedPatterns } from './idle-patterns.ts'
export { refuseListed, toOrganizationRule, toPlatformRule } from './rule-words.ts'
export { knownTo } from './write-organization-rules.ts'
export { organizationRuleOperations, platformRuleOperations, type RuleParts }

export const operations: readonly Served<RuleParts>[] = [
  ...ruleOperations,
  ...platformRuleOperations,
  ...organizationRuleOperations,
  ...policyTrialOperations,
]
