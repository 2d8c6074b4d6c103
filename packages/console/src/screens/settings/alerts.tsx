/** The alerts of the last 90 days, by kind and connection. */
import { Select, SimpleGrid, Stack, Text } from '@mantine/core'
import type { Effect } from '@toolway/contract'
import { ALERT_KINDS, listAlerts, type Alert } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { useNamesOf } from '../../data/names.ts'
import { PickOne } from '../../parts/picker/picker.tsx'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { exactTime } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'

const t = texts.settings.alerts
const words = texts.alerts.kinds

const State = z.object({
  kind: z.string().optional(),
  connection: z.string().optional(),
  offset: z.coerce.number().int().min(0).default(0),
})

/** Further details in words. Ids, links and nested values are for followers of events, not for people. */
function detailsOf({ detail }: Alert): string[] {
  const owners: Readonly<Record<string, string>> = t.owners
  const owner = owners[String(detail['owner'])]
  const effect = texts.effects[String(detail['effect']) as Effect]
  const facts = Object.entries(t.facts).flatMap(([name, word]) => {
    const value = detail[name]
    if (typeof value !== 'string' || value === '' || /^[a-z]{3}_/.test(value)) return []
    const time = TIMES.has(name) ? new Date(value) : undefined
    return [word({ value: time === undefined || Number.isNaN(time.getTime()) ? localized(value) : exactTime(time) })]
  })
  return [owner, ...facts, effect].filter((text) => text !== undefined)
}

const TIMES: ReadonlySet<string> = new Set(['expires_at', 'since', 'until'])

export function Alerts() {
  const organization = useOrganization()
  const [{ kind, connection, offset }, set] = useUrlState(State)
  const query = { kind, connection_id: connection, offset, limit: 50 }
  const found = useQuery(ask('alerts', listAlerts, { path: { organization }, query }))
  const nameOf = useNamesOf([connection, ...(found.data?.items ?? []).map((alert) => alert.connection_id)])
  const columns = [
    column<Alert>(t.columns.what, ({ kind }) => <Text fw={600}>{words[kind] ?? kind}</Text>, 4),
    column<Alert>(
      t.columns.connection,
      ({ connection_id: id }) => <Connection id={id} title={id === null ? undefined : nameOf(id)} />,
      3,
    ),
    column<Alert>(t.columns.details, (alert) => <Text size="sm">{detailsOf(alert).join(' · ')}</Text>, 5, {
      plain: true,
    }),
    column<Alert>(t.columns.when, ({ created_at: at }) => <When at={at} />, 2),
  ]
  const narrowed = kind !== undefined || connection !== undefined
  return (
    <Section title={t.title} hint={t.hint} bare>
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <Choice
            label={t.kind}
            data={ALERT_KINDS.map((value) => ({ value, label: words[value] ?? value }))}
            value={kind}
            onChange={(next) => set({ kind: next, offset: undefined })}
          />
          <PickOne
            kind="connections by id"
            label={t.connection}
            labelOf={nameOf}
            placeholder={t.any}
            clearable
            clearButtonProps={{ 'aria-label': texts.records.clear }}
            value={connection ?? null}
            onChange={(next) => set({ connection: next ?? undefined, offset: undefined })}
          />
        </SimpleGrid>
        <Table
          label={t.list}
          query={found}
          rowKey={({ id }) => id}
          columns={columns}
          onPage={(next) => set({ offset: String(next) })}
          empty={
            <Empty title={narrowed ? t.nothing : t.empty} icon="bell" {...(narrowed ? {} : { hint: t.emptyHint })} />
          }
        />
      </Stack>
    </Section>
  )
}

function Connection({ id, title }: { id: string | null; title: string | undefined }) {
  if (id === null) return <Text c="dimmed">{t.everywhere}</Text>
  return title === undefined ? id : <TextLink to={`/connections/${id}`}>{title}</TextLink>
}

interface ChoiceProps {
  readonly label: string
  readonly data: { value: string; label: string }[]
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

const Choice = ({ value, onChange, ...rest }: ChoiceProps) => (
  <Select
    {...rest}
    value={value ?? null}
    onChange={(next) => onChange(next ?? undefined)}
    placeholder={t.any}
    clearable
    searchable
    clearButtonProps={{ 'aria-label': texts.close }}
  />
)
