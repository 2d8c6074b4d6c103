/** Refusals of SCIM requests, by the words of RFC 7644, table 9. */
import { Fault } from '@toolway/contract'

export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'invalidCursor'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'

export const refused = (kind: ScimType, problem: string): Fault => new Fault('scim.refused', { kind, problem })

/** Throws `scim.refused` where an organization has as many of these as it may have. */
export function refuseFull(count: number, most: number, things: 'groups' | 'people'): void {
  if (count >= most) throw refused('tooMany', `an organization has at most ${most} ${things} by SCIM`)
}
