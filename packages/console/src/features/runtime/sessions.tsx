/** The sessions that clients have with the gateways of this installation; each can be ended. */
import { Button, Stack, Text } from '@mantine/core'
import { endSession, listSessions, type OpenSession } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { OrganizationFilter } from './organization-filter.tsx'

const t = texts.runtime.sessions

const State = z.object({ tenant: z.string().optional() })

const nameOf = ({ client }: OpenSession) => (client === null ? t.unnamed : `${client.name} ${client.version}`)

export function Sessions() {
  const [{ tenant }, set] = useUrlState(State)
  const queries = useQueryClient()
  const found = usePages('runtime', listSessions, { query: { tenant_slug: tenant } })
  const end = useMutation({
    mutationFn: ({ id }: OpenSession) => call(endSession, { path: { session: id } }),
    onSuccess: () => sayDone(t.ended),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['runtime'] }),
  })
  const columns = [
    column<OpenSession>(t.columns.client, Client, 4),
    column<OpenSession>(t.columns.who, ({ principal, principal_name: name }) => name ?? principal, 3),
    column<OpenSession>(t.columns.where, Where, 3),
    column<OpenSession>(t.columns.seen, Seen, 2),
    column<OpenSession>(
      t.columns.action,
      (session) => (
        <Button
          size="xs"
          variant="default"
          aria-label={t.endOf({ client: nameOf(session) })}
          onClick={() => end.mutate(session)}
        >
          {t.end}
        </Button>
      ),
      1,
      { plain: true },
    ),
  ]
  return (
    <Section title={t.title} hint={t.hint} bare>
      <Stack>
        <OrganizationFilter value={tenant} onChange={(slug) => set({ tenant: slug })} />
        <Table
          label={t.list}
          query={found}
          rowKey={({ id }) => id}
          columns={columns}
          empty={<Empty title={t.empty} hint={t.emptyHint} icon="devices" />}
          onMore={found.onMore}
        />
      </Stack>
    </Section>
  )
}

const Client = (session: OpenSession) => (
  <Stack gap={0}>
    <Text fw={600} className="breakable">
      {nameOf(session)}
    </Text>
    <Text size="xs" c="dimmed">
      {session.revision}
    </Text>
  </Stack>
)

const Where = ({ tenant_slug: slug, toolset, connector }: OpenSession) => (
  <Stack gap={0}>
    <Text span>{slug}</Text>
    <Text size="xs" c="dimmed">
      {connector === null ? t.toolset({ name: toolset ?? 'default' }) : t.connection}
    </Text>
  </Stack>
)

const Seen = ({ seen_at: seen, opened_at: opened }: OpenSession) => (
  <Stack gap={0}>
    <When at={seen} />
    <Text size="xs" c="dimmed">
      {t.since} <When at={opened} />
    </Text>
  </Stack>
)
