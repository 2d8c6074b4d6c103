/**
 * Values of a declaration file that may be secrets: a text, `{ env: NAME }` or `{ file: path }`, and how they are looked up. An error
 * names the member and never repeats a value.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import type { Complain } from './config-file-fault.ts'

export const Value = z.union(
  [z.string(), z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })],
  'must be a string, { env: NAME } or { file: path }',
)
export const Values = z.record(z.string(), Value)

export interface FillParts {
  readonly path: string
  /** Where the organization stands in the file. */
  readonly place: readonly string[]
  lookup(name: string): string | undefined
  readonly complain: Complain
}

export interface Fill {
  (value: z.output<typeof Value>, ...keys: string[]): string
  complain: Complain
}

/** From what stands in the file to the value that is meant. */
export function createFill({ path, place, lookup, complain }: FillParts): Fill {
  const complainHere: Complain = (keys, problem) => complain([...place, ...keys], problem)
  const fill = (value: z.output<typeof Value>, ...keys: string[]): string => {
    if (typeof value === 'string') return value
    if ('env' in value) {
      const text = lookup(value.env)
      if (text === undefined) throw complainHere(keys, `needs the environment variable ${value.env}, which is not set`)
      return text
    }
    const file = resolve(dirname(path), value.file)
    try {
      return readFileSync(file, 'utf8').trim()
    } catch (thrown) {
      throw complainHere(keys, `points to ${file}, which cannot be read (${(thrown as NodeJS.ErrnoException).code})`)
    }
  }
  return Object.assign(fill, { complain: complainHere })
}
