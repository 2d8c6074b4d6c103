/** The clients seen with each key, for tables of keys. */
import { listClientsSeen, type SeenClient } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'

export function useSeen(): readonly SeenClient[] {
  const organization = useOrganization()
  return useQuery(ask('clients', listClientsSeen, { path: { organization } })).data?.items ?? []
}
