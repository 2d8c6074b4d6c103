/** Where one is signed in, and how one ends that: one place, or all but this. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { endSignIn, listSignIns, type SignInEntry } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { ask } from '../../data/queries.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { exactTime } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'

const t = texts.me

type Entry = z.output<typeof SignInEntry>

const wordOf = ({ client }: Entry): string => t.clients[client] ?? client

export function SignIns() {
  const found = useQuery(ask('me', listSignIns))
  const end = useEnd()
  const [asking, setAsking] = useState(false)
  const others = (found.data?.items ?? []).filter(({ current }) => !current)
  const columns = [
    column<Entry>(t.columns.where, Where, 4),
    column<Entry>(t.columns.since, ({ created_at: at }) => <When at={at} />, 2),
    column<Entry>(t.columns.used, ({ used_at: at }) => <When at={at} />, 2),
    column<Entry>(t.columns.until, ({ expires_at: at }) => <When at={at} />, 2),
    column<Entry>(t.columns.action, (entry) => <End entry={entry} onEnd={() => end.mutate([entry])} />, 1, {
      plain: true,
    }),
  ]
  return (
    <Section
      title={t.signIns}
      hint={t.signInsHint}
      bare
      action={
        <Button variant="default" disabled={others.length === 0} onClick={() => setAsking(true)}>
          {t.endOthers}
        </Button>
      }
    >
      <Table
        label={t.signIns}
        query={found}
        rowKey={({ id }) => id}
        empty={<Empty title={t.signInsNone} />}
        columns={columns}
      />
      <Confirm
        opened={asking}
        title={t.endOthersTitle}
        verb={t.endOthers}
        busy={end.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() => end.mutate(others, { onSettled: () => setAsking(false) })}
      >
        {t.endOthersText({ count: others.length })}
      </Confirm>
    </Section>
  )
}

function useEnd() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (entries: readonly Entry[]) => {
      await Promise.all(entries.map(({ id }) => call(endSignIn, { path: { id } })))
    },
    onSuccess: (_, entries) => sayDone(entries.length === 1 ? t.ended : t.othersEnded),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['me'] }),
  })
}

function Where(entry: Entry) {
  const { organization, current, address } = entry
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text fw={600}>{wordOf(entry)}</Text>
        {current ? <StateBadge tone="good">{t.here}</StateBadge> : null}
      </Group>
      {address === null ? null : (
        <Text size="xs" c="dimmed">
          {address}
        </Text>
      )}
      {organization === null ? null : (
        <Text size="xs" c="dimmed">
          {t.inOrganization({ organization })}
        </Text>
      )}
    </Stack>
  )
}

/** The sign-in in use is ended by signing out. */
function End({ entry, onEnd }: { entry: Entry; onEnd: () => void }) {
  if (entry.current) return null
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={t.endOf({ where: wordOf(entry), since: exactTime(new Date(entry.created_at)) })}
      onClick={onEnd}
    >
      {t.end}
    </Button>
  )
}
