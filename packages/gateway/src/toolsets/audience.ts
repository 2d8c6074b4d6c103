/** Whether a toolset is there for somebody. Pure: who it is, is found out by whoever asks. */
import type { Audience, Role } from '@toolway/contract'

/** Somebody, as far as an audience asks. Empty texts where there is nothing to know. */
export interface Somebody {
  readonly role: Role
  /** Address of the member behind the call. */
  readonly email: string
  /** Slugs of the groups that the member is in. */
  readonly groups: readonly string[]
  readonly keyId: string
  /** Name of a key that is nobody's: members name theirs as they like, and no name of theirs lets them in. */
  readonly keyName: string
}

export function isFor({ roles, groups, members, keys }: Audience, somebody: Somebody): boolean {
  const { role, email, keyId, keyName } = somebody
  return (
    roles?.includes(role) === true ||
    (email !== '' && members?.includes(email.toLowerCase()) === true) ||
    groups?.some((group) => somebody.groups.includes(group)) === true ||
    keys?.some((key) => key !== '' && (key === keyId || key === keyName)) === true
  )
}
