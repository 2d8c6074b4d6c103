/**
 * Conditions of rules: CEL (https://cel.dev) over `principal`, `tool`, `args` and `context`, parsed once and evaluated for each
 * call.
 *
 * The language has no side effects and no access to anything else. It iterates over existing lists only, within a limit of steps:
 * conditions of one organization run beside the calls of all others. `matches` is RE2 here, as the specification of CEL requires,
 * so that no text makes a pattern slow. Reading an absent member is an error, and an error is never a "no": the caller decides
 * what it means (`has(args.limit)` tests whether a member is present).
 */
import { Environment, serialize } from '@marcbachmann/cel-js'
import { RE2JS } from 're2js'
import type { ContextFacts, PrincipalFacts, ToolFacts } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

export interface ConditionFacts {
  readonly principal: PrincipalFacts
  readonly tool: ToolFacts
  readonly args: JsonObject
  readonly context: ContextFacts
}

export interface Condition {
  readonly text: string
  readonly readsArguments: boolean
  /** Whether it asks who calls, where or when. */
  readonly readsCaller: boolean
  /** Throws where it has no answer. */
  holds(facts: ConditionFacts): boolean
}

const LIMITS = { maxAstNodes: 2000, maxDepth: 60, maxListElements: 1000, maxMapEntries: 200, maxCallArguments: 16 }
const MATCHES = 'matches'
const LINEAR = 'matchesLinear'
const SPENT = 'spentOn'
/** Macros that iterate over a list, or over the names of a map. */
const WALKS: ReadonlySet<unknown> = new Set(['all', 'exists', 'exists_one', 'filter', 'map'])
/** Compiled patterns of all conditions: their number is the administrators' choice, but for one that a caller writes. */
const MOST_PATTERNS = 500
/** As long as a condition may be. */
const LONGEST_PATTERN = 4_000
const READS_FILES = /\bcontext\s*(?:\.\s*\??\s*files\b|\[)/
/** A fact is no type of CEL, so that its check lets this pass, and every call would be without an answer. */
const TEXT_AS_TIME = /\bcontext\.time\.get[A-Z]\w*\(/
const patterns = new Map<string, RE2JS>()

/** Elements that a condition may walk through for one answer: lists in lists multiply. */
const MOST_STEPS = 100_000
/** Characters that cost as much as an element. */
const PER_STEP = 16
/** Of the condition that is being evaluated; its evaluation has no pauses. */
let stepsLeft = 0

function spend(steps: number): void {
  stepsLeft -= steps
  if (stepsLeft < 0) throw new Error(`it takes more than ${MOST_STEPS} steps`)
}

/** Goes on as it is, and costs as much as walking through it. */
function spentOn(value: unknown): unknown {
  if (typeof value === 'string') spend(value.length / PER_STEP)
  else if (Array.isArray(value)) spend(value.length + 1)
  else if (typeof value === 'object' && value !== null)
    spend(1 + (value instanceof Map || value instanceof Set ? value.size : Object.keys(value).length))
  return value
}

function matchesPattern(text: string, pattern: string): boolean {
  spend(1 + text.length / PER_STEP)
  if (pattern.length > LONGEST_PATTERN) throw new Error(`a pattern is longer than ${LONGEST_PATTERN} characters`)
  let compiled = patterns.get(pattern)
  if (compiled === undefined) {
    compiled = RE2JS.compile(pattern)
    if (patterns.size >= MOST_PATTERNS) patterns.clear()
    patterns.set(pattern, compiled)
  }
  return compiled.matcher(text).find()
}

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: LIMITS,
})
for (const name of ['principal', 'tool', 'args', 'context']) environment.registerVariable(name, 'map')
environment.registerFunction(`string.${LINEAR}(string): bool`, matchesPattern)
environment.registerFunction(`${SPENT}(dyn): dyn`, spentOn)
// JSON has one kind of number: what is written as 100 compares with 100.5, and is added to it.
const MIXED: Readonly<Record<string, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
}
for (const [sign, work] of Object.entries(MIXED)) {
  environment.registerOperator(`double ${sign} int: double`, (left: number, right: bigint) => work(left, Number(right)))
  environment.registerOperator(`int ${sign} double: double`, (left: bigint, right: number) => work(Number(left), right))
}

interface Node {
  readonly op: string
  args: unknown
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit)
  if (!isNode(value)) return
  visit(value)
  walk(value.args, visit)
}

/** The same, where each list is paid for before it is walked through, and whatever is put together once it is there. */
function withPaidLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPaidLists)
  if (!isNode(value)) return value
  const { op } = value
  const args = withPaidLists(value.args)
  if (op === 'rcall' && Array.isArray(args) && WALKS.has(args[0]))
    return { op, args: [args[0], paid(args[1]), ...(args.slice(2) as unknown[])] }
  return op === '+' ? paid({ op, args }) : { op, args }
}
const paid = (node: unknown) => ({ op: 'call', args: [SPENT, [node]] })

/** The syntax tree of a condition, for whoever looks into it. Throws where it cannot be read. */
export const parseCondition = (text: string): unknown => environment.parse(text).ast

/** Throws an Error whose message says what is wrong with it, and where. */
export function createCondition(text: string): Condition {
  const read = environment.parse(text)
  const names = new Set<string>()
  walk(read.ast, (node) => {
    if (node.op === 'id' && typeof node.args === 'string') names.add(node.args)
    if (node.op === 'rcall' && Array.isArray(node.args) && node.args[0] === MATCHES) {
      checkPattern(node.args)
      node.args[0] = LINEAR
    }
    if (node.op === 'call' && Array.isArray(node.args) && node.args[0] === MATCHES)
      throw new Error('write text.matches("…") instead of matches(text, "…")')
  })
  const linear = serialize(read.ast)
  if (TEXT_AS_TIME.test(linear))
    throw new Error('context.time is a text: write timestamp(context.time) before its hours and days')
  const checked = environment.check(linear)
  if (!checked.valid) throw new Error(checked.error?.message.split('\n')[0] ?? 'it cannot be read')
  if (checked.type !== 'bool' && checked.type !== 'dyn')
    throw new Error(`it returns ${checked.type ?? 'nothing'}, but a condition must return true or false`)
  const ask = environment.parse(serialize(withPaidLists(read.ast) as typeof read.ast))
  return {
    text,
    // The files of a call are known when its arguments are.
    readsArguments: names.has('args') || READS_FILES.test(linear),
    readsCaller: names.has('principal') || names.has('context'),
    holds(facts) {
      stepsLeft = MOST_STEPS
      const answer: unknown = ask(facts)
      // An error within a list may be made up for by another element of it.
      spend(0)
      if (typeof answer !== 'boolean') throw new Error('it returned neither true nor false')
      return answer
    },
  }
}

/** A pattern that stands there is tried at once, so that a mistake is told to whoever writes it. */
function checkPattern([, , input]: readonly unknown[]): void {
  const [pattern] = Array.isArray(input) ? (input as unknown[]) : []
  if (isNode(pattern) && pattern.op === 'value' && typeof pattern.args === 'string') RE2JS.compile(pattern.args)
}

/** Undefined where a text is a condition; else what is wrong with it. */
export function checkCondition(text: string): string | undefined {
  try {
    createCondition(text)
    return undefined
  } catch (thrown) {
    return (thrown as Error).message.split('\n')[0]
  }
}
