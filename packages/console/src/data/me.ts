/** Who is signed in, in which organization they look, and what they may there. */
import { permits, type Permission, type Role } from '@toolway/contract'
import { showMe, type Whoami } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { ask } from './queries.ts'

export type Membership = Whoami['organizations'][number]

/** Asked once: what changes of it is told by refusals, and by another sign-in. */
export const me = { ...ask('me', showMe), staleTime: Number.POSITIVE_INFINITY, refetchOnMount: true } as const

/** Only below the frame, which waits for the answer. */
export function useMe(): Whoami {
  const { data } = useQuery(me)
  if (data === undefined) throw new Error('Nobody knows yet who is signed in.')
  return data
}

/** The parameter of every address that says which organization is looked at. */
export const ORGANIZATION = 'org'

/** The organization of this page: the one that the address names, else the first. Undefined for who is in none. */
export function useMembership(): Membership | undefined {
  const { organizations } = useMe()
  const named = useSearch({ strict: false, select: (search: Record<string, unknown>) => search[ORGANIZATION] })
  return organizations.find(({ slug }) => slug === named) ?? organizations[0]
}

/** Its slug, for the paths of operations. Only below the frame, which shows no screen to who is in no organization. */
export function useOrganization(): string {
  const membership = useMembership()
  if (membership === undefined) throw new Error('This screen is about an organization.')
  return membership.slug
}

/** Whether who is signed in may do that in this organization, or in the installation. */
export function useMay(permission: Permission, where: 'organization' | 'platform' = 'organization'): boolean {
  const { user } = useMe()
  const membership = useMembership()
  const role: Role | undefined = user?.platform_admin === true ? 'platform_admin' : membership?.role
  if (role === undefined) return false
  return (where === 'organization' || role === 'platform_admin') && permits(role, permission)
}
