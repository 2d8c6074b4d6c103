/** Cases that rules are held against: callers, tools and calls, and what is expected of the rules. */
import { z } from 'zod'
import { EFFECT_SOURCES, EFFECTS } from '../../effects.ts'
import { DEFAULT_CONNECTOR } from '../../kinds/kinds.ts'
import { ROLES } from '../../roles.ts'
import { VERDICT_ACTIONS } from '../../rule-actions/actions.ts'
import { inOrganization, operation } from '../../admin/operation.ts'
import { DraftRule } from './policy-trials.ts'

const names = z.array(z.string())

/** A caller, as far as a case says it. */
const TestCaller = z.strictObject({
  kind: z.enum(['user', 'key', 'operator']).default('user'),
  role: z.enum(ROLES).default('tenant_member'),
  email: z.string().default(''),
  groups: names.default([]),
  key: z.string().default(''),
  client: z.string().default(''),
  clientRegistered: z.boolean().default(false),
})

/** A tool that no catalog has to know. */
const TestTool = z.strictObject({
  connector: z.string().default(DEFAULT_CONNECTOR),
  effect: z.enum(EFFECTS).default('write'),
  effectFrom: z.enum(EFFECT_SOURCES).default('administrator'),
  category: z.string().default(''),
  /** Its input schema: a clamp is never wider. */
  schema: z.record(z.string(), z.json()).optional(),
})

const Expected = z.strictObject({
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
export type Expected = z.output<typeof Expected>

const TestCase = z.strictObject({
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

export const PolicyTests = z.strictObject({
  tools: z.record(z.string(), TestTool).default({}),
  cases: z.array(TestCase).min(1).max(10_000),
})
export type PolicyTests = z.output<typeof PolicyTests>

const Found = z.strictObject({
  action: z.enum(VERDICT_ACTIONS),
  rule: z.string().nullable(),
  arguments: z.record(z.string(), z.json()),
  approvals: names,
  warnings: names,
  shadows: names,
})
export type Found = z.output<typeof Found>

export const PolicyTestReport = z.strictObject({
  ok: z.boolean(),
  cases: z.array(
    z.strictObject({
      name: z.string(),
      ok: z.boolean(),
      /** Null for a rule that cannot be read. */
      found: Found.nullable(),
      differences: z.array(z.strictObject({ what: Expected.keyof(), expected: z.unknown(), found: z.unknown() })),
      /** Why a rule cannot be read. */
      problem: z.string().nullable(),
    }),
  ),
})
export type PolicyTestReport = z.output<typeof PolicyTestReport>

export const testPolicy = operation({
  id: 'testPolicy',
  at: 'POST /api/v1/organizations/{organization}/policy/test',
  summary: 'Test rules against cases: the outcome of each call, and whether the case expects it.',
  needs: inOrganization('policy_manage'),
  body: PolicyTests.extend({
    /** In place of the rules in force. */
    rules: z.array(DraftRule).max(2000).optional(),
  }),
  answer: PolicyTestReport,
})
