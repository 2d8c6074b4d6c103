/**
 * Rules about the size of results, for listings: evaluated when a tool listing is built, for every rule that can match a tool.
 */
import type { Rule, ToolPolicy } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

const budgets = (policy: ToolPolicy | undefined) =>
  (policy?.rules ?? []).flatMap((rule: Rule) =>
    rule.action === 'size' && rule.state === 'on' ? (rule.parameters.result ?? []) : [],
  )

/**
 * The budget of results whose tool is no longer known, such as those of tasks: the strictest of all budgets of the connection's
 * tools. Members to show are set for each tool alone, and left out.
 */
export const sharedSizes = (policies: Iterable<ToolPolicy | undefined>): Rule<'size'>[] => {
  const found = new Map<string, Rule<'size'>>()
  for (const policy of policies)
    for (const rule of policy?.rules ?? []) {
      if (rule.action !== 'size' || rule.state !== 'on' || rule.parameters.result === undefined) continue
      const { fields: _, ...result } = rule.parameters.result
      found.set(rule.id, { ...rule, parameters: { result } })
    }
  return [...found.values()]
}

/** Whether its results may be cut by a rule. */
export const hasBudget = (policy: ToolPolicy | undefined): boolean => budgets(policy).length > 0

/** A tool whose results may lose members promises no form of them: a client that checks them would refuse what is left. */
export function narrowedOutput(definition: JsonObject, policy: ToolPolicy | undefined): JsonObject {
  if (definition['outputSchema'] === undefined) return definition
  if (!budgets(policy).some(({ fields, redact }) => fields !== undefined || redact !== undefined)) return definition
  const { outputSchema: _, ...rest } = definition
  return rest
}

/** The gateway's own tool where results may be cut; the first of these that no server's tool is called. */
const READ_NAMES = ['read_result', 'toolway_read_result', 'toolway_read_kept_result'] as const

export const readResultName = (taken: ReadonlyMap<string, unknown>): string | undefined =>
  READ_NAMES.find((name) => !taken.has(name))

export const readResultTool = (name: string): JsonObject => ({
  name,
  title: 'Read a truncated result',
  description:
    'Continues reading a result that was too long to be returned in full. The notice at the end of the result contains its ID. Use a path to see only a part of a JSON result.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'res_…, from the notice' },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'Characters to skip at the beginning' },
      length: { type: 'integer', minimum: 1, maximum: 65536, default: 16384, description: 'Characters to read' },
      path: {
        type: 'string',
        description: 'For a JSON result: names separated by dots, such as "orders.5" or "orders.*.id"',
      },
    },
    required: ['id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
})
