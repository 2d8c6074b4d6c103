/** The trace of a call in the tracing system of the installation, where the operator set its address (TOOLWAY_TRACE_URL). */
import { Button } from '@mantine/core'
import type { AuditEvent } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'

export function TraceLink({ event }: { event: AuditEvent }) {
  const url = event.details['trace_url']
  if (typeof url !== 'string') return null
  return (
    <Button
      component="a"
      href={url}
      target="_blank"
      rel="noreferrer"
      variant="default"
      size="xs"
      leftSection={<Icon name="external-link" size={14} />}
    >
      {texts.callTimings.trace}
    </Button>
  )
}
