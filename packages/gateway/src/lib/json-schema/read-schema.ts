/**
 * JSON Schemas that others wrote, made into checks that cannot be led astray.
 *
 * Drafts 2020-12, 2019-09 and 07 (04 and 06 in their likeness), formats included. Nothing is fetched, no regular expression
 * backtracks, and the work for one value is counted: whatever the schema and whatever the value, a check ends. A schema that is too
 * large, refers to what is not in it or says something that its keyword cannot mean is not used at all (UnusableSchema).
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { draftOf, type Draft } from './draft.ts'
import { ARRAYS } from './keywords/arrays.ts'
import { COMBINED, UNEVALUATED } from './keywords/combined.ts'
import { OBJECTS } from './keywords/objects.ts'
import { SCALARS } from './keywords/scalars.ts'
import { constCheck, enumCheck, typeCheck } from './keywords/values.ts'
import { evaluate, type Check, type CompileContext, type Node } from './node.ts'
import { createReferences, type References } from './references.ts'
import { pointerOf, Validation, VALIDATION_BOUNDS, TooMuchWork, type Problem } from './validation.ts'
import { refuseOversized, UnusableSchema } from './usable.ts'

export interface Checked {
  /** Empty where the value fits. */
  readonly problems: readonly Problem[]
  /** Also of those that are not told. */
  readonly count: number
  /** Steps that were done. */
  readonly work: number
}

export interface ReadSchema {
  readonly draft: Draft
  /** Parts of the schema that are not checked, as phrases. */
  readonly unchecked: readonly string[]
  /** All that does not fit, in the order of the schema. Throws UnusableSchema where that shows only now. */
  check(value: Json): Checked
}

type Keyword = (value: Json, context: CompileContext, schema: JsonObject) => Check | undefined

/** In this order, so that what a value is comes before what is in it. */
const KEYWORDS: readonly (readonly [name: string, keyword: Keyword])[] = Object.entries({
  type: typeCheck,
  const: constCheck,
  enum: enumCheck,
  ...COMBINED,
  ...OBJECTS,
  ...ARRAYS,
  ...SCALARS,
  ...UNEVALUATED,
})
const USES_EVALUATED = Object.keys(UNEVALUATED)

interface Waiting extends Node {
  readonly schema: JsonObject
  readonly base: string
  readonly where: string
}

const MOST_NOTES = 20

/** Throws UnusableSchema. */
export function readSchema(schema: unknown): ReadSchema {
  refuseOversized(schema)
  if (!isObject(schema)) throw new UnusableSchema('is not an object')
  const draft = draftOf(schema)
  const references = createReferences(schema, draft)
  const unchecked = new Set<string>()
  const root = makeAll(schema, { draft, references, unchecked })
  return { draft, unchecked: [...unchecked], check: (value) => checkBy(root, value) }
}

interface Document {
  readonly draft: Draft
  readonly references: References
  readonly unchecked: Set<string>
}

/** Each schema once, by a list instead of recursion: a chain of references may be as long as the document. */
function makeAll(root: JsonObject, { draft, references, unchecked }: Document): Node {
  const made = new Map<JsonObject, Node>()
  const open: Waiting[] = []

  function nodeOf(schema: unknown, base: string, where: string): Node {
    if (typeof schema === 'boolean') return { checks: [], never: !schema, tracks: false }
    if (!isObject(schema)) throw new UnusableSchema(`has a value that is not a schema at ${where.slice(0, 200)}`)
    const known = made.get(schema)
    if (known !== undefined) return known
    const node: Waiting = {
      checks: [],
      never: false,
      tracks: false,
      schema,
      base: references.baseIn(schema, base),
      where,
    }
    made.set(schema, node)
    open.push(node)
    return node
  }

  const first = nodeOf(root, references.base, '')
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const { schema, base, where } = node
    const context: CompileContext = {
      draft,
      where,
      child: (child, below) => nodeOf(child, base, `${where}/${below}`),
      refer(reference) {
        const found = references.find(reference, base)
        if (found === undefined) throw new UnusableSchema(`refers to ${reference.slice(0, 200)}, which is not in it`)
        return nodeOf(found.schema, found.base, reference)
      },
      skip: (note) =>
        void (unchecked.size < MOST_NOTES && unchecked.add(`${note} at ${where.slice(0, 200) || 'its root'}`)),
    }
    // In draft-07 nothing counts beside a reference.
    const alone = draft === 'draft-07' && schema['$ref'] !== undefined
    for (const [name, keyword] of KEYWORDS) {
      const value = schema[name]
      if (value === undefined || (alone && name !== '$ref') || !Object.hasOwn(schema, name)) continue
      const check = keyword(value, context, schema)
      if (check !== undefined) node.checks.push(check)
    }
    node.tracks = !alone && USES_EVALUATED.some((name) => Object.hasOwn(schema, name))
  }
  return first
}

function checkBy(root: Node, value: Json): Checked {
  const validation = new Validation()
  try {
    refuseDeep(value)
    evaluate(root, value, undefined, validation)
  } catch (thrown) {
    if (!(thrown instanceof TooMuchWork)) throw thrown
    const message = thrown.message === '' ? 'is too large to be checked' : `cannot be checked: ${thrown.message}`
    return { problems: [{ path: '', message }], count: 1, work: validation.spent }
  }
  const problems = validation.found.map(({ at, message }) => ({
    path: pointerOf(at),
    message: message.slice(0, LONGEST),
  }))
  return { problems, count: validation.count, work: validation.spent }
}

const LONGEST = 400

/** Before anything looks into it. */
function refuseDeep(value: Json): void {
  const open: { value: Json; level: number }[] = [{ value, level: 0 }]
  let values = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1
    if (values > VALIDATION_BOUNDS.values) throw new TooMuchWork(`it has more than ${VALIDATION_BOUNDS.values} values`)
    if (typeof next.value !== 'object' || next.value === null) continue
    const level = next.level + 1
    if (level > VALIDATION_BOUNDS.levels)
      throw new TooMuchWork(`it nests deeper than ${VALIDATION_BOUNDS.levels} levels`)
    const items = Array.isArray(next.value) ? next.value : Object.values(next.value)
    for (const item of items) open.push({ value: item, level })
  }
}
