/** The toolsets of the organization: what is in each, what it costs a model, and where it is. */
import { Badge, Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { listToolsets, type Toolset } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { titleOf } from '../../data/toolset-title.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Screen } from '../../ui/screen.tsx'
import { column, Table } from '../../ui/table.tsx'
import { count } from '../../ui/times.ts'
import { addressOfToolset } from './address.ts'
import { NewToolset } from './new-toolset.tsx'

const Dialog = z.object({ dialog: z.enum(['new']).optional() })

export function ToolsetsScreen() {
  const organization = useOrganization()
  const [{ dialog }, set] = useUrlState(Dialog)
  const toolsets = useQuery(ask('toolsets', listToolsets, { path: { organization } }))
  const columns = useMemo(() => columnsOf(organization), [organization])
  const t = texts.toolsets
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => set({ dialog: 'new' }, 'push')}>
      {t.add}
    </Button>
  )
  return (
    <Screen title={texts.nav.toolsets} hint={t.hint} action={add}>
      <Table
        label={t.list}
        query={toolsets}
        rowKey={({ slug }) => slug}
        rowLink={({ slug }) => `/toolsets/${slug}`}
        empty={<Empty title={t.list} hint={t.hint} icon="stack-2" />}
        columns={columns}
      />
      <NewToolset
        opened={dialog === 'new'}
        onClose={() => set({ dialog: undefined })}
        taken={toolsets.data?.items.map(({ slug }) => slug) ?? []}
      />
    </Screen>
  )
}

const columnsOf = (organization: string) => [
  column<Toolset>(texts.toolsets.columns.title, titleOf, 5),
  column<Toolset>(texts.toolsets.columns.tools, (toolset) => <Size {...toolset} />, 3),
  column<Toolset>(texts.toolsets.columns.cost, (toolset) => <Cost {...toolset} />, 3),
  column<Toolset>(
    texts.toolsets.columns.endpoint,
    ({ slug }) => (
      <Group gap="xs">
        <CopyButton value={addressOfToolset(organization, slug)} label={texts.toolsets.copyEndpoint({ slug })} />
      </Group>
    ),
    4,
    { plain: true },
  ),
]

function Size({ tools, listed, origin, slug }: Toolset) {
  const t = texts.toolsets
  return (
    <Stack gap={2} align="flex-start">
      <Text size="sm">
        {listed === tools ? t.tools({ tools }) : t.listed({ listed: count(listed), tools: count(tools) })}
      </Text>
      <Group gap={6}>
        <Text size="xs" c="dimmed">
          {slug}
        </Text>
        {origin === 'supplied' || origin === 'file' ? (
          <Badge size="xs" variant="default" style={{ textTransform: 'none' }}>
            {origin === 'file' ? t.declared : t.supplied}
          </Badge>
        ) : null}
      </Group>
    </Stack>
  )
}

function Cost({ settings, definition_tokens: tokens, exceeds }: Toolset) {
  const mode = settings.discovery ?? 'direct'
  const most = exceeds.at(-1)
  const t = texts.toolsets
  return (
    <Stack gap={2} align="flex-start">
      <Text size="sm">{t.tokens({ tokens: count(tokens[mode]) })}</Text>
      <Text size="xs" c="dimmed">
        {t.modes[mode]}
      </Text>
      {most === undefined ? null : (
        <Tooltip label={t.exceedsWhy({ most })} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
          <span>
            <StateBadge tone="warn">{t.exceeds({ most })}</StateBadge>
          </span>
        </Tooltip>
      )}
    </Stack>
  )
}
