/** Keywords for arrays. Each ignores values of another type. */
import { countWithNoun } from '../../count-with-noun.ts'
import type { Json, JsonObject } from '@toolway/protocol'
import { canonicalOf } from '../canonical.ts'
import { evaluate, wrongKeyword, type Check, type Making, type Node } from '../node.ts'
import type { InstancePath, Run, Seen } from '../run.ts'

type ArrayKeyword = (value: Json, making: Making, schema: JsonObject) => Check | undefined

const count =
  (keyword: string, words: string, fits: (count: number, limit: number) => boolean): ArrayKeyword =>
  (limit, { where }) => {
    if (typeof limit !== 'number') throw wrongKeyword(where, keyword, 'a value that is not a number')
    return (value, at, run) => {
      if (Array.isArray(value) && !fits(value.length, limit))
        run.say(at, `must have ${words} ${countWithNoun(limit, 'item')}`)
    }
  }

const listOf = (schemas: readonly Json[], keyword: string, making: Making): Node[] =>
  schemas.map((schema, index) => making.child(schema, `${keyword}/${index}`))

function each(
  nodes: readonly Node[],
  value: readonly Json[],
  at: InstancePath | undefined,
  run: Run,
  seen?: Seen,
): void {
  for (const [index, node] of nodes.entries()) {
    const item = value[index]
    if (item === undefined) return
    evaluate(node, item, { up: at, key: index }, run)
    seen?.items.add(index)
  }
}

interface Items {
  readonly node: Node
  readonly from: number
  readonly value: readonly Json[]
}
function rest({ node, from, value }: Items, at: InstancePath | undefined, run: Run, seen?: Seen): void {
  for (let index = from; index < value.length; index++) {
    evaluate(node, value[index] ?? null, { up: at, key: index }, run)
    seen?.items.add(index)
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
  prefixItems(value, making) {
    if (!Array.isArray(value)) throw wrongKeyword(making.where, 'prefixItems', 'a value that is not a list')
    const nodes = listOf(value, 'prefixItems', making)
    return (value, at, run, seen) => {
      if (Array.isArray(value)) each(nodes, value, at, run, seen)
    }
  },
  items(value, making, schema) {
    if (Array.isArray(value)) {
      const nodes = listOf(value, 'items', making)
      return (value, at, run, seen) => {
        if (Array.isArray(value)) each(nodes, value, at, run, seen)
      }
    }
    const node = making.child(value, 'items')
    const from = placedCount(schema)
    return (value, at, run, seen) => {
      if (Array.isArray(value)) rest({ node, from, value }, at, run, seen)
    }
  },
  additionalItems(value, making, schema) {
    if (!Array.isArray(schema['items'])) return undefined
    const node = making.child(value, 'additionalItems')
    const from = placedCount(schema)
    return (value, at, run, seen) => {
      if (Array.isArray(value)) rest({ node, from, value }, at, run, seen)
    }
  },
  contains(value, making, schema) {
    const node = making.child(value, 'contains')
    const least = limitOf(schema['minContains'], 1)
    const most = limitOf(schema['maxContains'], Number.POSITIVE_INFINITY)
    return (value, at, run, seen) => {
      if (!Array.isArray(value)) return
      let fitting = 0
      for (const [index, item] of value.entries()) {
        const trial = run.trial()
        evaluate(node, item, undefined, trial)
        if (trial.count > 0) continue
        fitting += 1
        if (making.draft === '2020-12') seen?.items.add(index)
      }
      if (fitting < least) run.say(at, `must contain at least ${countWithNoun(least, 'matching item')}`)
      if (fitting > most) run.say(at, `must contain at most ${countWithNoun(most, 'matching item')}`)
    }
  },
  minItems: count('minItems', 'at least', (count, limit) => count >= limit),
  maxItems: count('maxItems', 'at most', (count, limit) => count <= limit),
  uniqueItems(requested) {
    if (requested !== true) return undefined
    return (value, at, run) => {
      if (!Array.isArray(value)) return
      const known = new Map<string, number>()
      for (const [index, item] of value.entries()) {
        const text = canonicalOf(item, run)
        const first = known.get(text)
        if (first !== undefined) {
          run.say(at, `must not have the same item twice, as at ${first} and ${index}`)
          return
        }
        known.set(text, index)
      }
    }
  },
}
