/** Whether a toolset is there for somebody. Pure: who it is, is found out by whoever asks. */
import type { Audience, PrincipalFacts } from '@toolway/contract'

/** Of keys those count by name that are nobody's: members name theirs as they like, and no name of theirs lets them in. */
export function isFor({ roles, groups, members, keys }: Audience, who: PrincipalFacts): boolean {
  const email = who.email.toLowerCase()
  return (
    roles?.some((role) => role === who.role) === true ||
    (email !== '' && members?.includes(email) === true) ||
    groups?.some((group) => who.groups.includes(group)) === true ||
    keys?.some((key) => key === who.keyId || key === who.key) === true
  )
}
