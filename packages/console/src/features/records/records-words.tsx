/** Shared parts of this screen: the badge of an outcome, the words for an action, and the address of an unfiltered list. */
import type { AuditAction, AuditEvent } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { StateBadge, type Tone } from '../../ui/badges.tsx'

const TONES: Readonly<Record<AuditEvent['outcome'], Tone>> = {
  ok: 'good',
  tool_error: 'warn',
  refused: 'off',
  failed: 'bad',
  cancelled: 'off',
  unknown: 'warn',
}

export const Outcome = ({ outcome }: { outcome: AuditEvent['outcome'] }) => (
  <StateBadge tone={TONES[outcome]}>{texts.records.outcomes[outcome]}</StateBadge>
)

/** Methods of extensions of MCP, and operations that were refused, have no words but their names. */
export const wordsOf = (action: string): string =>
  Object.hasOwn(texts.actions, action) ? texts.actions[action as AuditAction] : action

export const CLEARED = {
  ...{ action: undefined, tool: undefined, connection: undefined, actor_id: undefined, outcome: undefined },
  ...{
    correlation_id: undefined,
    code: undefined,
    from: undefined,
    to: undefined,
    range: undefined,
    offset: undefined,
  },
}
