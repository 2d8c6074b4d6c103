/**
 * The rules behind an organization's setting `approvals`: what may destroy is asked about each time, other calls anew until somebody
 * says "always for this tool" (ledger S2-BRG-05, S2-QRK-05). They ask exactly where `approvalOf` says so.
 */
import { approvalOf, EFFECTS, RuleMatch, type ApprovalPreset, type Effect, type Rule } from '@toolway/contract'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { OrganizationRow } from '../../organizations/organizations.ts'
import { createPolicy } from '../../policy/compile.ts'
import type { Policy } from '../../policy/verdict.ts'

type Placed = Pick<ConnectionRow, 'alias'>

/** Their names. */
export const SETTING_RULES = ['ask-destructive', 'ask-writes'] as const

const REASONS: Readonly<Record<(typeof SETTING_RULES)[number], string>> = {
  'ask-destructive':
    'This organization requires approval for tools that may be destructive: those declared as destructive, and those of servers that are not trusted',
  'ask-writes': 'This organization requires approval for calls that may change something',
}

/** One rule for each connection, so that an exception may be of one. */
export function presetRules(
  { settings: { approvals } }: Pick<OrganizationRow, 'settings'>,
  connections: readonly Placed[],
): Rule<'approve'>[] {
  if (approvals !== 'ask-destructive' && approvals !== 'ask-writes') return []
  const match = matchOf(approvals)
  return connections.map(({ alias }) => ({
    id: `settings:${approvals}`,
    name: approvals,
    scope: 'connection',
    of: alias,
    state: 'on',
    match,
    reason: REASONS[approvals],
    action: 'approve',
    parameters: { by: { roles: ['tenant_admin'], self: true }, quorum: 1, wait: 3600, repeat: 0, always: true },
  }))
}

/** An effect that nobody vouches for is asked about, whatever it is called. */
function matchOf(preset: ApprovalPreset): RuleMatch {
  const asks = (effect: Effect, from: 'administrator' | 'unknown') => approvalOf({ effect, from }, preset) !== 'none'
  const known = EFFECTS.filter((effect) => asks(effect, 'administrator'))
  if (!EFFECTS.some((effect) => !known.includes(effect) && effect !== 'read'))
    return RuleMatch.parse({ effects: known })
  const words = known.map((effect) => `tool.effect == "${effect}"`)
  return RuleMatch.parse({ when: [...words, 'tool.effectFrom == "unknown"'].join(' || ') })
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
