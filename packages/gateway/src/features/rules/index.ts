/**
 * Rules: how people manage and try the rules of the platform and of organizations (ADR 0030, ADR 0031), and the policies that follow from
 * them, compiled once per change. What a rule is, and what it decides, is the noun `policy/`.
 */
export { createKeepRules, type KeepRules } from './keep-rules.ts'
export { alertOfTroubles } from './rule-alerts.rows.ts'
export { platformRuleOperations, type RuleParts } from './platform-rules.operations.ts'
export { organizationRuleOperations, placesIn } from './organization-rules.operations.ts'
export { platformRulesIn } from './platform-rules-in.ts'
export { ruleOperations } from './policies.operations.ts'
export { policyTrialOperations } from './trials.operations.ts'
export { globsOf, mayMean, refuseIdle, type PlacedPatterns } from './idle-patterns.ts'
export { refuseListed, toOrganizationRule, toPlatformRule } from './rule-words.ts'
export { knownTo } from './write-organization-rules.ts'
