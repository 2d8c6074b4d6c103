/** The outcome of rules for a test case, and whether it is the expected one: the same decision as for a call. Pure. */
import { isDeepStrictEqual } from 'node:util'
import type { Facts, ToolFacts } from '@toolway/contract'
import type { Expected, Found, PolicyTestReport } from '@toolway/contract/admin'
import type { Policy } from './verdict.ts'

export interface Question {
  readonly policy: Policy
  readonly tool: ToolFacts
  readonly schema: unknown
  readonly facts: Facts
}

export function findVerdict({ policy, tool, schema, facts }: Question): Found {
  const { organization, toolset } = facts.context
  const value = facts.arguments ?? {}
  const verdict = policy.of(tool, { organization, toolset }, schema)?.decide({ ...facts, arguments: value })
  if (verdict === undefined)
    return { action: 'allow', rule: null, arguments: value, approvals: [], warnings: [], shadows: [] }
  const { action, rule, approvals, warnings, shadows } = verdict
  return {
    ...{ action, rule: rule?.name ?? null, arguments: verdict.arguments ?? value },
    approvals: approvals.map(({ name }) => name),
    warnings: warnings.map(({ name }) => name),
    shadows: shadows.map((shadow) => shadow.rule.name),
  }
}

type Difference = PolicyTestReport['cases'][number]['differences'][number]

const sortedTexts = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted() : value)

/** Absent expectations are not compared; names of rules match in any order. */
export const differencesOf = (expected: Expected, found: Found): Difference[] =>
  (Object.keys(expected) as (keyof Expected)[]).flatMap((what) => {
    const expectation = expected[what]
    if (expectation === undefined || isDeepStrictEqual(sortedTexts(expectation), sortedTexts(found[what]))) return []
    return [{ what, expected: expectation, found: found[what] }]
  })
