/** Computes the changes of a newer document, tool by tool, before it is imported. Pure. */
import { openapi, effectOf, type LockMode } from '@toolway/contract'
import type { OpenApiDrift } from '@toolway/contract/admin'
import { canonicalJson, isObject, type Json, type JsonObject } from '@toolway/protocol'
import { isHeld } from '../../catalog/locks/is-held.ts'

const OPENAPI = { connector: openapi.connector, trusted: false } as const

type Difference = OpenApiDrift['changed'][number]

/** Between the tools of two documents; `before` is empty where nothing is kept yet. */
export function driftOf(before: readonly JsonObject[], after: readonly JsonObject[], mode: LockMode): OpenApiDrift {
  const had = byName(before)
  const has = byName(after)
  return {
    added: [...has]
      .filter(([name]) => !had.has(name))
      .map(([name, tool]) => ({
        name,
        effect: effectOf(tool['annotations']),
        held: isHeld(mode, undefined, tool, OPENAPI),
      })),
    removed: [...had.keys()].filter((name) => !has.has(name)),
    changed: [...has].flatMap(([name, tool]) => {
      const old = had.get(name)
      const found = old === undefined ? undefined : differenceOf(old, tool, mode)
      return found === undefined ? [] : [found]
    }),
  }
}

const byName = (tools: readonly JsonObject[]): Map<string, JsonObject> =>
  new Map(tools.map((tool) => [String(tool['name']), tool]))

function differenceOf(old: JsonObject, tool: JsonObject, mode: LockMode): Difference | undefined {
  const [before, after] = [effectOf(old['annotations']), effectOf(tool['annotations'])]
  const operation = (value: JsonObject) =>
    isObject(value['_meta']) ? value['_meta']['dev.toolway/operation'] : undefined
  const parts: readonly [name: string, isSame: boolean][] = [
    ['arguments', isSame(old['inputSchema'], tool['inputSchema'])],
    ['answer', isSame(old['outputSchema'], tool['outputSchema'])],
    [
      'texts',
      isSame([old['title'] ?? null, old['description'] ?? null], [tool['title'] ?? null, tool['description'] ?? null]),
    ],
    ['effect', before === after],
    ['address', isSame(operation(old), operation(tool))],
  ]
  const what = parts.filter(([, isSame]) => !isSame).map(([name]) => name)
  if (what.length === 0) return undefined
  return {
    name: String(tool['name']),
    operation: String(operation(tool) ?? ''),
    what,
    arguments: turnOf(old['inputSchema'], tool['inputSchema']),
    effect: before === after ? null : { before, after },
    held: isHeld(mode, old, tool, OPENAPI),
  }
}

const isSame = (value: Json | undefined, other: Json | undefined): boolean =>
  value === undefined || other === undefined ? value === other : canonicalJson(value) === canonicalJson(other)

function turnOf(before: Json | undefined, after: Json | undefined): Difference['arguments'] {
  if (isSame(before, after)) return 'same'
  return isObject(before) && isObject(after) && takesAll(before, after) ? 'wider' : 'narrower'
}

/**
 * Returns whether every value that is valid for `before` is valid for `after`: no property is newly required, none is removed,
 * and each of the others is equal, has more choices, or is an object of which the same holds. Differences that cannot be
 * evaluated count as narrower.
 */
function takesAll(before: JsonObject, after: JsonObject): boolean {
  const { properties: had = {}, required: needed = [], enum: choices, ...rest } = withoutTexts(before)
  const { properties: has = {}, required: needs = [], enum: options, ...others } = withoutTexts(after)
  if (!isObject(had) || !isObject(has) || !isSame(rest, others)) return false
  if (!Array.isArray(needed) || !Array.isArray(needs) || !needs.every((name) => needed.includes(name))) return false
  if (!hasMore(choices, options)) return false
  return Object.keys(had).every((name) => {
    const [old, now] = [had[name], has[name]]
    return isObject(old) && isObject(now) ? takesAll(old, now) : isSame(old, now)
  })
}

const hasMore = (choices: Json | undefined, options: Json | undefined): boolean =>
  options === undefined ||
  (Array.isArray(choices) &&
    Array.isArray(options) &&
    choices.every((choice) => options.some((other) => isSame(choice, other))))

function withoutTexts({ description: _, title: __, examples: ___, default: ____, ...rest }: JsonObject): JsonObject {
  return rest
}
