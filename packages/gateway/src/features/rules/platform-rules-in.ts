import type { Rule } from '@toolway/contract'
import type { OrganizationRow } from '../../organizations/organizations.ts'

/** Of all these rules, those of the platform that speak of the organization. */
export const platformRulesIn = (rules: readonly Rule[], { slug }: Pick<OrganizationRow, 'slug'>): readonly Rule[] =>
  rules.filter(({ scope, match }) => scope === 'platform' && (match.organizations?.includes(slug) ?? true))
