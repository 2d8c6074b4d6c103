/**
 * The names of arguments that a condition mentions: paths where the place is plain (`args.filters.owner`, `"owner" in args`), and
 * names alone where it is not (`args.items.exists(i, i.amount > 5)`), which count at any depth.
 */
import type { Path } from '../lib/parameter-path.ts'
import { parseCondition } from './condition.ts'
import { chainOf, isNode, passesIndex, type Node } from './condition-reads.ts'

export interface MentionedNames {
  readonly paths: readonly Path[]
  readonly unplacedNames: readonly string[]
}

const NOTHING: MentionedNames = { paths: [], unplacedNames: [] }
const MEMBER: ReadonlySet<string> = new Set(['.', '[]', '.?', '[?]'])

/** Nothing of a text that is no condition, or does not look at the arguments. */
export function namesIn(text: string): MentionedNames {
  const paths: Path[] = []
  const unplacedNames = new Set<string>()
  const literals = new Set<string>()
  let [reads, whole] = [false, false]
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isNode(value)) return
    const { op, args } = value
    const chain = chainOf(value)
    if (chain?.root === 'args') {
      reads = true
      if (chain.path.length > 0) paths.push(chain.path)
      else if (op === 'id') whole = true
    }
    const plain = chain !== undefined && !passesIndex(value)
    const name = memberOf(value)
    if (name !== undefined && !plain) unplacedNames.add(name)
    if (op === 'in') visitIn(args, paths, unplacedNames)
    const literal = textOf(value)
    if (literal !== undefined) literals.add(literal)
    // The parts of a plain chain say nothing that the chain does not say.
    if (!plain) visit(args)
  }
  try {
    visit(parseCondition(text))
  } catch {
    return NOTHING
  }
  if (!reads) return NOTHING
  // A condition that walks through all arguments compares their names with texts.
  return { paths, unplacedNames: [...unplacedNames, ...(whole ? literals : [])] }
}

const textOf = ({ op, args }: Node): string | undefined =>
  op === 'value' && typeof args === 'string' ? args : undefined

function memberOf({ op, args }: Node): string | undefined {
  if (!MEMBER.has(op) || !Array.isArray(args)) return undefined
  const key: unknown = args[1]
  if (typeof key === 'string') return key
  return isNode(key) ? textOf(key) : undefined
}

function visitIn(args: unknown, paths: Path[], unplacedNames: Set<string>): void {
  const [key, holder] = Array.isArray(args) ? (args as unknown[]) : []
  const name = isNode(key) ? textOf(key) : undefined
  if (name === undefined || !isNode(holder)) return
  const chain = chainOf(holder)
  if (chain === undefined || passesIndex(holder)) unplacedNames.add(name)
  else if (chain.root === 'args') paths.push([...chain.path, name])
}
