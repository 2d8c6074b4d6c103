/** Places in schemas and values, as actions compare and change them. */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import type { Path } from '../../lib/parameter-path.ts'
import type { Bounds } from '../verdict.ts'

export const isSameValue = (value: Json | undefined, other: Json | undefined): boolean =>
  value === other || (typeof value === 'object' && JSON.stringify(value) === JSON.stringify(other))

export const isUpsideDown = ({ min, max }: Bounds): boolean => min !== undefined && max !== undefined && min > max

/** The bounds that a JSON Schema sets at a place, as far as plain properties and items lead there. */
export function boundsAt(schema: unknown, path: Path): Bounds {
  const at = schemaAt(schema, path)
  if (at === undefined) return {}
  const { minimum, maximum, type } = at
  return {
    min: typeof minimum === 'number' ? minimum : undefined,
    max: typeof maximum === 'number' ? maximum : undefined,
    integer: type === 'integer',
    counts: type === 'integer' || type === 'number',
  }
}

function schemaAt(schema: unknown, path: Path): JsonObject | undefined {
  let at: unknown = schema
  for (const name of path) {
    if (!isObject(at)) return undefined
    const { properties, items } = at
    if (name === '*') at = items
    else at = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  }
  return isObject(at) ? at : undefined
}

/** The schema with what stands at a place changed, or taken out; as it is where nothing stands there. */
export function changeAt(
  schema: JsonObject,
  [name, ...rest]: Path,
  change: (own: JsonObject) => JsonObject | undefined,
  optional: boolean,
): JsonObject {
  if (name === undefined) return schema
  const { properties, items, required } = schema
  if (name === '*')
    return rest.length > 0 && isObject(items) ? { ...schema, items: changeAt(items, rest, change, optional) } : schema
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!isObject(own) || !isObject(properties)) return schema
  if (rest.length > 0)
    return { ...schema, properties: { ...properties, [name]: changeAt(own, rest, change, optional) } }
  const changed = change(own)
  const { [name]: _, ...others } = properties
  const newProperties = changed === undefined ? others : { ...properties, [name]: changed }
  if (!optional || !Array.isArray(required)) return { ...schema, properties: newProperties }
  return { ...schema, properties: newProperties, required: required.filter((value) => value !== name) }
}
