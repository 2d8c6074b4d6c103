/** Where whoever is signed in may go: the menu's destinations without those that would say no. */
import { permits, type Role } from '@toolway/contract'
import { useMe, useMembership } from '../data/me.ts'
import { NAVIGATION, type Destination } from './navigation.ts'

export function useDestinations(): readonly Destination[] {
  const { user } = useMe()
  const membership = useMembership()
  const role: Role | undefined = user?.platform_admin === true ? 'platform_admin' : membership?.role
  return NAVIGATION.flatMap(({ items }) => items).filter((destination) => isOpen(destination, role))
}

const isOpen = ({ needs, where }: Destination, role: Role | undefined): boolean =>
  role !== undefined &&
  (where !== 'platform' || role === 'platform_admin') &&
  (needs === undefined || permits(role, needs))
