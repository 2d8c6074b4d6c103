/** Selects operations by name, tag, method and path. */
import type { Effect, OperationEffects, OperationSelection } from '@toolway/contract'

export interface Selectable {
  readonly operationId: string | undefined
  readonly name: string
  readonly method: string
  readonly path: string
  readonly tags: readonly string[]
}

type Test = (selectable: Selectable) => boolean

/** `*` stands for any run of characters; case counts for nothing. */
function testOf(pattern: string): Test {
  const [, kind = 'operation', glob = pattern] = /^(operation|tag|method|path):(.*)$/s.exec(pattern) ?? []
  const fits = globOf(glob)
  if (kind === 'tag') return ({ tags }) => tags.some(fits)
  if (kind === 'method') return ({ method }) => fits(method)
  if (kind === 'path') return ({ path }) => fits(path)
  return ({ operationId, name }) => (operationId !== undefined && fits(operationId)) || fits(name)
}

/** Without a regular expression: somebody else writes the pattern, and each piece is looked for once. */
function globOf(glob: string): (text: string) => boolean {
  const pieces = glob.toLowerCase().split('*')
  const [first = '', ...rest] = pieces
  return (input) => {
    const text = input.toLowerCase()
    if (rest.length === 0) return text === first
    if (!text.startsWith(first)) return false
    let at = first.length
    const last = rest.at(-1) ?? ''
    for (const piece of rest.slice(0, -1)) {
      const found = text.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return text.length - at >= last.length && text.endsWith(last)
  }
}

export function selects({ include, exclude }: OperationSelection): Test {
  const included = include?.map(testOf)
  const barred = exclude.map(testOf)
  return (selectable) =>
    (included?.some((fits) => fits(selectable)) ?? true) && !barred.some((fits) => fits(selectable))
}

/** The effect that is said of an operation, by the last pattern that fits. */
export function effectSaid(effects: OperationEffects): (selectable: Selectable) => Effect | undefined {
  const stated = Object.entries(effects).map(([pattern, effect]) => [testOf(pattern), effect] as const)
  return (selectable) => stated.findLast(([fits]) => fits(selectable))?.[1]
}
