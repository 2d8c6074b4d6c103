/** A failure in full: which phase, why, what mends it, and a report to hand on. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { CopyButton } from './copy.tsx'
import { Icon } from './icon.tsx'
import { mendOf } from './mend.ts'

/** The fields of a failure; `Problem` of the data layer is one. */
export interface Failure {
  readonly message: string
  readonly code?: string | undefined
  readonly phase?: string | undefined
  readonly mend?: string | undefined
  readonly correlationId?: string | undefined
  readonly asked?: string | undefined
  readonly status?: number | undefined
}

export interface FailedProps {
  readonly failure: Failure
  readonly title?: string
  readonly onRetry?: (() => void) | undefined
  /** Further actions for the failure. */
  readonly children?: ReactNode
}

export function Failed({ failure, title, onRetry, children }: FailedProps) {
  const { message, phase } = failure
  const mend = mendOf(failure)
  const t = texts.failed
  return (
    <Alert
      color="red"
      icon={<Icon name="alert-triangle" />}
      title={title ?? (phase === undefined ? t.title : t.titleAt({ phase: texts.phases[phase] ?? phase }))}
      role="alert"
    >
      <Stack gap="xs">
        <Text size="sm" className="breakable">
          {message}
        </Text>
        {mend === undefined ? null : (
          <Text size="sm" className="breakable">
            <strong>{t.mend}</strong> {mend}
          </Text>
        )}
        <Group gap="xs">
          {onRetry === undefined ? null : (
            <Button size="xs" onClick={onRetry}>
              {t.retry}
            </Button>
          )}
          {children}
          <CopyButton value={() => reportOf(failure)} label={t.report} />
        </Group>
      </Stack>
    </Alert>
  )
}

/** Returns a report for the gateway's administrator, without arguments, names and secrets. */
export const reportOf = ({ message, code, phase, mend, correlationId, asked, status }: Failure): string =>
  Object.entries({
    problem: message,
    code,
    phase,
    mend,
    asked,
    status: status === undefined || status === 0 ? undefined : String(status),
    correlation_id: correlationId,
    at: new Date().toISOString(),
    browser: navigator.userAgent,
  })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
    .join('\n')
