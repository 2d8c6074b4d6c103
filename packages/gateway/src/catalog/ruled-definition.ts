/**
 * A tool's definition as rules leave it: what is fixed is no argument any more, what is bounded says its bounds, and what has a
 * default need not be said. Whoever calls by what it reads here is changed by no rule.
 */
import type { Facts, Rule, ToolPolicy } from '@toolway/contract'
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { pathOf, type Path } from '../lib/parameter-path.ts'

/** The definition as it is listed for somebody; undefined where it is not. */
export function ruledDefinition(definition: JsonObject, policy: ToolPolicy, facts: Facts): JsonObject | undefined {
  const { action, shapes } = policy.decide(facts)
  if (action === 'hide' || action === 'block') return undefined
  const { inputSchema } = definition
  if (shapes.length === 0 || !isObject(inputSchema)) return definition
  const shaped = shapes.reduce(shape, inputSchema)
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

function shape(schema: JsonObject, rule: Rule): JsonObject {
  if (rule.action === 'lock') {
    const { parameter, value, as } = rule.parameters
    const path = pathOf(parameter)
    return at(schema, path, (own) => (as === 'fixed' ? undefined : { ...own, default: value }), true)
  }
  if (rule.action !== 'clamp') return schema
  const { parameter, min, max, default: otherwise } = rule.parameters
  return at(schema, pathOf(parameter), (own) => bound(own, { min, max, otherwise }), otherwise !== undefined)
}

interface Bounding {
  readonly min: number | undefined
  readonly max: number | undefined
  readonly otherwise: Json | undefined
}

function bound(own: JsonObject, { min, max, otherwise }: Bounding): JsonObject {
  const { minimum, maximum, type } = own
  const counts = type === 'number' || type === 'integer'
  const bounded: JsonObject = { ...own }
  if (counts && max !== undefined) bounded['maximum'] = typeof maximum === 'number' ? Math.min(maximum, max) : max
  if (counts && min !== undefined) bounded['minimum'] = typeof minimum === 'number' ? Math.max(minimum, min) : min
  if (otherwise !== undefined) bounded['default'] = otherwise
  return bounded
}

/** The schema with what stands at a place changed, or taken out; as it is where nothing stands there. */
function at(
  schema: JsonObject,
  [name, ...rest]: Path,
  change: (own: JsonObject) => JsonObject | undefined,
  optional: boolean,
): JsonObject {
  if (name === undefined) return schema
  const { properties, items, required } = schema
  if (name === '*')
    return rest.length > 0 && isObject(items) ? { ...schema, items: at(items, rest, change, optional) } : schema
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!isObject(own) || !isObject(properties)) return schema
  if (rest.length > 0) return { ...schema, properties: { ...properties, [name]: at(own, rest, change, optional) } }
  const changed = change(own)
  const { [name]: _, ...others } = properties
  const kept = changed === undefined ? others : { ...properties, [name]: changed }
  if (!optional || !Array.isArray(required)) return { ...schema, properties: kept }
  return { ...schema, properties: kept, required: required.filter((one) => one !== name) }
}
