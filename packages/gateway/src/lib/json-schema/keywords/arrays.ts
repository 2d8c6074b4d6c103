/** Keywords for arrays. Each ignores values of another type. */
import { countWithNoun } from '../../count-with-noun.ts'
import type { Json, JsonObject } from '@toolway/protocol'
import { canonicalOf } from '../canonical.ts'
import { evaluate, wrongKeyword, type Check, type CompileContext, type Node } from '../node.ts'
import type { InstancePath, Validation, Evaluated } from '../validation.ts'

type ArrayKeyword = (value: Json, context: CompileContext, schema: JsonObject) => Check | undefined

const count =
  (keyword: string, words: string, fits: (count: number, limit: number) => boolean): ArrayKeyword =>
  (limit, { where }) => {
    if (typeof limit !== 'number') throw wrongKeyword(where, keyword, 'a value that is not a number')
    return (value, at, validation) => {
      if (Array.isArray(value) && !fits(value.length, limit))
        validation.report(at, `must have ${words} ${countWithNoun(limit, 'item')}`)
    }
  }

const listOf = (schemas: readonly Json[], keyword: string, context: CompileContext): Node[] =>
  schemas.map((schema, index) => context.child(schema, `${keyword}/${index}`))

function each(
  nodes: readonly Node[],
  value: readonly Json[],
  at: InstancePath | undefined,
  validation: Validation,
  evaluated?: Evaluated,
): void {
  for (const [index, node] of nodes.entries()) {
    const item = value[index]
    if (item === undefined) return
    evaluate(node, item, { up: at, key: index }, validation)
    evaluated?.items.add(index)
  }
}

interface Items {
  readonly node: Node
  readonly from: number
  readonly value: readonly Json[]
}
function rest(
  { node, from, value }: Items,
  at: InstancePath | undefined,
  validation: Validation,
  evaluated?: Evaluated,
): void {
  for (let index = from; index < value.length; index++) {
    evaluate(node, value[index] ?? null, { up: at, key: index }, validation)
    evaluated?.items.add(index)
  }
}

/** How many items have schemas of their own; in the older drafts `items` is the list of them. */
function placedCount(schema: JsonObject): number {
  const { prefixItems, items } = schema
  if (Array.isArray(prefixItems)) return prefixItems.length
  return Array.isArray(items) ? items.length : 0
}

const limitOf = (value: Json | undefined, none: number): number => (typeof value === 'number' ? value : none)

export const ARRAYS: Readonly<Record<string, ArrayKeyword>> = {
  prefixItems(value, context) {
    if (!Array.isArray(value)) throw wrongKeyword(context.where, 'prefixItems', 'a value that is not a list')
    const nodes = listOf(value, 'prefixItems', context)
    return (value, at, validation, evaluated) => {
      if (Array.isArray(value)) each(nodes, value, at, validation, evaluated)
    }
  },
  items(value, context, schema) {
    if (Array.isArray(value)) {
      const nodes = listOf(value, 'items', context)
      return (value, at, validation, evaluated) => {
        if (Array.isArray(value)) each(nodes, value, at, validation, evaluated)
      }
    }
    const node = context.child(value, 'items')
    const from = placedCount(schema)
    return (value, at, validation, evaluated) => {
      if (Array.isArray(value)) rest({ node, from, value }, at, validation, evaluated)
    }
  },
  additionalItems(value, context, schema) {
    if (!Array.isArray(schema['items'])) return undefined
    const node = context.child(value, 'additionalItems')
    const from = placedCount(schema)
    return (value, at, validation, evaluated) => {
      if (Array.isArray(value)) rest({ node, from, value }, at, validation, evaluated)
    }
  },
  contains(value, context, schema) {
    const node = context.child(value, 'contains')
    const least = limitOf(schema['minContains'], 1)
    const most = limitOf(schema['maxContains'], Number.POSITIVE_INFINITY)
    return (value, at, validation, evaluated) => {
      if (!Array.isArray(value)) return
      let fitting = 0
      for (const [index, item] of value.entries()) {
        const trial = validation.trial()
        evaluate(node, item, undefined, trial)
        if (trial.count > 0) continue
        fitting += 1
        if (context.draft === '2020-12') evaluated?.items.add(index)
      }
      if (fitting < least) validation.report(at, `must contain at least ${countWithNoun(least, 'matching item')}`)
      if (fitting > most) validation.report(at, `must contain at most ${countWithNoun(most, 'matching item')}`)
    }
  },
  minItems: count('minItems', 'at least', (count, limit) => count >= limit),
  maxItems: count('maxItems', 'at most', (count, limit) => count <= limit),
  uniqueItems(requested) {
    if (requested !== true) return undefined
    return (value, at, validation) => {
      if (!Array.isArray(value)) return
      const known = new Map<string, number>()
      for (const [index, item] of value.entries()) {
        const text = canonicalOf(item, validation)
        const first = known.get(text)
        if (first !== undefined) {
          validation.report(at, `must not have the same item twice, as at ${first} and ${index}`)
          return
        }
        known.set(text, index)
      }
    }
  },
}
