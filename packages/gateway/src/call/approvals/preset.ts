/**
 * The rules behind an organization's setting `approvals: ask-writes`: whatever is not known to read only is asked about, each call
 * anew unless somebody says "always for this tool", and what destroys always (ledger S2-BRG-05, S2-QRK-05). That a tool only reads
 * counts where its server is trusted to say so.
 */
import { approvalOf, EFFECTS, RuleMatch, type Effect, type Rule } from '@toolway/contract'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import { createPolicy } from '../../policy/compile.ts'
import type { Policy } from '../../policy/verdict.ts'

type Placed = Pick<ConnectionRow, 'alias' | 'trusted'>

const NAME = 'ask-writes'

/** One rule for each connection, as their servers are trusted differently. */
export const presetRules = (
  { settings }: Pick<OrganizationRow, 'settings'>,
  connections: readonly Placed[],
): Rule<'approve'>[] => (settings.approvals === NAME ? connections.map(ruleOf) : [])

function ruleOf({ alias, trusted }: Placed): Rule<'approve'> {
  const effects: Effect[] = EFFECTS.filter((effect) => approvalOf(effect, trusted) !== 'none')
  return {
    id: `settings:${NAME}`,
    name: NAME,
    scope: 'connection',
    of: alias,
    state: 'on',
    match: RuleMatch.parse({ effects }),
    reason: 'Calls that may change something are asked about here',
    action: 'approve',
    parameters: { by: { roles: ['tenant_admin'], self: true }, quorum: 1, wait: 3600, repeat: 0, always: true },
  }
}

/** The policy with what the settings of the organization add to it; the very same one where they add nothing. */
export function withPreset(
  policy: Policy,
  organization: Pick<OrganizationRow, 'settings'>,
  connections: readonly Placed[],
): Policy {
  const added = presetRules(organization, connections)
  return added.length === 0 ? policy : createPolicy([...policy.rules, ...added])
}
