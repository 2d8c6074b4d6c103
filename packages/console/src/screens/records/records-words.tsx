/** Shared parts of this screen: the badge of an outcome, and the address of an unfiltered list. */
import type { AuditEvent } from '@toolway/contract/admin'
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
