/**
 * The rules in force in each organization, compiled once per change: a catalog that was fetched anew leaves them as they are, so
 * that nobody is told of lists that did not change. Administrators hear of a rule that cannot be read, once.
 */
import type { OrganizationId, Rule } from '@toolway/contract'
import type { Log } from '../../lib/log.ts'
import { createPolicy } from '../../policy/compile.ts'
import type { OrganizationRuleRow } from '../../policy/stored/organization-rules.ts'
import {
  inForce,
  storedOfOrganization,
  storedOfToolsets,
  type InForce,
  type RuleTrouble,
} from '../../policy/stored/rules-in-force.ts'
import type { Policy } from '../../policy/verdict.ts'
import type { ToolsetRow } from '../../toolsets/toolsets.ts'

export interface KeepRulesParts {
  readonly platform: { readonly inForce: InForce }
  readonly log: Pick<Log, 'error'>
  /** In a transaction of its own, after the organization was loaded. */
  tell(organizationId: OrganizationId, troubles: readonly RuleTrouble[]): Promise<void>
}

export interface KeepRules {
  /** Of the rows as they are now. */
  policyOf(
    organization: { readonly id: OrganizationId; readonly slug: string },
    rows: readonly OrganizationRuleRow[],
    toolsets: readonly Pick<ToolsetRow, 'slug' | 'settings'>[],
  ): Policy
  /** These organizations are gone. */
  forget(organizationIds: Iterable<string>): void
}

interface HeldRules {
  readonly text: string
  readonly policy: Policy
  readonly troubles: string
}

/** Told at a time: where hundreds are broken, the first say enough. */
const MOST_TOLD = 20

export function createKeepRules({ platform, log, tell }: KeepRulesParts): KeepRules {
  const known = new Map<string, HeldRules>()
  return {
    policyOf({ id: organizationId, slug }, rows, toolsets) {
      // An organization is not notified of platform rules about other organizations.
      const concerns = (organizations: readonly string[] | undefined) => organizations?.includes(slug) ?? true
      const above = platform.inForce.rules.filter(({ match }) => concerns(match.organizations))
      const own = inForce([...rows.map(storedOfOrganization), ...storedOfToolsets(toolsets)])
      const rules: readonly Rule[] = [...above, ...own.rules]
      const text = JSON.stringify(rules)
      const before = known.get(organizationId)
      const policy = before?.text === text ? before.policy : createPolicy(rules)
      const troubles = [
        ...platform.inForce.troubles.filter(({ organizations }) => concerns(organizations)),
        ...own.troubles,
        ...policy.problems.map(troubleOf),
      ]
      const troublesText = JSON.stringify(troubles)
      known.set(organizationId, { text, policy, troubles: troublesText })
      if (troubles.length > 0 && before?.troubles !== troublesText)
        tell(organizationId, troubles.slice(0, MOST_TOLD)).catch((thrown: unknown) =>
          log.error(
            { err: thrown, organization: organizationId },
            'rules cannot be read, and the alert could not be stored',
          ),
        )
      return policy
    },
    forget(organizationIds) {
      for (const id of organizationIds) known.delete(id)
    },
  }
}

const troubleOf = ({ rule: { id, name, scope, of, match }, problem }: Policy['problems'][number]): RuleTrouble => ({
  ...{ id, name, scope, of, problem, organizations: match.organizations },
})
