/** Names of tools: made of what the document calls an operation, the same each time it is read, and unique. */
import { createHash } from 'node:crypto'
import { LIMITS } from './limits.ts'

const SHORT = 6

export interface OperationNames {
  readonly operationId: string | undefined
  readonly method: string
  readonly path: string
}

/**
 * Returns a unique name for each operation, in their order. Names that would clash get a suffix made from method and path, so
 * that they do not depend on the order.
 */
export function namesFor(all: readonly OperationNames[]): string[] {
  const plainNames = all.map(plainNameOf)
  const often = new Map<string, number>()
  for (const name of plainNames) often.set(name.toLowerCase(), (often.get(name.toLowerCase()) ?? 0) + 1)
  return all.map((operationNames, at) => {
    const name = plainNames[at] ?? ''
    const isUnique = often.get(name.toLowerCase()) === 1
    return isUnique && name.length <= LIMITS.name
      ? name
      : `${name.slice(0, LIMITS.name - SHORT - 1)}_${markOf(operationNames)}`
  })
}

function plainNameOf({ operationId, method, path }: OperationNames): string {
  const named = clean(operationId ?? '')
  return named === '' ? clean(`${method.toLowerCase()}_${path}`) || method.toLowerCase() : named
}

const clean = (text: string) => text.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^[_-]+|[_-]+$/g, '')

const markOf = ({ method, path }: OperationNames) =>
  createHash('sha256').update(`${method} ${path}`).digest('hex').slice(0, SHORT)
