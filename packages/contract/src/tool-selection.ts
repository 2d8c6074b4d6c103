/**
 * Applies the selection of tools to the patterns of a toolset. An existing pattern is kept as long as possible, so that it still
 * applies to tools that are added later.
 */
import type { ToolsetSettings } from './connections.ts'

export type SelectedTools = Pick<ToolsetSettings, 'connections' | 'include' | 'exclude'>

export interface PickableTool {
  readonly rule_name: string
  readonly alias: string
}

/** `*` stands for any run of characters, everything else for itself. */
export function fitsPattern(pattern: string, name: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return name === head
  const tail = rest.pop() ?? ''
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false
  let at = head.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - tail.length
}

/** Patterns that are names are looked up; only the others are tried one by one. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*'))
  return (name) => names.has(name) || globs.some((pattern) => fitsPattern(pattern, name))
}

export function selects({ connections, include, exclude }: SelectedTools): (tool: PickableTool) => boolean {
  const [taken, left] = [matcher(include), matcher(exclude)]
  const aliases = connections === undefined ? undefined : new Set(connections)
  return ({ rule_name: name, alias }) => aliases?.has(alias) !== false && taken(name) && !left(name)
}

export const ALL_TOOLS: SelectedTools = { include: ['*'], exclude: [] }
export const NO_TOOLS: SelectedTools = { include: [], exclude: [] }

/** @param known all tools there are, by which a pattern is replaced that would keep one of these out */
export function takeTools(
  selected: SelectedTools,
  tools: readonly PickableTool[],
  known: readonly PickableTool[],
): SelectedTools {
  const { include, exclude, ...rest } = withoutConnectionList(selected, tools, known)
  const chosen = new Set(tools.map(({ rule_name: name }) => name))
  const left = exclude.flatMap((pattern) => {
    if (chosen.has(pattern)) return []
    if (!pattern.includes('*') || !tools.some(({ rule_name: name }) => fitsPattern(pattern, name))) return [pattern]
    return known.flatMap(({ rule_name: name }) => (fitsPattern(pattern, name) && !chosen.has(name) ? [name] : []))
  })
  const taken = matcher(include)
  const named = [...chosen].filter((name) => !taken(name))
  return { ...rest, include: distinct([...include, ...named]), exclude: distinct(left) }
}

export function dropTools(selected: SelectedTools, tools: readonly PickableTool[]): SelectedTools {
  const gone = new Set(tools.map(({ rule_name: name }) => name))
  const include = selected.include.filter((pattern) => !gone.has(pattern))
  const isIn = selects({ ...selected, include })
  const still = tools.filter(isIn).map(({ rule_name: name }) => name)
  return { ...selected, include, exclude: distinct([...selected.exclude, ...still]) }
}

const of = (alias: string) => (pattern: string) => pattern.startsWith(`${alias}__`)

/** All of a connection, what it gets later too. */
export function takeConnection(selected: SelectedTools, alias: string, known: readonly PickableTool[]): SelectedTools {
  const own = known.filter((tool) => tool.alias === alias)
  const { include, exclude, ...rest } = withoutConnectionList(selected, own, known)
  const whole = include.includes('*') ? '*' : `${alias}__*`
  const next = {
    ...rest,
    include: distinct([...include.filter((pattern) => !of(alias)(pattern)), whole]),
    exclude: exclude.filter((pattern) => !of(alias)(pattern)),
  }
  return takeTools(next, own, known)
}

export function dropConnection(selected: SelectedTools, alias: string, known: readonly PickableTool[]): SelectedTools {
  const next = {
    ...selected,
    include: selected.include.filter((pattern) => !of(alias)(pattern)),
    exclude: selected.exclude.filter((pattern) => !of(alias)(pattern)),
  }
  const isIn = selects(next)
  return known.some((tool) => tool.alias === alias && isIn(tool))
    ? { ...next, exclude: [...next.exclude, `${alias}__*`] }
    : next
}

/** Whether the selection takes in these tools without a look at others: no pattern has to be replaced by the tools that it fits. */
export const changesAlone = ({ connections, exclude }: SelectedTools, tools: readonly PickableTool[]): boolean =>
  (connections === undefined || tools.every(({ alias }) => connections.includes(alias))) &&
  !exclude.some((pattern) => pattern.includes('*') && tools.some(({ rule_name: name }) => fitsPattern(pattern, name)))

/** A list of connections is said by patterns, where a tool of another one is wanted. */
function withoutConnectionList(
  selected: SelectedTools,
  tools: readonly PickableTool[],
  known: readonly PickableTool[],
): SelectedTools {
  const { connections, include, exclude } = selected
  if (connections === undefined || tools.every(({ alias }) => connections.includes(alias))) return selected
  const inside = known.filter(({ alias }) => connections.includes(alias))
  const patterns = include.flatMap((pattern) => {
    if (pattern === '*') return connections.map((alias) => `${alias}__*`)
    if (connections.some((alias) => of(alias)(pattern))) return [pattern]
    return inside.flatMap(({ rule_name: name }) => (fitsPattern(pattern, name) ? [name] : []))
  })
  return { include: distinct(patterns), exclude }
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)]
