/**
 * A tool's definition under its rules: a fixed argument is removed, a bounded one states its bounds, and one with a default
 * becomes optional. The rules change no arguments of a caller that follows this definition.
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
