/** Whether the chain of this organization's records is whole, in words, and how somebody else can see it for themselves. */
import { Alert, Button, Divider, Group, Modal, Progress, Stack, Text, Title } from '@mantine/core'
import { verifyAudit, verifyOrganizationAudit, type ChainVerdict, type VerifyProgress } from '@toolway/contract/admin'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useMe, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { follow } from '../../data/call.ts'
import { localizedOr } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { count } from '../../ui/times.ts'

const t = texts.records.verify

interface VerifyProps {
  readonly opened: boolean
  /** Of every organization, and of the installation. */
  readonly everywhere: boolean
  readonly onClose: () => void
}

export function VerifyDialog({ opened, everywhere, onClose }: VerifyProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} size="lg" closeButtonProps={{ 'aria-label': texts.close }}>
      {opened ? <Verdicts everywhere={everywhere} /> : null}
    </Modal>
  )
}

function Verdicts({ everywhere }: { everywhere: boolean }) {
  const organization = useOrganization()
  const { verification, progress, cancel } = useVerification(everywhere ? undefined : organization)
  const { data, error, isFetching, refetch } = verification
  if (isFetching) return <Busy progress={progress} onCancel={cancel} />
  if (error !== null) return <Failed failure={Problem.of(error)} onRetry={() => void refetch()} />
  const verdicts = (data?.items ?? []).filter(({ records }) => records > 0)
  return (
    <Stack>
      {verdicts.length === 0 ? <Text role="status">{data === undefined ? t.cancelled : t.nothing}</Text> : null}
      {verdicts.map((verdict) => (
        <Verdict key={verdict.tenant_id} verdict={verdict} named={everywhere} />
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="refresh" size={14} />}
          onClick={() => void refetch()}
        >
          {t.again}
        </Button>
      </Group>
      <Divider />
      <Offline
        name={everywhere ? 'all' : organization}
        fingerprints={[...new Set(verdicts.flatMap((verdict) => verdict.fingerprints))]}
      />
    </Stack>
  )
}

/** Of one organization, or of all chains. A dialog that is closed ends it. */
function useVerification(organization: string | undefined) {
  const client = useQueryClient()
  const [progress, setProgress] = useState<VerifyProgress>()
  // Not filed under records: reading all of them is not to be done again with each new one.
  const queryKey = ['verdict', organization ?? null]
  const verification = useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      setProgress(undefined)
      const hear = (message: unknown) => setProgress(message as VerifyProgress)
      return organization === undefined
        ? follow(verifyAudit, { signal }, hear)
        : follow(verifyOrganizationAudit, { path: { organization }, signal }, hear)
    },
    retry: false,
    refetchOnWindowFocus: false,
  })
  return { verification, progress, cancel: () => void client.cancelQueries({ queryKey }) }
}

function Busy({ progress, onCancel }: { progress: VerifyProgress | undefined; onCancel: () => void }) {
  const { records, of } = progress ?? { records: 0, of: 0 }
  return (
    <Stack>
      <Text>{t.busy}</Text>
      <Progress value={of === 0 ? 0 : Math.min(100, (records / of) * 100)} aria-label={t.busy} />
      <Group justify="space-between">
        <Text size="sm" role="status">
          {progress === undefined ? '' : t.progress({ records: count(records), of: count(of) })}
        </Text>
        <Button variant="default" size="xs" onClick={onCancel}>
          {t.cancel}
        </Button>
      </Group>
    </Stack>
  )
}

function Verdict({ verdict, named }: { verdict: ChainVerdict; named: boolean }) {
  const { tenant_id: id, good, records, first, last, proven, problem } = verdict
  const { organizations } = useMe()
  const whose = named
    ? `${organizations.find((organization) => organization.id === id)?.name ?? id ?? texts.records.platform}: `
    : ''
  const signed = proven === null ? t.unproven : t.proven({ seq: proven })
  if (good)
    return (
      <Alert color="teal" icon={<Icon name="circle-check" />} title={`${whose}${t.good}`} role="status">
        <Text size="sm">{t.goodHint({ records: count(records), first: first ?? 0, last: last ?? 0 })}</Text>
        <Text size="sm">{signed}</Text>
      </Alert>
    )
  return (
    <Alert color="red" icon={<Icon name="alert-triangle" />} title={`${whose}${t.bad}`} role="alert">
      <Text size="sm">{localizedOr(problem?.says, 'chain')}</Text>
      {typeof problem?.seq === 'number' ? <Text size="sm">{t.badAt({ seq: problem.seq })}</Text> : null}
      <Text size="sm">{signed}</Text>
    </Alert>
  )
}

function Offline({ name, fingerprints }: { name: string; fingerprints: readonly string[] }) {
  const proof = fingerprints.map((fingerprint) => ` --fingerprint ${fingerprint}`).join('')
  return (
    <Stack gap="sm">
      <Title order={2} size="h3">
        {t.offline}
      </Title>
      <Text size="sm" c="dimmed">
        {t.offlineHint}
      </Text>
      <CopyField
        label={t.command}
        value={`npx toolway records verify records-${name}.jsonl${proof}`}
        copyLabel={t.copyCommand}
      />
    </Stack>
  )
}
