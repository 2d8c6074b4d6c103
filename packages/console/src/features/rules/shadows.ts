/** The recorded outcomes that shadow rules would have had. */
import { listShadows, type KeptRule } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'

export const WATCHED_DAYS = 7

export const shadows = (organization: string, days: number) =>
  ask('rules', listShadows, { path: { organization }, query: { days } })

/** Calls that the rule would have met in the last days; undefined while that is not known. */
export function useWatched({ name }: Pick<KeptRule, 'name'>): number | undefined {
  const organization = useOrganization()
  const { data } = useQuery(shadows(organization, WATCHED_DAYS))
  return data?.items.filter(({ rule }) => rule === name).reduce((sum, { calls }) => sum + calls, 0)
}
