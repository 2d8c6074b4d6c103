/**
 * Rules about tools over the admin interface: those of the platform, and those of one organization (ledger U-06, S3-POLY-01,
 * -03). The content of a rule is defined in `../../rules.ts`; this module adds its scope and the problems found in it.
 */
import { z } from 'zod'
import { RULE_ACTIONS } from '../../rule-actions/actions.ts'
import { RuleName } from '../../rule-actions/parameters.ts'
import { RULE_SCOPES, RULE_STATES, RuleWords, ruleWordsWith } from '../../rules.ts'
import { Flag, inOrganization, operation, pageOf, Paging, platform } from '../../admin/operation.ts'

/** A rule as it is kept. `match` and `parameters` are shown also where the gateway cannot read them. */
export const KeptRule = z.strictObject({
  id: z.string(),
  scope: z.enum(RULE_SCOPES),
  /** Slug of the toolset, alias of the connection, address of the member, or id of the key; null for the outer two scopes. */
  of: z.string().nullable(),
  name: z.string(),
  match: z.record(z.string(), z.unknown()),
  action: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  reason: z.string(),
  state: z.enum(RULE_STATES),
  /** Where it came from; one of a file, or of a toolset, is changed there. */
  origin: z.string(),
  created_by: z.string().nullable(),
  created_at: z.iso.datetime().nullable(),
  updated_at: z.iso.datetime().nullable(),
  /** Why it cannot be read; until it is mended it blocks what it speaks of. Null where nothing is wrong. */
  problem: z.string().nullable(),
})
export type KeptRule = z.output<typeof KeptRule>

/** Absent fields keep their value. A changed action takes its own parameters. */
export const FullRuleChange = z.strictObject({
  name: RuleName.optional(),
  match: z.record(z.string(), z.unknown()).optional(),
  action: z.enum(RULE_ACTIONS).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  reason: z.string().optional(),
  state: z.enum(RULE_STATES).optional(),
})
export type FullRuleChange = z.output<typeof FullRuleChange>

/** Scopes within an organization. */
export const INNER_SCOPES = ['organization', 'toolset', 'connection', 'member', 'key'] as const
export type InnerScope = (typeof INNER_SCOPES)[number]

export const NewOrganizationRule = ruleWordsWith({
  scope: z.enum(INNER_SCOPES).default('organization'),
  /** Slug of the toolset, alias of the connection, address of the member, or name or id of the key. */
  of: z.string().min(1).max(255).optional(),
})
export type NewOrganizationRule = z.output<typeof NewOrganizationRule>

/** `force`: also where a pattern for tool names matches no known tool, which is refused otherwise (`rule.idle`). */
export const Forcing = z.strictObject({ force: Flag.optional() })

const Filter = Paging.extend({
  action: z.enum(RULE_ACTIONS).optional(),
  state: z.enum(RULE_STATES).optional(),
})

const PLATFORM_RULES = '/api/v1/admin/rules'
const manage = platform('policy_manage')
export const listPlatformRules = operation({
  id: 'listPlatformRules',
  at: `GET ${PLATFORM_RULES}`,
  summary: 'List the platform rules, which apply to every organization, oldest first.',
  needs: manage,
  query: Filter,
  answer: pageOf(KeptRule),
})
export const addPlatformRule = operation({
  id: 'addPlatformRule',
  at: `POST ${PLATFORM_RULES}`,
  summary: 'Add a rule that applies to every organization, or to those that it lists.',
  needs: manage,
  query: Forcing,
  body: RuleWords,
  answer: KeptRule,
  status: 201,
})
/** All of them or, if one does not fit, none. */
const several = <Words extends z.ZodType>(words: Words) => z.strictObject({ rules: z.array(words).min(1).max(500) })

export const addPlatformRules = operation({
  id: 'addPlatformRules',
  at: `POST ${PLATFORM_RULES}/batch`,
  summary: 'Add several platform rules: all of them, or none if one is not valid.',
  needs: manage,
  query: Forcing,
  body: several(RuleWords),
  answer: z.strictObject({
    items: z.array(KeptRule),
    /** Patterns of theirs that fit the name of no tool that is known now, in any organization. */
    idle: z.array(z.string()),
  }),
  status: 201,
})
export const getPlatformRule = operation({
  id: 'getPlatformRule',
  at: `GET ${PLATFORM_RULES}/{rule}`,
  summary: 'Get a platform rule.',
  needs: manage,
  answer: KeptRule,
})
export const changePlatformRule = operation({
  id: 'changePlatformRule',
  at: `PUT ${PLATFORM_RULES}/{rule}`,
  summary: 'Update a platform rule. Fields that are not sent keep their values.',
  needs: manage,
  query: Forcing,
  body: FullRuleChange,
  answer: KeptRule,
})
export const removePlatformRule = operation({
  id: 'removePlatformRule',
  at: `DELETE ${PLATFORM_RULES}/{rule}`,
  summary: 'Delete a platform rule.',
  needs: manage,
})

const RULES = '/api/v1/organizations/{organization}/rules'
const within = inOrganization('policy_manage')
export const listOrganizationRules = operation({
  id: 'listOrganizationRules',
  at: `GET ${RULES}`,
  summary:
    'List the rules that apply in an organization: the platform rules, which it cannot change, and its own rules of every scope.',
  needs: within,
  query: Filter.extend({ scope: z.enum(RULE_SCOPES).optional() }),
  answer: pageOf(KeptRule),
})
export const addOrganizationRule = operation({
  id: 'addOrganizationRule',
  at: `POST ${RULES}`,
  summary: 'Add a rule to an organization, or to one of its toolsets, connections, members or keys.',
  needs: within,
  query: Forcing,
  body: NewOrganizationRule,
  answer: KeptRule,
  status: 201,
})
export const addOrganizationRules = operation({
  id: 'addOrganizationRules',
  at: `POST ${RULES}/batch`,
  summary: 'Add several rules to an organization: all of them, or none if one is not valid.',
  needs: within,
  query: Forcing,
  body: several(NewOrganizationRule),
  answer: z.strictObject({
    items: z.array(KeptRule),
    /** Patterns of theirs that fit the name of no tool that is known now. */
    idle: z.array(z.string()),
  }),
  status: 201,
})
export const getOrganizationRule = operation({
  id: 'getOrganizationRule',
  at: `GET ${RULES}/{rule}`,
  summary: 'Get a rule of an organization.',
  needs: within,
  answer: KeptRule,
})
export const changeOrganizationRule = operation({
  id: 'changeOrganizationRule',
  at: `PUT ${RULES}/{rule}`,
  summary: 'Update a rule of an organization. Fields that are not sent keep their values; its scope cannot be changed.',
  needs: within,
  query: Forcing,
  body: FullRuleChange,
  answer: KeptRule,
})
export const removeOrganizationRule = operation({
  id: 'removeOrganizationRule',
  at: `DELETE ${RULES}/{rule}`,
  summary: 'Delete a rule of an organization.',
  needs: within,
})
