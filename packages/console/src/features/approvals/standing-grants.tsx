/**
 * Tools with a standing grant, with its caller and its approver. A user with the permission can end one; the next such call then
 * needs approval.
 */
import { Button, Stack, Text } from '@mantine/core'
import { endLastingApproval, listLastingApprovals, type LastingApproval } from '@toolway/contract/admin'
import { visible, type Effect } from '@toolway/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { sayDone } from '../../ui/say.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'

function columnsOf(onEnd: (row: LastingApproval) => void) {
  const t = texts.approvals.always
  return [
    column<LastingApproval>(
      texts.approvals.tool,
      ({ tool, connection, effect, effect_from: from }) => (
        <Stack gap={2} align="flex-start">
          <Text fw={600}>{visible(tool)}</Text>
          <Text size="sm" c="dimmed">
            {connection ?? texts.approvals.gone}
          </Text>
          <EffectBadge effect={effect as Effect} from={from} />
        </Stack>
      ),
      3,
      { plain: true },
    ),
    column<LastingApproval>(t.who, (row) => <Who row={row} />, 3),
    column<LastingApproval>(
      t.word,
      ({ granted_by: by, note, created_at: at }) => (
        <Stack gap={2}>
          <Text size="sm">
            {by} · <When at={at} />
          </Text>
          {note === null ? null : (
            <Text size="sm" c="dimmed">
              {visible(note)}
            </Text>
          )}
        </Stack>
      ),
      3,
    ),
    column<LastingApproval>(texts.approvals.state, (row) => <State row={row} />, 3),
    column<LastingApproval>(
      t.end,
      (row) => (
        <Button
          size="xs"
          variant="default"
          aria-label={t.endOf({ tool: row.tool, caller: row.caller })}
          onClick={() => onEnd(row)}
        >
          {t.end}
        </Button>
      ),
      1,
      { plain: true },
    ),
  ]
}

export function Always() {
  const organization = useOrganization()
  const [ending, setEnding] = useState<LastingApproval>()
  const query = usePages('approvals', listLastingApprovals, { path: { organization } })
  const t = texts.approvals.always
  return (
    <Stack gap="md">
      <Text c="dimmed" maw={720}>
        {t.hint}
      </Text>
      <Table<LastingApproval>
        label={t.tab}
        query={query}
        rowKey={({ id }) => id}
        columns={columnsOf(setEnding)}
        empty={<Empty title={t.empty} hint={t.emptyHint} icon="checkbox" />}
        onMore={query.onMore}
      />
      <Ending row={ending} onClose={() => setEnding(undefined)} />
    </Stack>
  )
}

function Who({ row: { caller, client, account } }: { row: LastingApproval }) {
  return (
    <Stack gap={2}>
      <Text size="sm">{visible(caller)}</Text>
      {client === null ? null : (
        <Text size="sm" c="dimmed">
          {texts.approvals.by({ client: visible(client) })}
        </Text>
      )}
      {account === null ? null : (
        <Text size="sm" c="dimmed">
          {texts.approvals.account}: {account}
        </Text>
      )}
    </Stack>
  )
}

function State({ row: { ended, uses, used_at: used } }: { row: LastingApproval }) {
  const t = texts.approvals.always
  return (
    <Stack gap={4} align="flex-start">
      <StateBadge tone={ended === null ? 'good' : 'off'}>{ended === null ? t.good : t.over}</StateBadge>
      <Text size="sm" c="dimmed" component="div">
        {ended === null ? null : `${t.ended[ended]} `}
        {uses === 0 ? t.unused : t.uses({ uses })} {used === null ? null : <When at={used} />}
      </Text>
    </Stack>
  )
}

function Ending({ row, onClose }: { row: LastingApproval | undefined; onClose: () => void }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const t = texts.approvals.always
  const end = useMutation({
    mutationFn: (id: string) => call(endLastingApproval, { path: { organization, lasting: id } }),
    onSuccess: () => sayDone(t.done({ tool: row?.tool ?? '' })),
    onError: sayProblem,
    onSettled: () => {
      onClose()
      return queries.invalidateQueries({ queryKey: ['approvals'] })
    },
  })
  return (
    <Confirm
      opened={row !== undefined}
      title={t.title({ tool: row?.tool ?? '' })}
      verb={t.end}
      busy={end.isPending}
      onConfirm={() => row !== undefined && end.mutate(row.id)}
      onClose={onClose}
    >
      {t.again({ caller: row?.caller ?? '' })}
    </Confirm>
  )
}
