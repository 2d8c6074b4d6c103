/** What rules are expected to say of a call, and whether they do: the same decision, asked by a case of a file. Pure. */
import {
  DEFAULT_CONNECTOR,
  EFFECT_SOURCES,
  EFFECTS,
  ROLES,
  VERDICT_ACTIONS,
  type Facts,
  type ToolFacts,
  type Verdict,
} from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Policy } from './verdict.ts'

const names = z.array(z.string())

/** A caller, as far as a case says it. */
export const TestCaller = z.strictObject({
  kind: z.enum(['user', 'key', 'operator']).default('user'),
  role: z.enum(ROLES).default('tenant_member'),
  email: z.string().default(''),
  groups: names.default([]),
  key: z.string().default(''),
  client: z.string().default(''),
  clientRegistered: z.boolean().default(false),
})

/** A tool that no catalog has to know. */
export const TestTool = z.strictObject({
  connector: z.string().default(DEFAULT_CONNECTOR),
  effect: z.enum(EFFECTS).default('write'),
  effectFrom: z.enum(EFFECT_SOURCES).default('administrator'),
  category: z.string().default(''),
  /** Its input schema: a clamp is never wider. */
  schema: z.record(z.string(), z.json()).optional(),
})

export const Expected = z.strictObject({
  action: z.enum(VERDICT_ACTIONS).optional(),
  /** Name of the rule that decides; null where none does. */
  rule: z.string().nullable().optional(),
  /** As they would be sent. */
  arguments: z.record(z.string(), z.json()).optional(),
  /** Names of rules that ask for somebody's approval, that warn, and that would have done something. */
  approvals: names.optional(),
  warnings: names.optional(),
  shadows: names.optional(),
})

export const TestCase = z.strictObject({
  name: z.string().min(1).optional(),
  /** A caller, or the address of a member of the organization. */
  as: z
    .union([z.email(), TestCaller], 'must be a caller, { role, email, groups, key }, or the address of a member')
    .prefault({}),
  /** `alias__tool`. */
  tool: z.string().min(1),
  toolset: z.string().default('default'),
  arguments: z.record(z.string(), z.json()).default({}),
  time: z.iso.datetime({ offset: true }).default('2026-01-01T12:00:00Z'),
  address: z.string().default(''),
  expect: z.union([z.enum(VERDICT_ACTIONS).transform((action) => ({ action })), Expected], {
    error: `must be one of ${VERDICT_ACTIONS.join(', ')}, or { action, rule, arguments, approvals, warnings, shadows }`,
  }),
})
export type TestCase = z.output<typeof TestCase>
export type Expected = z.output<typeof Expected>

export const RuleTests = z.strictObject({
  /** A file of rules, in place of those in force. */
  rules: z.string().min(1).optional(),
  tools: z.record(z.string(), TestTool).default({}),
  cases: z.array(TestCase).min(1).max(10_000),
})
export type RuleTests = z.output<typeof RuleTests>

export interface Asked {
  readonly policy: Policy
  readonly tool: ToolFacts
  readonly schema: unknown
  readonly facts: Facts
}

export interface Found {
  readonly action: Verdict['action']
  readonly rule: string | null
  readonly arguments: NonNullable<Facts['arguments']>
  readonly approvals: readonly string[]
  readonly warnings: readonly string[]
  readonly shadows: readonly string[]
}

export function findVerdict({ policy, tool, schema, facts }: Asked): Found {
  const { organization, toolset } = facts.context
  const given = facts.arguments ?? {}
  const verdict = policy.of(tool, { organization, toolset }, schema)?.decide({ ...facts, arguments: given })
  if (verdict === undefined)
    return { action: 'allow', rule: null, arguments: given, approvals: [], warnings: [], shadows: [] }
  const { action, rule, approvals, warnings, shadows } = verdict
  return {
    ...{ action, rule: rule?.name ?? null, arguments: verdict.arguments ?? given },
    approvals: approvals.map(({ name }) => name),
    warnings: warnings.map(({ name }) => name),
    shadows: shadows.map((one) => one.rule.name),
  }
}

export interface Difference {
  readonly what: keyof Expected
  readonly expected: unknown
  readonly found: unknown
}

const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).toSorted() : value)

/** What is not said is not compared; names of rules in any order. */
export const differencesOf = (expected: Expected, found: Found): Difference[] =>
  (Object.keys(expected) as (keyof Expected)[]).flatMap((what) => {
    const wanted = expected[what]
    if (wanted === undefined || isDeepStrictEqual(sorted(wanted), sorted(found[what]))) return []
    return [{ what, expected: wanted, found: found[what] }]
  })
