/** Keywords for objects. Each ignores values of another type. */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { nearestNames } from '../../nearest-names.ts'
import { countWithNoun } from '../../count-with-noun.ts'
import { evaluate, wrongKeyword, type Check, type Making, type Node } from '../node.ts'
import { textPattern, type TextPattern } from '../pattern.ts'
import type { Run } from '../run.ts'

type ObjectKeyword = (value: Json, making: Making, schema: JsonObject) => Check | undefined

function namesIn(value: Json, keyword: string, { where }: Making): string[] {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string'))
    throw wrongKeyword(where, keyword, 'a value that is not a list of names')
  return value
}

function schemasIn(value: Json, keyword: string, making: Making): Map<string, Node> {
  if (!isObject(value)) throw wrongKeyword(making.where, keyword, 'a value that is not an object')
  return new Map(Object.entries(value).map(([name, schema]) => [name, making.child(schema, `${keyword}/${name}`)]))
}

const count =
  (keyword: string, words: string, fits: (count: number, limit: number) => boolean): ObjectKeyword =>
  (limit, { where }) => {
    if (typeof limit !== 'number') throw wrongKeyword(where, keyword, 'a value that is not a number')
    return (value, at, run) => {
      if (isObject(value) && !fits(Object.keys(value).length, limit))
        run.say(at, `must have ${words} ${countWithNoun(limit, 'member')}`)
    }
  }

interface Matching {
  readonly pattern: TextPattern | undefined
  readonly node: Node
}

function matchingIn(value: Json | undefined, making: Making): Matching[] {
  if (value === undefined) return []
  return [...schemasIn(value, 'patternProperties', making)].map(([source, node]) => {
    const pattern = textPattern(source)
    if (pattern === undefined) making.skip(`the pattern ${source.slice(0, 80)}`)
    return { pattern, node }
  })
}

/** Whether one of them speaks of that name; where one cannot be read, it may. */
const isMatched = (matching: readonly Matching[], name: string, run: Run): boolean =>
  matching.some(({ pattern }) => pattern === undefined || pattern.fits(name, run))

/** Findings after which unknown names are given no near ones. */
const HELPED = 10

function unknownWords(known: ReadonlyMap<string, Node>, name: string, run: Run): string {
  if (run.count >= HELPED || known.size === 0) return 'is unknown'
  run.spend(Math.min(known.size, 500) * 20)
  const near = nearestNames(name, known.keys())
    .map((value) => `"${value.slice(0, 60)}"`)
    .join(' or ')
  return near === '' ? 'is unknown' : `is unknown; did you mean ${near}?`
}

export const OBJECTS: Readonly<Record<string, ObjectKeyword>> = {
  // One check for the three, which share what was looked at.
  properties(value, making) {
    const known = schemasIn(value, 'properties', making)
    return (value, at, run, seen) => {
      if (!isObject(value)) return
      run.spend(known.size >> 3)
      for (const [name, node] of known) {
        if (!Object.hasOwn(value, name)) continue
        evaluate(node, value[name] ?? null, { up: at, key: name }, run)
        seen?.names.add(name)
      }
    }
  },
  patternProperties(value, making) {
    const matching = matchingIn(value, making)
    return (value, at, run, seen) => {
      if (!isObject(value)) return
      for (const [name, member] of Object.entries(value)) {
        run.spend(1)
        for (const { pattern, node } of matching) {
          if (pattern?.fits(name, run) === true) evaluate(node, member, { up: at, key: name }, run)
          if (pattern === undefined || pattern.fits(name, run)) seen?.names.add(name)
        }
      }
    }
  },
  additionalProperties(value, making, schema) {
    const known =
      schema['properties'] === undefined
        ? new Map<string, Node>()
        : schemasIn(schema['properties'], 'properties', making)
    const matching = matchingIn(schema['patternProperties'], making)
    const node = making.child(value, 'additionalProperties')
    return (value, at, run, seen) => {
      if (!isObject(value)) return
      for (const [name, member] of Object.entries(value)) {
        run.spend(1)
        if (known.has(name) || isMatched(matching, name, run)) continue
        const memberPath = { up: at, key: name }
        if (node.never) run.say(memberPath, unknownWords(known, name, run))
        else evaluate(node, member, memberPath, run)
        seen?.names.add(name)
      }
    }
  },
  propertyNames(value, making) {
    const node = making.child(value, 'propertyNames')
    return (value, at, run) => {
      if (!isObject(value)) return
      for (const name of Object.keys(value)) {
        const trial = run.trial()
        evaluate(node, name, undefined, trial)
        const [first] = trial.found
        if (first !== undefined) run.say({ up: at, key: name }, `is not an allowed name: it ${first.message}`)
      }
    }
  },
  required(value, making) {
    // Draft-03 and slips write true here.
    if (typeof value === 'boolean') return undefined
    const names = namesIn(value, 'required', making)
    return (value, at, run) => {
      if (!isObject(value)) return
      run.spend(names.length >> 3)
      for (const name of names) if (!Object.hasOwn(value, name)) run.say({ up: at, key: name }, 'is required')
    }
  },
  minProperties: count('minProperties', 'at least', (count, limit) => count >= limit),
  maxProperties: count('maxProperties', 'at most', (count, limit) => count <= limit),
  dependentRequired(value, making) {
    if (!isObject(value)) throw wrongKeyword(making.where, 'dependentRequired', 'a value that is not an object')
    return allOf(Object.entries(value).map(([name, names]) => requiredWith(name, namesIn(names, name, making))))
  },
  dependentSchemas(value, making) {
    return allOf([...schemasIn(value, 'dependentSchemas', making)].map(([name, node]) => appliedWith(name, node)))
  },
  dependencies(value, making) {
    if (!isObject(value)) throw wrongKeyword(making.where, 'dependencies', 'a value that is not an object')
    return allOf(
      Object.entries(value).map(([name, requested]) =>
        Array.isArray(requested)
          ? requiredWith(name, namesIn(requested, name, making))
          : appliedWith(name, making.child(requested, `dependencies/${name}`)),
      ),
    )
  },
}

const allOf =
  (checks: readonly Check[]): Check =>
  (value, at, run, seen) => {
    for (const check of checks) check(value, at, run, seen)
  }

const requiredWith =
  (name: string, names: readonly string[]): Check =>
  (value, at, run) => {
    if (!isObject(value) || !Object.hasOwn(value, name)) return
    run.spend(names.length)
    for (const other of names)
      if (!Object.hasOwn(value, other))
        run.say({ up: at, key: other }, `is required where "${name.slice(0, 60)}" is given`)
  }

const appliedWith =
  (name: string, node: Node): Check =>
  (value, at, run, seen) => {
    if (isObject(value) && Object.hasOwn(value, name)) evaluate(node, value, at, run, seen)
  }
