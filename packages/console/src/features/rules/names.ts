/** The names that rules refer to: toolsets, of which there are few, and the name of the key that a rule is about. */
import { listToolsets } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import type { RuleScope } from '@toolway/contract'
import { useOrganization } from '../../data/me.ts'
import { useNamesOf } from '../../data/names.ts'
import { ask } from '../../data/queries.ts'

export interface NamedValue {
  /** The value in the rule. */
  readonly value: string
  /** The label shown to users. */
  readonly label: string
}

export function useToolsetNames(): readonly NamedValue[] {
  const organization = useOrganization()
  const { data } = useQuery(ask('toolsets', listToolsets, { path: { organization } }))
  return (data?.items ?? [])
    .filter(({ origin }) => origin !== 'supplied')
    .map(({ slug, title }) => ({ value: slug, label: title === '' || title === slug ? slug : `${title} (${slug})` }))
}

/** For people: keys are in rules by their ids. */
export function useNameOf(scope: RuleScope, of: string | null | undefined): (value: string) => string {
  return useNamesOf([scope === 'key' ? of : undefined])
}
