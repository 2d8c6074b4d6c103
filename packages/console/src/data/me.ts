/** The signed-in user, the current organization, and the user's permissions in it. */
import { permits, type Permission, type Role } from '@toolway/contract'
import { showMe, type Whoami } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useRouter, useRouterState, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ORGANIZATION, withPrefix } from './organization-path.ts'
import { Problem } from './problem.ts'
import { ask } from './queries.ts'

export type Membership = Whoami['organizations'][number]

const RETRY_MS = 3_000

/** Asked once: what changes of it is told by refusals, and by another sign-in. */
export const me = {
  ...ask('me', showMe),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnMount: true,
  // Without it nothing can be shown: a gateway that is away is asked again until it answers.
  refetchInterval: ({ state }: { state: { data?: unknown; error: unknown } }) =>
    state.data === undefined && state.error !== null && Problem.of(state.error).status === 0 ? RETRY_MS : false,
} as const

/** Only below the frame, which waits for the answer. */
export function useMe(): Whoami {
  const { data } = useQuery(me)
  if (data === undefined) throw new Error('Nobody knows yet who is signed in.')
  return data
}

/** The organization that this browser looked at last. */
const REMEMBERED = 'toolway.organization'

/** Returns the organization that the address names, whether or not the user is a member of it. */
function useNamedOrganization(): string | undefined {
  const named: unknown = useSearch({ strict: false, select: (search: Record<string, unknown>) => search[ORGANIZATION] })
  return typeof named === 'string' && named !== '' ? named : undefined
}

/**
 * The organization of this page: the one that the address names, and no other; without a name the one that was looked at last, else
 * the first. Undefined for who is not in it, or in none.
 */
export function useMembership(): Membership | undefined {
  const { organizations } = useMe()
  const named = useNamedOrganization()
  if (named !== undefined) return organizations.find(({ slug }) => slug === named)
  return remembered(organizations) ?? organizations[0]
}

const remembered = (organizations: readonly Membership[]): Membership | undefined => {
  const last = localStorage.getItem(REMEMBERED)
  return organizations.find(({ slug }) => slug === last)
}

/** Called by the frame: puts the organization of this page into the path, and remembers it. */
export function useKeepOrganization(): void {
  const slug = useMembership()?.slug
  const { history } = useRouter()
  const href = useRouterState({ select: ({ location }) => location.href })
  useEffect(() => {
    if (slug === undefined) return
    localStorage.setItem(REMEMBERED, slug)
    const inside = new URL(href, window.location.origin)
    const slugInAddress = inside.searchParams.get(ORGANIZATION)
    // On the way to another one the address is ahead of the page.
    if (slugInAddress !== null && slugInAddress !== slug) return
    inside.searchParams.set(ORGANIZATION, slug)
    const { pathname, search, hash } = withPrefix(inside)
    if (pathname !== window.location.pathname) history.replace(pathname + search + hash)
  }, [slug, href, history])
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
