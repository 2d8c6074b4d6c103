/**
 * The objects of a value that are references, each once.
 *
 * Examples and members that only a tool knows (`x-…`) refer to files that describe no operation: they are passed over, unless a name
 * stands there that a document chose, such as that of a property.
 */
import type { JsonObject } from '@toolway/protocol'
import { isObject } from './json.ts'

export type Referring = JsonObject & { $ref: string }

/** The files of a document that is made of several. */
export const FILES = 'x-files'

const NAMED = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'paths', FILES],
  ...['schemas', 'responses', 'parameters', 'requestBodies', 'headers', 'securitySchemes', 'callbacks', 'pathItems'],
])
const isPassedOver = (key: string) => key === 'example' || key === 'examples' || (key.startsWith('x-') && key !== FILES)

/** @param isFile its names may be anything, as a file of schemas or parameters has them */
export function* findReferences(value: unknown, isFile: boolean): Generator<Referring> {
  // Aliases of YAML make one object stand in many places.
  const seen = new Map<object, { isNamed: boolean; isFiles: boolean }>()
  const add = (inner: unknown, isNamed: boolean, isFiles = false) => {
    if (typeof inner === 'object' && inner !== null && !seen.has(inner)) seen.set(inner, { isNamed, isFiles })
  }
  add(value, isFile)
  for (const [item, { isNamed, isFiles }] of seen) {
    for (const [key, inner] of Object.entries(item) as [string, unknown][]) {
      if (isNamed || Array.isArray(item)) add(inner, isFiles)
      else if (!isPassedOver(key)) add(inner, NAMED.has(key), key === FILES)
    }
    if (isObject(item) && typeof item['$ref'] === 'string') yield item as Referring
  }
}
