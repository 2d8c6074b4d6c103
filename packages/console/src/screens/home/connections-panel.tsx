/** Connections and how they are, those first that need somebody. */
import { Box, Group, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Connection, listConnections } from '@toolway/contract/admin'
import type { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { localizedOr } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { logoOfConnection } from '../../ui/logo-of.ts'
import { Logo } from '../../ui/logo.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { healthOf } from './health.ts'

type Connections = UseQueryResult<z.output<(typeof listConnections)['answer']>>

export function ConnectionsPanel({ connections }: { connections: Connections }) {
  const t = texts.home.connections
  return (
    <Panel title={t.title} action={<TextLink to="/connections">{t.more}</TextLink>}>
      <Loaded query={connections}>
        {({ items, total, by_status: by }) =>
          items.length === 0 ? <Nothing /> : <Health items={items} good={by['connected'] ?? 0} total={total} />
        }
      </Loaded>
    </Panel>
  )
}

/** The gateway says which ones need somebody first, and how many there are of each. */
function Health({ items, good, total }: { items: readonly Connection[]; good: number; total: number }) {
  const t = texts.home.connections
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {t.summary({ good, all: total, bad: total - good })}
      </Text>
      {items.map((connection) => (
        <One key={connection.id} connection={connection} />
      ))}
    </Stack>
  )
}

function One({ connection }: { connection: Connection }) {
  const { title, alias, tools, status_reason: reason, enabled } = connection
  const { tone, word } = healthOf(connection)
  const why = enabled && tone !== 'good' ? localizedOr(reason ?? connection.stale_reason) : null
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Logo logo={logoOfConnection(connection)} name={title} />
      <Box style={{ flex: 1, minWidth: 0 }}>
        <div>
          <TextLink to={`/connections/${alias}`}>{title}</TextLink>
        </div>
        <Text size="sm" c="dimmed" className="breakable" lineClamp={2}>
          {why ?? texts.home.connections.tools({ tools })}
        </Text>
      </Box>
      <StateBadge tone={tone}>{word}</StateBadge>
    </Group>
  )
}

function Nothing() {
  const may = useMay('connector_create')
  const t = texts.home.connections
  return (
    <>
      <Text c="dimmed">{may ? t.none : t.noneYet}</Text>
      {may ? (
        <div>
          <LinkButton to="/connections/new" variant="default" size="sm">
            {t.first}
          </LinkButton>
        </div>
      ) : null}
    </>
  )
}
