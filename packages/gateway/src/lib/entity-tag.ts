/** Whether a thing is still as the one who changes it saw it (RFC 9110, section 13.1.1): its tag is when it was changed last. */
import { createHash } from 'node:crypto'
import { Fault } from '@toolway/contract'

export const tagOf = (changed: Date): string => `"${changed.toISOString()}"`

/**
 * Throws `request.stale`. A request without a tag changes the resource as it is. Call it in the transaction that holds the row.
 */
export function refuseStale(thing: string, changed: Date, ifMatch: string | undefined): void {
  if (ifMatch !== undefined && ifMatch !== changed.toISOString()) throw new Fault('request.stale', { thing })
}

/**
 * Of an answer that the version of an organization moves: another version is another tag, and so is what the version does not count
 * (what this caller may see, and how its accounts are).
 */
export const versionTag = (version: number, answer: unknown): string =>
  `W/"${version}-${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 16)}"`

/** Whether the one who asks has that already (RFC 9110, section 13.1.2, compared weakly). */
export const knowsTag = (ifNoneMatch: string | undefined, tag: string): boolean => {
  const bare = (value: string) => value.trim().replace(/^W\//, '')
  return ifNoneMatch?.split(',').some((value) => bare(value) === bare(tag)) ?? false
}
