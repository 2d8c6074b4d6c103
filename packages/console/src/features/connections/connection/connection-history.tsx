/** How a connection did in the last 30 days: a bar for each day, its calls, success rate and latency, and the last renewed token. */
import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { findUsage, listAccounts, type Connection, type Usage } from '@toolway/contract/admin'
import { useState } from 'react'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { DayBars } from '../../../parts/figures/day-bars.tsx'
import { Figure } from '../../../parts/figures/figure.tsx'
import { Uncounted } from '../../../parts/figures/uncounted.tsx'
import { successRate } from '../../../parts/figures/usage-figures.ts'
import { texts } from '../../../texts/texts.ts'
import { TextLink } from '../../../ui/links.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Section } from '../../../ui/section.tsx'
import { count, duration, percent } from '../../../ui/times.ts'
import { When } from '../../../ui/when.tsx'
import { usePath } from './connection-ways.tsx'

const t = texts.connection.history
const DAYS = 30

export function ConnectionHistory({ connection }: { connection: Connection }) {
  const may = useMay('stats_view_own')
  const { organization } = usePath(connection)
  const [now] = useState(() => new Date())
  // The last bar is today, from midnight on.
  const from = new Date(now.getFullYear(), now.getMonth(), now.getDate() - DAYS + 1).toISOString()
  const query = { from, step: 'day' as const, connection: connection.alias }
  const usage = useQuery({
    ...ask('stats', findUsage, { path: { organization }, query }),
    placeholderData: keepPreviousData,
    enabled: may,
  })
  if (!may) return null
  return (
    <Section
      title={t.title}
      action={
        <TextLink to="/usage" search={{ range: 'month', connection: connection.alias }}>
          {t.more}
        </TextLink>
      }
    >
      <Loaded query={usage} lines={3}>
        {(found) => <Days usage={found} />}
      </Loaded>
      <Renewed connection={connection} />
    </Section>
  )
}

function Days({ usage: { total, steps, uncounted } }: { usage: Usage }) {
  if (total.calls === 0 && uncounted === 0)
    return (
      <Text size="sm" c="dimmed">
        {t.none}
      </Text>
    )
  const rate = successRate(total)
  return (
    <Stack gap="md">
      <Uncounted number={uncounted} />
      <DayBars days={steps} label={texts.usage.chartSays(total)} />
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <Figure
          label={texts.usage.figures.calls}
          value={count(total.calls)}
          hint={t.ended(total)}
          values={steps.map(({ calls }) => calls)}
        />
        <Figure
          label={texts.usage.figures.success}
          value={rate === null ? null : percent(rate)}
          hint={texts.usage.carriedOut}
          values={steps.map((step) => successRate(step))}
        />
        <Figure
          label={t.latency}
          value={total.p95_ms === null ? null : duration(total.p95_ms)}
          hint={total.median_ms === null ? '' : t.median({ time: duration(total.median_ms) })}
          values={steps.map(({ p95_ms: p95 }) => p95)}
        />
      </SimpleGrid>
    </Stack>
  )
}

/** Connections without tokens that renew themselves have nothing to say here. */
function Renewed({ connection }: { connection: Connection }) {
  const may = useMay('tool_call')
  const { data } = useQuery({ ...ask('accounts', listAccounts, { path: usePath(connection) }), enabled: may })
  const renewed = (data?.items ?? []).flatMap(({ renewed_at: at }) => (at === null ? [] : [at])).toSorted()
  const last = renewed.at(-1)
  if (last === undefined) return null
  return (
    <Group gap={6}>
      <Text size="sm" c="dimmed">
        {t.renewed}
      </Text>
      <Text size="sm">
        <When at={last} />
      </Text>
    </Group>
  )
}
