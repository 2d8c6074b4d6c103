/** What rules about the size of results mean for lists: asked when a view is made, of every rule that could speak of a tool. */
import type { Rule, ToolPolicy } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

const budgets = (policy: ToolPolicy | undefined) =>
  (policy?.rules ?? []).flatMap((rule: Rule) =>
    rule.action === 'size' && rule.state === 'on' ? (rule.parameters.result ?? []) : [],
  )

/**
 * What holds for results of which it is not known any more which tool gave them, as of tasks: the strictest of all that is said of
 * their connection's tools. Which members are shown is said of each tool alone, and left out.
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
  title: 'Read a result that was cut',
  description:
    'Reads on in a result that was too long to be shown whole. The notice at the end of the result says its id. Give a path to see only a part of a JSON result.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', description: 'res_…, as the notice says it' },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'Characters to leave out at the beginning' },
      length: { type: 'integer', minimum: 1, maximum: 65536, default: 16384, description: 'Characters to read' },
      path: {
        type: 'string',
        description: 'Of a JSON result: names with dots between them, "orders.5" or "orders.*.id"',
      },
    },
    required: ['id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
})
