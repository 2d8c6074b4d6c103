/** Rules of the platform about tools, over the admin interface (ledger S3-POLY-01, -03); its paths say policies. */
import { z } from 'zod'
import { NAME_ACTIONS } from '../../rules.ts'
import { CONNECTORS } from '../../kinds/kinds.ts'
import { Flag, operation, pageOf, Paging, platform } from '../../admin/operation.ts'

export const Rule = z.strictObject({
  id: z.string(),
  tool_name_pattern: z.string(),
  action: z.enum(NAME_ACTIONS),
  reason: z.string(),
  connector_type: z.string().nullable(),
  is_active: z.boolean(),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Rule = z.output<typeof Rule>

/** Other signs of patterns would stand for themselves here, and such a rule would silently hold for nothing. */
export const RulePattern = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^?[\]{}!\s]+$/, {
    error: 'must be a tool name such as search or docs__search; * matches any characters',
  })
const Reason = z.string().trim().min(1).max(500)
const Connector = z.enum(CONNECTORS)

export const NewRule = z.strictObject({
  /** Compared without regard to case, with the tool's own name and with `alias__name`. */
  tool_name_pattern: RulePattern,
  action: z.enum(NAME_ACTIONS),
  /** Said to whoever is refused. */
  reason: Reason,
  connector_type: Connector.nullable().default(null),
  is_active: z.boolean().default(true),
})
export const RuleChange = z.strictObject({
  tool_name_pattern: RulePattern.optional(),
  action: z.enum(NAME_ACTIONS).optional(),
  reason: Reason.optional(),
  connector_type: Connector.nullable().optional(),
  is_active: z.boolean().optional(),
})

const RULES = '/api/v1/admin/policies/tools'
const needs = platform('policy_manage')
export const listRules = operation({
  id: 'listRules',
  at: `GET ${RULES}`,
  summary: 'List the rules about tools, oldest first.',
  needs,
  query: Paging.extend({ action: z.enum(NAME_ACTIONS).optional(), is_active: Flag.optional() }),
  answer: pageOf(Rule),
})
export const addRule = operation({
  id: 'addRule',
  at: `POST ${RULES}`,
  summary: 'Block tools by name, or flag their calls, in every organization.',
  needs,
  body: NewRule,
  answer: Rule,
  status: 201,
})
export const changeRule = operation({
  id: 'changeRule',
  at: `PUT ${RULES}/{rule}`,
  summary: 'Update a rule. Fields that are not sent keep their values.',
  needs,
  body: RuleChange,
  answer: Rule,
})
export const removeRule = operation({
  id: 'removeRule',
  at: `DELETE ${RULES}/{rule}`,
  summary: 'Remove a rule.',
  needs,
})
