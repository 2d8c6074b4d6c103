/** The tools of a connection over the admin interface (ledger S3-ADM-03): which there are, and which are on. */
import { z } from 'zod'
import { EFFECT_SOURCES, EFFECTS, SHOWN_EFFECTS } from '../../effects.ts'
import { APPROVALS } from '../../tool-lock.ts'
import { RULE_ACTIONS } from '../../rule-actions/actions.ts'
import { CONNECTION } from './connections.ts'
import { Flag, inItsOrganization, inOrganization, operation, pageOf, Paging } from '../../admin/operation.ts'

export const Tool = z.strictObject({
  /** The server's own name of it. */
  name: z.string(),
  /** Its name at the endpoints of several connections. */
  joined_name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  effect: z.enum(EFFECTS),
  /** The source of the effect; `unknown`: no source that counts, so that it is a write. */
  effect_from: z.enum(EFFECT_SOURCES),
  /** The effect that its server states, whether that counts or not. */
  stated_effect: z.enum(EFFECTS),
  /** Whether a person is asked before it runs, by the setting of the organization; rules of its own may ask besides. */
  approval: z.enum(APPROVALS),
  enabled: z.boolean(),
  /** The reason why it is not listed; null where it is listed. */
  hidden_by: z.enum(['switch', 'hold', 'rule']).nullable(),
  /** The rule about it that holds for everybody, one that only warns too. */
  rule: z.strictObject({ id: z.string(), action: z.enum(RULE_ACTIONS), reason: z.string() }).nullable(),
})
export type Tool = z.output<typeof Tool>

const ToolName = z.string().min(1).max(500)
/** In our words or in the source system's. */
const Switch = z.union([
  z.strictObject({
    enabled: z.boolean(),
    /** The effect that an administrator sets; null: none, so that the server or the connection states it. */
    effect: z.enum(EFFECTS).nullable().optional(),
  }),
  z.strictObject({ effect: z.enum(EFFECTS).nullable() }),
  z.strictObject({ is_enabled: z.boolean() }),
])
const Switches = z.union([
  z.strictObject({
    tools: z
      .array(z.strictObject({ name: ToolName, enabled: z.boolean() }))
      .min(1)
      .max(2_000),
  }),
  z.strictObject({
    updates: z
      .array(z.strictObject({ tool_name: ToolName, is_enabled: z.boolean() }))
      .min(1)
      .max(2_000),
  }),
])

const TOOLS = `${CONNECTION}/tools`
const needs = inOrganization('tool_configure')
const query = Paging.extend({
  /** Part of a name, a title or a description. */
  search: z.string().max(100).optional(),
  /** As it is shown: `unknown` where no source that counts states it, and then it is no `write` here. */
  effect: z.enum(SHOWN_EFFECTS).optional(),
  enabled: Flag.optional(),
})
const Tools = pageOf(Tool).extend({
  /** How many of those that fit have each effect, as it is shown. */
  by_effect: z.record(z.string(), z.int()),
})
const Switched = z.strictObject({ changed: z.int(), enabled: z.int(), disabled: z.int() })

export const listTools = operation({
  id: 'listTools',
  at: `GET ${TOOLS}`,
  summary: 'List the tools of a connection, including disabled and blocked ones.',
  needs,
  query,
  answer: Tools,
})
export const listToolsOfConnection = operation({
  id: 'listToolsOfConnection',
  at: 'GET /api/v1/admin/connectors/{connection}/tools',
  summary: 'List the tools of a connection by its ID alone, which determines the organization.',
  needs: inItsOrganization('tool_configure'),
  query,
  answer: Tools,
})
export const toggleTool = operation({
  id: 'toggleTool',
  at: `PATCH ${TOOLS}/{tool}`,
  summary: 'Enable or disable one tool, or set its effect, by the name that its server uses.',
  needs,
  body: Switch,
  answer: Tool,
})
export const switchTools = operation({
  id: 'switchTools',
  at: `POST ${TOOLS}/bulk-update`,
  summary: 'Enable or disable several tools at once: all of them, or none if one does not exist.',
  needs,
  body: Switches,
  answer: Switched,
})
export const enableAllTools = operation({
  id: 'enableAllTools',
  at: `POST ${TOOLS}/enable-all`,
  summary: 'Enable all tools, including those that are added later.',
  needs,
  answer: Switched,
})
export const disableAllTools = operation({
  id: 'disableAllTools',
  at: `POST ${TOOLS}/disable-all`,
  summary: 'Disable all tools, including those that are added later.',
  needs,
  answer: Switched,
})
export const syncTools = operation({
  id: 'syncTools',
  at: `POST ${TOOLS}/sync`,
  summary:
    'Fetch the server’s lists now. If this fails, the error shows the step that failed, and the last lists are kept.',
  needs,
  answer: z.strictObject({
    ok: z.boolean(),
    revision: z.string().nullable(),
    /** The server info; null where the server never answered. */
    server: z.record(z.string(), z.unknown()).nullable(),
    tools: z.int(),
    resources: z.int(),
    prompts: z.int(),
    failure: z
      .strictObject({
        ...{ phase: z.string(), code: z.string(), problem: z.string(), mend: z.string() },
        /** The cause of the problem, such as the last output of a program; for platform administrators only. */
        cause: z.string().nullable(),
      })
      .nullable(),
  }),
})
