/** The connections that the answering gateway holds open with servers, and the actions that close them. */
import { Button, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { endPooled, endPooledIdle, listPooled, summarizePool, type Pooled } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { count } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'
import { OrganizationFilter } from './organization-filter.tsx'

const t = texts.runtime.pool

const State = z.object({ tenant: z.string().optional(), offset: z.coerce.number().int().min(0).default(0) })
const IDLE_SECONDS = 600
const FIGURES = ['total', 'sessions', 'processes', 'calls', 'streams'] as const

export function Pool() {
  const [{ tenant, offset }, set] = useUrlState(State)
  const found = useQuery(ask('runtime', listPooled, { query: { tenant_slug: tenant, offset, limit: 50 } }))
  const { one, idle } = useEnds()
  const columns = [
    column<Pooled>(t.columns.connection, Connection, 4),
    column<Pooled>(t.columns.kind, ({ kind }) => t.kinds[kind], 2),
    column<Pooled>(t.columns.holder, ({ holder }) => t.holders[holder], 3),
    column<Pooled>(t.columns.busy, ({ calls, streams }) => t.busy({ calls, streams }), 3),
    column<Pooled>(t.columns.used, Used, 2),
    column<Pooled>(
      t.columns.action,
      (stored) => (
        <Button
          size="xs"
          variant="default"
          aria-label={t.endOf({ connection: stored.connector })}
          onClick={() => one.mutate(stored)}
        >
          {t.end}
        </Button>
      ),
      2,
      { plain: true },
    ),
  ]
  // Several can be held with one connection, and none of them has a name of its own.
  const rows = found.data?.items ?? []
  return (
    <Section
      title={t.title}
      hint={t.hint}
      bare
      action={
        <Button variant="default" loading={idle.isPending} onClick={() => idle.mutate()}>
          {t.idle}
        </Button>
      }
    >
      <Stack>
        <Figures />
        <OrganizationFilter value={tenant} onChange={(slug) => set({ tenant: slug, offset: undefined })} />
        <Table
          label={t.list}
          query={found}
          rowKey={(stored) => `${stored.connector_id} ${stored.opened_at} ${rows.indexOf(stored)}`}
          columns={columns}
          empty={<Empty title={t.empty} hint={t.emptyHint} icon="link" />}
          onPage={(next) => set({ offset: String(next) })}
        />
      </Stack>
    </Section>
  )
}

function useEnds() {
  const queries = useQueryClient()
  const always = {
    onSuccess: ({ evicted }: { evicted: number }) => sayDone(t.ended({ count: evicted })),
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['runtime'] }),
  }
  const one = useMutation({
    ...always,
    mutationFn: ({ tenant_slug: slug, connector_id: connection }: Pooled) =>
      call(endPooled, { path: { slug, connection } }),
  })
  const idle = useMutation({
    ...always,
    mutationFn: () => call(endPooledIdle, { query: { idle_seconds: IDLE_SECONDS } }),
  })
  return { one, idle }
}

function Figures() {
  const found = useQuery(ask('runtime', summarizePool))
  return (
    <Loaded query={found} lines={2}>
      {(summary) => (
        <SimpleGrid cols={{ base: 2, xs: 3, md: 5 }} spacing="sm">
          {FIGURES.map((name) => (
            <Paper key={name} withBorder p="sm">
              <Text size="xs" c="dimmed">
                {t.figures[name]}
              </Text>
              <Text fw={650} size="lg">
                {count(summary[name])}
              </Text>
            </Paper>
          ))}
        </SimpleGrid>
      )}
    </Loaded>
  )
}

const Connection = ({ connector, tenant_slug: slug }: Pooled) => (
  <Stack gap={0}>
    <Text fw={600} className="breakable">
      {connector}
    </Text>
    <Text size="xs" c="dimmed">
      {slug}
    </Text>
  </Stack>
)

const Used = ({ used_at: used, opened_at: opened }: Pooled) => (
  <Stack gap={0}>
    <When at={used} />
    <Text size="xs" c="dimmed">
      {t.opened} <When at={opened} />
    </Text>
  </Stack>
)
