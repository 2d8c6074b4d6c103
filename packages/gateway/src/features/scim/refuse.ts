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
