/** Keywords for objects. Each ignores values of another type. */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { nearestNames } from '../../nearest-names.ts'
import { countWithNoun } from '../../count-with-noun.ts'
import { evaluate, wrongKeyword, type Check, type CompileContext, type Node } from '../node.ts'
import { textPattern, type TextPattern } from '../pattern.ts'
import type { Validation } from '../validation.ts'

type ObjectKeyword = (value: Json, context: CompileContext, schema: JsonObject) => Check | undefined

function namesIn(value: Json, keyword: string, { where }: CompileContext): string[] {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string'))
    throw wrongKeyword(where, keyword, 'a value that is not a list of names')
  return value
}

function schemasIn(value: Json, keyword: string, context: CompileContext): Map<string, Node> {
  if (!isObject(value)) throw wrongKeyword(context.where, keyword, 'a value that is not an object')
  return new Map(Object.entries(value).map(([name, schema]) => [name, context.child(schema, `${keyword}/${name}`)]))
}

const count =
  (keyword: string, words: string, fits: (count: number, limit: number) => boolean): ObjectKeyword =>
  (limit, { where }) => {
    if (typeof limit !== 'number') throw wrongKeyword(where, keyword, 'a value that is not a number')
    return (value, at, validation) => {
      if (isObject(value) && !fits(Object.keys(value).length, limit))
        validation.report(at, `must have ${words} ${countWithNoun(limit, 'member')}`)
    }
  }

interface Matching {
  readonly pattern: TextPattern | undefined
  readonly node: Node
}

function matchingIn(value: Json | undefined, context: CompileContext): Matching[] {
  if (value === undefined) return []
  return [...schemasIn(value, 'patternProperties', context)].map(([source, node]) => {
    const pattern = textPattern(source)
    if (pattern === undefined) context.skip(`the pattern ${source.slice(0, 80)}`)
    return { pattern, node }
  })
}

/** Whether one of them speaks of that name; where one cannot be read, it may. */
const isMatched = (matching: readonly Matching[], name: string, validation: Validation): boolean =>
  matching.some(({ pattern }) => pattern === undefined || pattern.fits(name, validation))

/** Findings after which unknown names are given no near ones. */
const HELPED = 10

function unknownWords(known: ReadonlyMap<string, Node>, name: string, validation: Validation): string {
  if (validation.count >= HELPED || known.size === 0) return 'is unknown'
  validation.spend(Math.min(known.size, 500) * 20)
  const near = nearestNames(name, known.keys())
    .map((value) => `"${value.slice(0, 60)}"`)
    .join(' or ')
  return near === '' ? 'is unknown' : `is unknown; did you mean ${near}?`
}

export const OBJECTS: Readonly<Record<string, ObjectKeyword>> = {
  // One check for the three, which share what was looked at.
  properties(value, context) {
    const known = schemasIn(value, 'properties', context)
    return (value, at, validation, evaluated) => {
      if (!isObject(value)) return
      validation.spend(known.size >> 3)
      for (const [name, node] of known) {
        if (!Object.hasOwn(value, name)) continue
        evaluate(node, value[name] ?? null, { up: at, key: name }, validation)
        evaluated?.names.add(name)
      }
    }
  },
  patternProperties(value, context) {
    const matching = matchingIn(value, context)
    return (value, at, validation, evaluated) => {
      if (!isObject(value)) return
      for (const [name, member] of Object.entries(value)) {
        validation.spend(1)
        for (const { pattern, node } of matching) {
          if (pattern?.fits(name, validation) === true) evaluate(node, member, { up: at, key: name }, validation)
          if (pattern === undefined || pattern.fits(name, validation)) evaluated?.names.add(name)
        }
      }
    }
  },
  additionalProperties(value, context, schema) {
    const known =
      schema['properties'] === undefined
        ? new Map<string, Node>()
        : schemasIn(schema['properties'], 'properties', context)
    const matching = matchingIn(schema['patternProperties'], context)
    const node = context.child(value, 'additionalProperties')
    return (value, at, validation, evaluated) => {
      if (!isObject(value)) return
      for (const [name, member] of Object.entries(value)) {
        validation.spend(1)
        if (known.has(name) || isMatched(matching, name, validation)) continue
        const memberPath = { up: at, key: name }
        if (node.never) validation.report(memberPath, unknownWords(known, name, validation))
        else evaluate(node, member, memberPath, validation)
        evaluated?.names.add(name)
      }
    }
  },
  propertyNames(value, context) {
    const node = context.child(value, 'propertyNames')
    return (value, at, validation) => {
      if (!isObject(value)) return
      for (const name of Object.keys(value)) {
        const trial = validation.trial()
        evaluate(node, name, undefined, trial)
        const [first] = trial.found
        if (first !== undefined) validation.report({ up: at, key: name }, `is not an allowed name: it ${first.message}`)
      }
    }
  },
  required(value, context) {
    // Draft-03 and slips write true here.
    if (typeof value === 'boolean') return undefined
    const names = namesIn(value, 'required', context)
    return (value, at, validation) => {
      if (!isObject(value)) return
      validation.spend(names.length >> 3)
      for (const name of names) if (!Object.hasOwn(value, name)) validation.report({ up: at, key: name }, 'is required')
    }
  },
  minProperties: count('minProperties', 'at least', (count, limit) => count >= limit),
  maxProperties: count('maxProperties', 'at most', (count, limit) => count <= limit),
  dependentRequired(value, context) {
    if (!isObject(value)) throw wrongKeyword(context.where, 'dependentRequired', 'a value that is not an object')
    return allOf(Object.entries(value).map(([name, names]) => requiredWith(name, namesIn(names, name, context))))
  },
  dependentSchemas(value, context) {
    return allOf([...schemasIn(value, 'dependentSchemas', context)].map(([name, node]) => appliedWith(name, node)))
  },
  dependencies(value, context) {
    if (!isObject(value)) throw wrongKeyword(context.where, 'dependencies', 'a value that is not an object')
    return allOf(
      Object.entries(value).map(([name, requested]) =>
        Array.isArray(requested)
          ? requiredWith(name, namesIn(requested, name, context))
          : appliedWith(name, context.child(requested, `dependencies/${name}`)),
      ),
    )
  },
}

const allOf =
  (checks: readonly Check[]): Check =>
  (value, at, validation, evaluated) => {
    for (const check of checks) check(value, at, validation, evaluated)
  }

const requiredWith =
  (name: string, names: readonly string[]): Check =>
  (value, at, validation) => {
    if (!isObject(value) || !Object.hasOwn(value, name)) return
    validation.spend(names.length)
    for (const other of names)
      if (!Object.hasOwn(value, other))
        validation.report({ up: at, key: other }, `is required where "${name.slice(0, 60)}" is given`)
  }

const appliedWith =
  (name: string, node: Node): Check =>
  (value, at, validation, evaluated) => {
    if (isObject(value) && Object.hasOwn(value, name)) evaluate(node, value, at, validation, evaluated)
  }
