/**
 * The members that a condition reads, found without evaluating it: members of `principal`, `tool`, `args` and `context`, and the
 * plain values that it compares with. Used to explain a rule, and to know which arguments a record needs to evaluate it again.
 */
import type { Path } from '../lib/parameter-path.ts'
import { parseCondition } from './condition.ts'

const ROOTS = ['principal', 'tool', 'args', 'context'] as const
type Root = (typeof ROOTS)[number]

export interface Read {
  readonly root: Root
  /** Empty where it reads all of it. Members behind an index are not distinguished: `args.list[0].name` reads `list`. */
  readonly path: Path
}

export interface ConditionReads {
  readonly reads: readonly Read[]
  readonly literals: readonly (string | number | boolean)[]
}

export interface Node {
  readonly op: string
  readonly args: unknown
}
export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value
const isRoot = (name: unknown): name is Root => ROOTS.some((root) => root === name)

/** Of a text that is no condition: nothing. */
export function conditionReadsOf(text: string): ConditionReads {
  const reads = new Map<string, Read>()
  const literals = new Set<string | number | boolean>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isNode(value)) return
    const chain = chainOf(value)
    if (chain !== undefined) reads.set(`${chain.root} ${chain.path.join('\0')}`, chain)
    if (value.op === 'value') {
      const literal = typeof value.args === 'bigint' ? Number(value.args) : value.args
      if (typeof literal === 'string' || typeof literal === 'number' || typeof literal === 'boolean')
        literals.add(literal)
    }
    // A chain is one read; only what stands in its brackets may read more.
    if (chain === undefined) visit(value.args)
    else for (const inner of bracketsOf(value)) visit(inner)
  }
  try {
    visit(parseCondition(text))
  } catch {
    return { reads: [], literals: [] }
  }
  return { reads: [...reads.values()], literals: [...literals] }
}

/**
 * The argument without which a condition is false, whatever else it asks: it begins with `has(args.name)` or `"name" in args`, and
 * what follows is joined by `&&`, which asks no further then.
 */
export function requiredArgument(text: string): string | undefined {
  let first = parseCondition(text)
  while (isNode(first) && first.op === '&&' && Array.isArray(first.args)) first = (first.args as unknown[])[0]
  if (!isNode(first) || !Array.isArray(first.args)) return undefined
  const [left, right] = first.args as unknown[]
  if (first.op === 'in' && isArguments(right))
    return isNode(left) && left.op === 'value' ? nameOf(left.args) : undefined
  const [member] = first.op === 'call' && left === 'has' && Array.isArray(right) ? (right as unknown[]) : []
  if (!isNode(member) || member.op !== '.' || !Array.isArray(member.args)) return undefined
  const [holder, name] = member.args as unknown[]
  return isArguments(holder) ? nameOf(name) : undefined
}

const isArguments = (value: unknown): boolean => isNode(value) && value.op === 'id' && value.args === 'args'
const nameOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** The longest plain path from a root: `args.filters.owner`, `args["owner"]`. */
export function chainOf(node: Node): Read | undefined {
  if (node.op === 'id') return isRoot(node.args) ? { root: node.args, path: [] } : undefined
  if ((node.op !== '.' && node.op !== '[]') || !Array.isArray(node.args)) return undefined
  const [holder, key] = node.args as readonly unknown[]
  if (!isNode(holder)) return undefined
  const before = chainOf(holder)
  if (before === undefined) return undefined
  const name = node.op === '.' ? key : isNode(key) && key.op === 'value' ? key.args : undefined
  // Behind an index the place is not plain any more.
  if (typeof name !== 'string' || passesIndex(holder)) return before
  return { root: before.root, path: [...before.path, name] }
}

export function passesIndex(node: Node): boolean {
  if ((node.op !== '.' && node.op !== '[]') || !Array.isArray(node.args)) return false
  const [holder, key] = node.args as readonly unknown[]
  const plain = node.op === '.' || (isNode(key) && key.op === 'value' && typeof key.args === 'string')
  return !plain || (isNode(holder) && passesIndex(holder))
}

function bracketsOf(node: Node): unknown[] {
  if (!Array.isArray(node.args)) return []
  const [holder, key] = node.args as readonly unknown[]
  const inner = isNode(holder) ? bracketsOf(holder) : []
  return node.op === '[]' && isNode(key) && key.op !== 'value' ? [...inner, key] : inner
}
