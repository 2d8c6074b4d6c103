/** The tools of all connections of an organization at once: which there are, which are on, what each costs and how it reads. */
import { z } from 'zod'
import { SHOWN_EFFECTS } from '../../effects.ts'
import { RULE_ACTIONS } from '../../rule-actions/actions.ts'
import { RULE_SCOPES, RULE_STATES } from '../../rules.ts'
import { inOrganization, operation, pageOf } from '../../admin/operation.ts'
import { Tool } from '../connections/tools.ts'

/**
 * Marks of tools that cause problems for clients and models: a name, or the name of a property, that some refuse; `anyOf`, `oneOf` or
 * `allOf` at the top of the input schema; no description or a very long one; no annotations; the name of a tool of another connection.
 */
export const TOOL_MARKS = [
  'name',
  'property-name',
  'combined-schema',
  'no-description',
  'long-description',
  'no-annotations',
  'duplicate',
] as const
export type ToolMark = (typeof TOOL_MARKS)[number]

export const TOOL_PLIGHTS = ['on', 'off', 'held', 'hidden'] as const

/** `tokens` and `marks`: the most first. */
export const TOOL_SORTS = ['name', 'tokens', 'marks'] as const

export const OrganizationTool = Tool.extend({
  /** Id of its connection. */
  connection: z.string(),
  alias: z.string(),
  connector: z.string(),
  /** The name that toolsets select it by and rules know it by; mostly the joined one. */
  rule_name: z.string(),
  /** The reason why it is not listed; `connection`: its connection is switched off. */
  hidden_by: z.enum(['connection', 'switch', 'hold', 'rule']).nullable(),
  /** The approximate cost of its definition to a model that reads it. */
  tokens: z.int(),
  marks: z.array(z.enum(TOOL_MARKS)),
})
export type OrganizationTool = z.output<typeof OrganizationTool>

const AboutRule = z.strictObject({
  id: z.string(),
  name: z.string(),
  scope: z.enum(RULE_SCOPES),
  of: z.string().nullable(),
  action: z.enum(RULE_ACTIONS),
  state: z.enum(RULE_STATES),
  reason: z.string(),
})

export const ToolInFull = OrganizationTool.extend({
  /** Whole, as its server defines it. */
  definition: z.record(z.string(), z.unknown()),
  /** The revision that its server speaks. */
  revision: z.string().nullable(),
  /** The rules that can speak of it, at any endpoint. */
  rules: z.array(AboutRule),
  /** The toolsets that list it, and what they say otherwise than its server. */
  toolsets: z.array(
    z.strictObject({
      slug: z.string(),
      title: z.string(),
      name: z.string(),
      /** Null where it is the server's own. */
      other_title: z.string().nullable(),
      other_description: z.string().nullable(),
      other_schema: z.record(z.string(), z.unknown()).nullable(),
    }),
  ),
})
export type ToolInFull = z.output<typeof ToolInFull>

const ALL = '/api/v1/organizations/{organization}/tools'
const needs = inOrganization('tool_configure')

export const MOST_TOOLS = 2_000

export const listAllTools = operation({
  id: 'listAllTools',
  at: `GET ${ALL}`,
  summary: 'List the tools of all connections of an organization, including disabled and blocked ones.',
  needs,
  query: z.strictObject({
    /** Part of a name, a title or a description. */
    search: z.string().max(100).optional(),
    /** As it is shown: `unknown` where no source that counts states it, and then it is no `write` here. */
    effect: z.enum(SHOWN_EFFECTS).optional(),
    /** Alias or id. */
    connection: z.string().max(100).optional(),
    state: z.enum(TOOL_PLIGHTS).optional(),
    sort: z.enum(TOOL_SORTS).default('name'),
    limit: z.coerce.number().int().min(1).max(MOST_TOOLS).default(200),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    cursor: z.string().min(1).max(4_000).optional(),
  }),
  answer: pageOf(OrganizationTool).extend({
    /** The approximate cost of the definitions of all that fit, on whichever page. */
    tokens: z.int(),
    /** How many tools there are without the filter, and what they cost. */
    all: z.int(),
    all_tokens: z.int(),
  }),
})
export const getToolInFull = operation({
  id: 'getToolInFull',
  at: `GET ${ALL}/{tool}`,
  summary: 'Get one tool by its joined name: its definition, the rules that match it, and its wording in toolsets.',
  needs,
  answer: ToolInFull,
})
export const switchAllTools = operation({
  id: 'switchAllTools',
  at: `POST ${ALL}/switch`,
  summary: 'Enable or disable tools of several connections at once: all of them, or none if one does not exist.',
  needs,
  body: z.strictObject({
    tools: z
      .array(
        z.strictObject({
          /** Alias or id. */
          connection: z.string().min(1).max(100),
          name: z.string().min(1).max(500),
          enabled: z.boolean(),
        }),
      )
      .min(1)
      .max(MOST_TOOLS),
  }),
  answer: z.strictObject({ changed: z.int() }),
})
