/** The settings that the gateway was started with, and where each comes from. Of a secret only whether it is set. */
import { Group, Stack, Switch, Text } from '@mantine/core'
import { listSettings } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { StreamsOf } from '../../features/record-streams/record-streams.tsx'
import { SandboxState } from './sandbox-state.tsx'

const t = texts.settings.installation

const State = z.object({ search: z.string().optional(), set: z.literal('true').optional() })
type Setting = z.output<(typeof listSettings)['answer']>['settings'][number]

const columns = [
  column<Setting>(t.columns.name, ({ name }) => <code>{name}</code>, 4),
  column<Setting>(t.columns.value, ({ value, secret }) => <Value value={value} secret={secret} />, 3),
  column<Setting>(t.columns.from, ({ origin }) => fromOf(origin), 2),
  column<Setting>(t.columns.about, ({ about }) => <Text size="sm">{about}</Text>, 6, { plain: true }),
]

const fromOf = (origin: string | null) => (origin === null ? t.unknown : (t.origin[origin] ?? origin))

function Value({ value, secret }: Pick<Setting, 'value' | 'secret'>) {
  if (value === null) return <Text c="dimmed">{t.unset}</Text>
  return secret ? t.secret : <code>{value}</code>
}

export function InstallationSettings() {
  const [{ search = '', set: only }, set] = useUrlState(State)
  const [typed, setTyped] = useState(search)
  const mayStreams = useMay('tenant_update', 'platform')
  const fits = ({ name, about, origin }: Setting) =>
    `${name} ${about}`.toLowerCase().includes(typed.trim().toLowerCase()) &&
    (only === undefined || origin !== 'default')
  const found = useQuery({
    ...ask('settings', listSettings),
    select: ({ settings }) => ({ items: settings.filter(fits) }),
  })
  return (
    <Stack gap="lg">
      <SandboxState />
      {mayStreams ? <StreamsOf owner="installation" /> : null}
      <Section title={t.title} hint={t.hint} bare>
        <Stack>
          <Group gap="md" align="flex-end">
            <SearchField
              label={t.search}
              value={typed}
              style={{ flex: '1 1 14rem' }}
              maw={360}
              onChange={({ currentTarget: { value } }) => {
                setTyped(value)
                set({ search: value })
              }}
            />
            <Switch
              label={t.only}
              pb={8}
              checked={only !== undefined}
              onChange={({ currentTarget: { checked } }) => set({ set: checked ? 'true' : undefined })}
            />
          </Group>
          <Table
            label={t.list}
            query={found}
            rowKey={({ name }) => name}
            columns={columns}
            empty={<Empty title={t.empty} icon="filter" />}
          />
        </Stack>
      </Section>
    </Stack>
  )
}
