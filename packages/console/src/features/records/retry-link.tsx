/** The way from the record of a call to the playground, with its tool chosen there; nothing is sent by it. */
import type { AuditEvent } from '@toolway/contract/admin'
import { useMay } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'
import { LinkButton } from '../../ui/links.tsx'
import { callAt } from './record-steps.ts'

const t = texts.callTimings

export interface RetryLinkProps {
  readonly event: AuditEvent
  /** Those that are on record; where values were masked, a person fills them in. */
  readonly given?: unknown
}

export function RetryLink({ event, given }: RetryLinkProps) {
  const may = useMay('tool_call')
  const at = callAt(event)
  if (!may || at === undefined) return null
  const args = given === undefined ? {} : { args: JSON.stringify(given) }
  return (
    <LinkButton to="/playground" search={{ ...at, ...args }} variant="default" size="xs">
      {t.retry}
    </LinkButton>
  )
}
