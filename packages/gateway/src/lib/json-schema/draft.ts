/**
 * Determines the JSON Schema dialect of a schema: the draft that its `$schema` names, else 2020-12 (MCP 2025-11-25, JSON Schema
 * usage).
 */
import type { JsonObject } from '@toolway/protocol'

/** Draft-04 and -06 are read as draft-07, with the older forms of `exclusiveMinimum` and `id`. */
export type Draft = 'draft-07' | '2019-09' | '2020-12'

export function draftOf({ $schema }: JsonObject): Draft {
  if (typeof $schema !== 'string') return '2020-12'
  if (/draft-0[3467]/.test($schema)) return 'draft-07'
  return $schema.includes('2019-09') ? '2019-09' : '2020-12'
}
