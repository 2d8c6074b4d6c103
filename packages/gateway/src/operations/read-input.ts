/**
 * Reading the input of an operation by its shapes, the same for every face. Text that PostgreSQL cannot hold is refused before
 * anything is made of it.
 */
import { Fault } from '@toolway/contract'
import type { Operation, Shape } from '@toolway/contract/admin'
import type { z } from 'zod'

/** An input as it was given: JSON, and texts of an address. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Undefined: none. */
  readonly body: unknown
}

/** Throws `body.shape`. */
export function readInput(operation: Operation, { query, body }: Pick<RawInput, 'query' | 'body'>) {
  const badPath = unstorable(body)
  if (badPath !== undefined)
    throw new Fault('body.shape', { place: badPath, problem: 'contains a character that is not allowed' })
  return { query: parseInput(operation.query, query, 'query'), body: parseInput(operation.body, body, '') }
}

/** NUL and half a surrogate pair: JSON can say them, and PostgreSQL cannot hold them (its documentation, character types). */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The place of the first text that is not, by its names. */
function unstorable(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : path || '/'
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    if (!isStorable(name)) return path || '/'
    const found = unstorable(inner, `${path}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * Refuses text that cannot be stored, because nothing can have it as its name. Throws `place.unknown`, `thing.unknown` and
 * `body.shape`.
 */
export function refuseUnstorable({ params, query }: Pick<RawInput, 'params' | 'query'>): void {
  for (const [name, value] of Object.entries(params))
    if (!isStorable(value))
      throw name === 'organization' ? new Fault('place.unknown') : new Fault('thing.unknown', { thing: name })
  for (const [name, value] of Object.entries(query))
    if (!isStorable(name) || !isStorable(value))
      throw new Fault('body.shape', { place: '/query', problem: 'contains a character that is not allowed' })
}

function parseInput(shape: Shape, value: unknown, under: string): unknown {
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const issue: z.core.$ZodIssue | undefined = result.error.issues[0]
  const path = `/${[...(under === '' ? [] : [under]), ...(issue?.path ?? [])].map(String).join('/')}`
  throw new Fault('body.shape', { place: path, problem: issue?.message ?? 'is not valid' })
}
