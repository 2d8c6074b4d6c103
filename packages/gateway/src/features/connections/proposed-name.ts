/**
 * The name that a server gives itself, as it is proposed for its connection. A stranger wrote it: one line, short, with nothing in it
 * that the eye does not see, and nothing that looks like a secret.
 */
import { visible } from '@toolway/contract'
import { shortText } from '../../lib/mask-text.ts'

/** Characters. */
const MOST = 80
/** Characters that are looked at: the rest would be cut off anyway. */
const LOOKED_AT = 4 * MOST

/** The first of them that is a name; undefined where none is. */
export function proposedName(...input: readonly unknown[]): string | undefined {
  for (const value of input) {
    if (typeof value !== 'string') continue
    const line = value.slice(0, LOOKED_AT).replaceAll(/\s+/g, ' ').trim()
    const name = shortText(visible(line.toWellFormed()), MOST)
    if (name !== '') return name
  }
  return undefined
}
