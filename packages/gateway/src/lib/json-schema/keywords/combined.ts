/** Schemas that are put together of others, and schemas that are somewhere else. */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { evaluate, wrongKeyword, type Check, type Making, type Node } from '../node.ts'
import { nothingSeen, seeAll, type Finding, type InstancePath, type Run, type Seen } from '../run.ts'
import { typeWords } from './values.ts'

type CombinedKeyword = (value: Json, making: Making, schema: JsonObject) => Check | undefined

function formsIn(value: Json, keyword: string, making: Making): Node[] {
  if (!Array.isArray(value) || value.length === 0)
    throw wrongKeyword(making.where, keyword, 'a value that is not a list of schemas')
  return value.map((schema, index) => making.child(schema, `${keyword}/${index}`))
}

interface Tried {
  readonly trial: Run
  readonly seen: Seen | undefined
}

function tryNode(node: Node, value: Json, at: InstancePath | undefined, run: Run, seen: Seen | undefined): Tried {
  const tried = { trial: run.trial(), seen: seen && nothingSeen() }
  evaluate(node, value, at, tried.trial, tried.seen)
  return tried
}

/** A value of another kind than meant is farther from fitting than one with a slip inside. */
const FAR = 10
const distanceOf = ({ found, count }: Run, at: InstancePath | undefined): number =>
  found.reduce((sum, { types, at: there }) => sum + (types !== undefined && isNear(there, at) ? FAR : 0), count)
const isNear = (there: InstancePath | undefined, at: InstancePath | undefined): boolean =>
  there === at || there?.up === at

/** None of the forms fits: what would have to change for the nearest one. */
function sayNearest(trials: readonly Run[], at: InstancePath | undefined, run: Run): void {
  const firsts = trials.map(({ found }) => found)
  const types = firsts.flatMap((found) => kindsAlone(found, at) ?? [])
  if (firsts.every((found) => kindsAlone(found, at) !== undefined)) {
    run.say(at, `must be ${typeWords(types)}`, types)
    return
  }
  const [nearest] = trials.toSorted((trial, other) => distanceOf(trial, at) - distanceOf(other, at))
  if (nearest !== undefined) run.take(nearest.found)
}

/** The types that a form would take, where nothing else is wrong with the value for it. */
function kindsAlone(found: readonly Finding[], at: InstancePath | undefined): readonly string[] | undefined {
  const [first, second] = found
  if (first === undefined || second !== undefined || first.at !== at) return undefined
  return first.types !== undefined && first.types.length > 0 ? first.types : undefined
}

export const COMBINED: Readonly<Record<string, CombinedKeyword>> = {
  $ref: (value, making) => referredCheck(value, '$ref', making),
  // Without schemas of other documents, what is referred to dynamically lies in this one.
  $dynamicRef: (value, making) => referredCheck(value, '$dynamicRef', making),
  $recursiveRef: (value, making) => referredCheck(value, '$recursiveRef', making),
  allOf(value, making) {
    const forms = formsIn(value, 'allOf', making)
    return (value, at, run, seen) => {
      for (const form of forms) evaluate(form, value, at, run, seen)
    }
  },
  anyOf(value, making) {
    const forms = formsIn(value, 'anyOf', making)
    return (value, at, run, seen) => {
      const failed: Run[] = []
      for (const form of forms) {
        const tried = tryNode(form, value, at, run, seen)
        if (tried.trial.count > 0) failed.push(tried.trial)
        else if (tried.seen === undefined) return
        else seeAll(seen, tried.seen)
      }
      if (failed.length === forms.length) sayNearest(failed, at, run)
    }
  },
  oneOf(value, making) {
    const forms = formsIn(value, 'oneOf', making)
    return (value, at, run, seen) => {
      const tried = forms.map((form) => tryNode(form, value, at, run, seen))
      const fitting = tried.filter(({ trial }) => trial.count === 0)
      const [first, second] = fitting
      if (first === undefined)
        sayNearest(
          tried.map(({ trial }) => trial),
          at,
          run,
        )
      else if (second !== undefined)
        run.say(at, `must match exactly one of its ${forms.length} forms, but matches ${fitting.length}`)
      else if (first.seen !== undefined) seeAll(seen, first.seen)
    }
  },
  not(value, making) {
    const node = making.child(value, 'not')
    return (value, at, run) => {
      if (tryNode(node, value, at, run, undefined).trial.count === 0) run.say(at, 'is excluded by the schema')
    }
  },
  if(value, making, schema) {
    const condition = making.child(value, 'if')
    const met = schema['then'] === undefined ? undefined : making.child(schema['then'], 'then')
    const unmet = schema['else'] === undefined ? undefined : making.child(schema['else'], 'else')
    return (value, at, run, seen) => {
      const tried = tryNode(condition, value, at, run, seen)
      const fits = tried.trial.count === 0
      if (fits && tried.seen !== undefined) seeAll(seen, tried.seen)
      const next = fits ? met : unmet
      if (next !== undefined) evaluate(next, value, at, run, seen)
    }
  },
}

function referredCheck(value: Json, keyword: string, making: Making): Check {
  if (typeof value !== 'string') throw wrongKeyword(making.where, keyword, 'a value that is not a string')
  const node = making.refer(value)
  return (value, at, run, seen) => evaluate(node, value, at, run, seen)
}

/** Last of all: they ask what the others have looked at. */
export const UNEVALUATED: Readonly<Record<string, CombinedKeyword>> = {
  unevaluatedProperties(value, making) {
    const node = making.child(value, 'unevaluatedProperties')
    return (value, at, run, seen) => {
      if (!isObject(value)) return
      for (const [name, member] of Object.entries(value)) {
        run.spend(1)
        if (seen?.names.has(name) === true) continue
        if (node.never) run.say({ up: at, key: name }, 'is unknown')
        else evaluate(node, member, { up: at, key: name }, run)
        seen?.names.add(name)
      }
    }
  },
  unevaluatedItems(value, making) {
    const node = making.child(value, 'unevaluatedItems')
    return (value, at, run, seen) => {
      if (!Array.isArray(value)) return
      for (const [index, item] of value.entries()) {
        run.spend(1)
        if (seen?.items.has(index) === true) continue
        if (node.never) run.say({ up: at, key: index }, 'is one item too many')
        else evaluate(node, item, { up: at, key: index }, run)
        seen?.items.add(index)
      }
    }
  },
}
