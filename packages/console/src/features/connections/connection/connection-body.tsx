/** The page of a connection below its title: its health, the result of the last test, and its tabs. */
import { Badge, Code, Group, Stack, Tabs, Text } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import type { ReactNode } from 'react'
import { z } from 'zod'
import { useUrlState } from '../../../data/url-state.ts'
import { kindTitle } from '../../../texts/field-words.ts'
import { texts } from '../../../texts/texts.ts'
import { StateBadge } from '../../../ui/badges.tsx'
import { logoOfConnection } from '../../../ui/logo-of.ts'
import { Logo } from '../../../ui/logo.tsx'
import { ConnectionAccounts } from './connection-accounts.tsx'
import { ConnectionChanges } from './connection-changes.tsx'
import { ConnectionDocument } from './connection-document.tsx'
import { ConnectionHealth } from './connection-health.tsx'
import { ConnectionOverview } from './connection-overview.tsx'
import { ConnectionProcess } from './connection-process.tsx'
import { ConnectionSettings } from './connection-settings.tsx'
import { stateOf, TABS, tabsOf, type Tab } from './connection-states.ts'
import { ConnectionTools } from './connection-tools.tsx'

const t = texts.connection
/** The address parameters of a single tab, which are cleared when the tab changes. */
const OF_ONE_TAB = ['search', 'effect', 'on', 'offset', 'state', 'looked', 'source'] as const
const State = z.object({
  tab: z.enum(TABS).default('overview'),
  ...Object.fromEntries(OF_ONE_TAB.map((name) => [name, z.string().default('')])),
})
const FRESH = Object.fromEntries(OF_ONE_TAB.map((name) => [name, '']))

const PANELS: Readonly<Record<Tab, (props: { connection: Connection }) => ReactNode>> = {
  overview: ConnectionOverview,
  accounts: ConnectionAccounts,
  tools: ConnectionTools,
  changes: ConnectionChanges,
  process: ConnectionProcess,
  document: ConnectionDocument,
  settings: ConnectionSettings,
}

export function ConnectionBody({ connection }: { connection: Connection }) {
  const [{ tab }, set] = useUrlState(State)
  const tabs = tabsOf(connection)
  const shown = tabs.includes(tab) ? tab : 'overview'
  const Panel = PANELS[shown]
  return (
    <Stack gap="lg">
      <Facts connection={connection} />
      <ConnectionHealth connection={connection} />
      <Tabs value={shown} onChange={(next) => set({ ...FRESH, tab: next as Tab })} keepMounted={false}>
        <Tabs.List>
          {tabs.map((item) => (
            <Tabs.Tab key={item} value={item}>
              {t.tabs[item]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={shown} pt="lg">
          <Panel connection={connection} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}

function Facts({ connection }: { connection: Connection }) {
  const { title, alias, connector, description, origin } = connection
  const { tone, word } = stateOf(connection)
  return (
    <Group gap="md" wrap="nowrap" align="flex-start">
      <Logo logo={logoOfConnection(connection)} name={title} size={44} />
      <Stack gap={6} style={{ minWidth: 0 }}>
        <Group gap="xs">
          <StateBadge tone={tone}>{word}</StateBadge>
          <Badge variant="default" style={{ textTransform: 'none' }}>
            {kindTitle(connector)}
          </Badge>
          <Text size="sm" c="dimmed">
            {t.alias} <Code>{alias}</Code>
          </Text>
          {origin === 'file' ? <StateBadge tone="plain">{t.ofFile}</StateBadge> : null}
        </Group>
        {description === null || description === '' ? null : (
          <Text size="sm" className="breakable">
            {description}
          </Text>
        )}
        {origin === 'file' ? (
          <Text size="sm" c="dimmed">
            {t.fromFile}
          </Text>
        ) : null}
      </Stack>
    </Group>
  )
}
