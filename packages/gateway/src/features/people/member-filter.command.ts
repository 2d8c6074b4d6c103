/** How commands narrow the members of an organization: as the admin interface does. */
import { MEMBER_ROLES, type MemberRole } from '@toolway/contract/admin'
import { InvalidArgumentError, Option } from 'commander'

export interface OrganizationOption {
  readonly organization: string
}

export interface Filtering extends OrganizationOption {
  readonly search?: string
  readonly role?: MemberRole
  readonly group?: string
  readonly source?: string
  readonly active?: boolean
  readonly seenAfter?: string
  readonly seenBefore?: string
}

const momentOf = (text: string): string => {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('It is not a date, such as 2026-11-30.')
  return at.toISOString()
}

export const filterOptions = [
  new Option('--search <text>', 'part of a name or an email address'),
  new Option('--role <role>', 'only this role').choices(MEMBER_ROLES),
  new Option('--group <group>', 'only members of this group'),
  new Option('--source <source>', 'only manual, scim, provider, or provider: and the id of a provider'),
  new Option('--active', 'only people who can sign in'),
  new Option('--no-active', 'only people who are suspended or deactivated'),
  new Option('--seen-after <date>', 'only people who were seen from then on').argParser(momentOf),
  new Option('--seen-before <date>', 'only people who were not seen since then').argParser(momentOf),
]

export const filterOf = ({ search, role, group, source, active, seenAfter, seenBefore }: Filtering) => ({
  ...{ search, role, group, source, is_active: active === undefined ? undefined : (`${active}` as const) },
  ...{ seen_after: seenAfter, seen_before: seenBefore },
})
