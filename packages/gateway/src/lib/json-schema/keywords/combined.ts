/** Schemas that are put together of others, and schemas that are somewhere else. */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { evaluate, wrongKeyword, type Check, type CompileContext, type Node } from '../node.ts'
import {
  nothingEvaluated,
  addEvaluated,
  type Finding,
  type InstancePath,
  type Validation,
  type Evaluated,
} from '../validation.ts'
import { typeWords } from './values.ts'

type CombinedKeyword = (value: Json, context: CompileContext, schema: JsonObject) => Check | undefined

function formsIn(value: Json, keyword: string, context: CompileContext): Node[] {
  if (!Array.isArray(value) || value.length === 0)
    throw wrongKeyword(context.where, keyword, 'a value that is not a list of schemas')
  return value.map((schema, index) => context.child(schema, `${keyword}/${index}`))
}

interface Trial {
  readonly trial: Validation
  readonly evaluated: Evaluated | undefined
}

function tryNode(
  node: Node,
  value: Json,
  at: InstancePath | undefined,
  validation: Validation,
  evaluated: Evaluated | undefined,
): Trial {
  const tried = { trial: validation.trial(), evaluated: evaluated && nothingEvaluated() }
  evaluate(node, value, at, tried.trial, tried.evaluated)
  return tried
}

/** A value of another kind than meant is farther from fitting than one with a slip inside. */
const WRONG_TYPE_DISTANCE = 10
const distanceOf = ({ found, count }: Validation, at: InstancePath | undefined): number =>
  found.reduce(
    (sum, { types, at: there }) => sum + (types !== undefined && isNear(there, at) ? WRONG_TYPE_DISTANCE : 0),
    count,
  )
const isNear = (there: InstancePath | undefined, at: InstancePath | undefined): boolean =>
  there === at || there?.up === at

/** None of the forms fits: what would have to change for the nearest one. */
function reportClosestForm(trials: readonly Validation[], at: InstancePath | undefined, validation: Validation): void {
  const firsts = trials.map(({ found }) => found)
  const types = firsts.flatMap((found) => kindsAlone(found, at) ?? [])
  if (firsts.every((found) => kindsAlone(found, at) !== undefined)) {
    validation.report(at, `must be ${typeWords(types)}`, types)
    return
  }
  const [nearest] = trials.toSorted((trial, other) => distanceOf(trial, at) - distanceOf(other, at))
  if (nearest !== undefined) validation.reportAll(nearest.found)
}

/** The types that a form would take, where nothing else is wrong with the value for it. */
function kindsAlone(found: readonly Finding[], at: InstancePath | undefined): readonly string[] | undefined {
  const [first, second] = found
  if (first === undefined || second !== undefined || first.at !== at) return undefined
  return first.types !== undefined && first.types.length > 0 ? first.types : undefined
}

export const COMBINED: Readonly<Record<string, CombinedKeyword>> = {
  $ref: (value, context) => referredCheck(value, '$ref', context),
  // Without schemas of other documents, what is referred to dynamically lies in this one.
  $dynamicRef: (value, context) => referredCheck(value, '$dynamicRef', context),
  $recursiveRef: (value, context) => referredCheck(value, '$recursiveRef', context),
  allOf(value, context) {
    const forms = formsIn(value, 'allOf', context)
    return (value, at, validation, evaluated) => {
      for (const form of forms) evaluate(form, value, at, validation, evaluated)
    }
  },
  anyOf(value, context) {
    const forms = formsIn(value, 'anyOf', context)
    return (value, at, validation, evaluated) => {
      const failed: Validation[] = []
      for (const form of forms) {
        const tried = tryNode(form, value, at, validation, evaluated)
        if (tried.trial.count > 0) failed.push(tried.trial)
        else if (tried.evaluated === undefined) return
        else addEvaluated(evaluated, tried.evaluated)
      }
      if (failed.length === forms.length) reportClosestForm(failed, at, validation)
    }
  },
  oneOf(value, context) {
    const forms = formsIn(value, 'oneOf', context)
    return (value, at, validation, evaluated) => {
      const tried = forms.map((form) => tryNode(form, value, at, validation, evaluated))
      const fitting = tried.filter(({ trial }) => trial.count === 0)
      const [first, second] = fitting
      if (first === undefined)
        reportClosestForm(
          tried.map(({ trial }) => trial),
          at,
          validation,
        )
      else if (second !== undefined)
        validation.report(at, `must match exactly one of its ${forms.length} forms, but matches ${fitting.length}`)
      else if (first.evaluated !== undefined) addEvaluated(evaluated, first.evaluated)
    }
  },
  not(value, context) {
    const node = context.child(value, 'not')
    return (value, at, validation) => {
      if (tryNode(node, value, at, validation, undefined).trial.count === 0)
        validation.report(at, 'is excluded by the schema')
    }
  },
  if(value, context, schema) {
    const condition = context.child(value, 'if')
    const met = schema['then'] === undefined ? undefined : context.child(schema['then'], 'then')
    const unmet = schema['else'] === undefined ? undefined : context.child(schema['else'], 'else')
    return (value, at, validation, evaluated) => {
      const tried = tryNode(condition, value, at, validation, evaluated)
      const fits = tried.trial.count === 0
      if (fits && tried.evaluated !== undefined) addEvaluated(evaluated, tried.evaluated)
      const next = fits ? met : unmet
      if (next !== undefined) evaluate(next, value, at, validation, evaluated)
    }
  },
}

function referredCheck(value: Json, keyword: string, context: CompileContext): Check {
  if (typeof value !== 'string') throw wrongKeyword(context.where, keyword, 'a value that is not a string')
  const node = context.refer(value)
  return (value, at, validation, evaluated) => evaluate(node, value, at, validation, evaluated)
}

/** Last of all: they ask what the others have looked at. */
export const UNEVALUATED: Readonly<Record<string, CombinedKeyword>> = {
  unevaluatedProperties(value, context) {
    const node = context.child(value, 'unevaluatedProperties')
    return (value, at, validation, evaluated) => {
      if (!isObject(value)) return
      for (const [name, member] of Object.entries(value)) {
        validation.spend(1)
        if (evaluated?.names.has(name) === true) continue
        if (node.never) validation.report({ up: at, key: name }, 'is unknown')
        else evaluate(node, member, { up: at, key: name }, validation)
        evaluated?.names.add(name)
      }
    }
  },
  unevaluatedItems(value, context) {
    const node = context.child(value, 'unevaluatedItems')
    return (value, at, validation, evaluated) => {
      if (!Array.isArray(value)) return
      for (const [index, item] of value.entries()) {
        validation.spend(1)
        if (evaluated?.items.has(index) === true) continue
        if (node.never) validation.report({ up: at, key: index }, 'is one item too many')
        else evaluate(node, item, { up: at, key: index }, validation)
        evaluated?.items.add(index)
      }
    }
  },
}
