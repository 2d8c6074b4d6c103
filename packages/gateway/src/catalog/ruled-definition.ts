/**
 * A tool's definition as rules leave it: what is fixed is no argument any more, what is bounded says its bounds, and what has a
 * default need not be said. Whoever calls by what it reads here is changed by no rule.
 */
import { ruleActionOf, type Facts, type ToolPolicy } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'

/** The definition as it is listed for somebody; undefined where it is not. */
export function ruledDefinition(definition: JsonObject, policy: ToolPolicy, facts: Facts): JsonObject | undefined {
  const { action, shapes } = policy.decide(facts)
  if (ruleActionOf(action).unlisted === true) return undefined
  const { inputSchema } = definition
  if (shapes.length === 0 || !isObject(inputSchema)) return definition
  const shaped = policy.shape(inputSchema, shapes)
  return shaped === inputSchema ? definition : { ...definition, inputSchema: shaped }
}

/** Lists that are made for everybody are made for nobody in particular: only policies that do not vary are asked with it. */
export const ANYBODY: Facts = {
  principal: {
    id: '',
    kind: 'user',
    role: '',
    email: '',
    groups: [],
    key: '',
    keyId: '',
    client: '',
    clientRegistered: false,
  },
  context: { organization: '', toolset: '', time: '', address: '' },
}
