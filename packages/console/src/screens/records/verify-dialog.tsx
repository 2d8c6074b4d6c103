/** Whether the chain of this organization's records is whole, in words, and how somebody else can see it for themselves. */
import { Alert, Button, Divider, Group, Loader, Modal, Stack, Text, Title } from '@mantine/core'
import { verifyOrganizationAudit, type ChainVerdict } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { call } from '../../data/call.ts'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Icon } from '../../ui/icon.tsx'
import { count } from '../../ui/times.ts'

const t = texts.records.verify

export function VerifyDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} size="lg" closeButtonProps={{ 'aria-label': texts.close }}>
      {opened ? <Verdicts /> : null}
    </Modal>
  )
}

function Verdicts() {
  const organization = useOrganization()
  // Not filed under records: reading all of them is not to be done again with each new one.
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['verdict', organization],
    queryFn: ({ signal }) => call(verifyOrganizationAudit, { path: { organization }, signal }),
    retry: false,
    refetchOnWindowFocus: false,
  })
  if (isFetching)
    return (
      <Group wrap="nowrap" role="status">
        <Loader size="sm" />
        <Text>{t.busy}</Text>
      </Group>
    )
  if (error !== null) return <Failed failure={Problem.of(error)} onRetry={() => void refetch()} />
  const verdict = data?.items[0]
  return (
    <Stack>
      {verdict === undefined || verdict.records === 0 ? <Text>{t.nothing}</Text> : <Verdict verdict={verdict} />}
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
      <Offline fingerprints={verdict?.fingerprints ?? []} />
    </Stack>
  )
}

function Verdict({ verdict: { good, records, first, last, proven, problem } }: { verdict: ChainVerdict }) {
  const signed = proven === null ? t.unproven : t.proven(proven)
  if (good)
    return (
      <Alert color="teal" icon={<Icon name="circle-check" />} title={t.good} role="status">
        <Text size="sm">{t.goodHint(count(records), first ?? 0, last ?? 0)}</Text>
        <Text size="sm">{signed}</Text>
      </Alert>
    )
  return (
    <Alert color="red" icon={<Icon name="alert-triangle" />} title={t.bad} role="alert">
      <Text size="sm">{problem?.says}</Text>
      {typeof problem?.seq === 'number' ? <Text size="sm">{t.badAt(problem.seq)}</Text> : null}
      <Text size="sm">{signed}</Text>
    </Alert>
  )
}

function Offline({ fingerprints }: { fingerprints: readonly string[] }) {
  const organization = useOrganization()
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
        value={`npx toolway records verify records-${organization}.jsonl${proof}`}
        copyLabel={t.copyCommand}
      />
    </Stack>
  )
}
