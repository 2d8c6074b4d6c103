/**
 * The arguments and the result of a call, where the connection stores them; fetched on a click, since each access is recorded.
 */
import { Alert, Box, Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { showRecordPayload, type AuditEvent, type RecordPayload as Payload } from '@toolway/contract/admin'
import { useState } from 'react'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RecordPart } from './record-part.tsx'
import { RetryLink } from './retry-link.tsx'

const t = texts.records.drawer.payload

export function RecordPayload({ event }: { event: AuditEvent }) {
  const { id, details, action } = event
  const [opened, setOpened] = useState<string>()
  if (action !== 'tools/call') return null
  const isStored = typeof details['payload'] === 'string'
  return (
    <RecordPart title={t.title}>
      {!isStored ? (
        <Text size="sm" c="dimmed">
          {t.off}
        </Text>
      ) : opened === id ? (
        <Shown event={event} />
      ) : (
        <>
          <div>
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="eye" size={14} />}
              onClick={() => setOpened(id)}
            >
              {t.show}
            </Button>
          </div>
          <Text size="xs" c="dimmed">
            {t.onRecord}
          </Text>
        </>
      )}
    </RecordPart>
  )
}

function Shown({ event }: { event: AuditEvent }) {
  const { id, tenant_id: tenant } = event
  const here = useOrganization()
  // Asked once: what is kept of a call stays as it is, and asking again would be another look.
  const found = useQuery({
    ...ask('settings', showRecordPayload, { path: { organization: tenant ?? here, record: id } }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
  })
  if (found.error !== null && Problem.of(found.error).status === 404) return <Text size="sm">{t.gone}</Text>
  return <Loaded query={found}>{(payload) => <Values event={event} payload={payload} />}</Loaded>
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

function Values({ event, payload }: { event: AuditEvent; payload: Payload }) {
  const { arguments: input, result, cut, intact } = payload
  return (
    <>
      {intact ? null : (
        <Alert color="red" icon={<Icon name="alert-triangle" />}>
          {t.altered}
        </Alert>
      )}
      <Text size="sm" fw={600}>
        {t.arguments}
      </Text>
      <CodeBlock label={t.arguments}>{json(input)}</CodeBlock>
      <Box>
        <RetryLink event={event} given={input} />
      </Box>
      <Text size="sm" fw={600}>
        {t.result}
      </Text>
      {result === null ? <Text size="sm">{t.none}</Text> : <CodeBlock label={t.result}>{json(result)}</CodeBlock>}
      {cut ? (
        <Text size="xs" c="dimmed">
          {t.cut}
        </Text>
      ) : null}
    </>
  )
}
