/** The settings of the organization and the installation, with a tab each; tabs that the user may not see are left out. */
import { Button, Stack, Tabs } from '@mantine/core'
import type { ComponentType } from 'react'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { Screen } from '../../ui/screen.tsx'
import { Alerts } from './alerts.tsx'
import { EgressSettings } from '../../features/organizations/egress-settings.tsx'
import { InstallationSettings } from './installation-settings.tsx'
import { OAuthApps } from '../../features/accounts/oauth-apps.tsx'
import { OrganizationSettings } from '../../features/organizations/organization-settings.tsx'
import { RecordStreams } from '../../features/record-streams/record-streams.tsx'
import { SignInSettings } from './sign-in-settings.tsx'
import { SignInRules } from '../../features/second-factor/sign-in-rules.tsx'
import { Webhooks } from '../../features/webhooks/webhooks.tsx'

const t = texts.settings

const TABS = ['organization', 'signIn', 'egress', 'apps', 'webhooks', 'streams', 'alerts', 'installation'] as const
type Tab = (typeof TABS)[number]

const PANELS: Readonly<Record<Tab, ComponentType>> = {
  organization: Organization,
  signIn: SignInSettings,
  egress: EgressSettings,
  apps: OAuthApps,
  webhooks: Webhooks,
  streams: RecordStreams,
  alerts: Alerts,
  installation: InstallationSettings,
}

function Organization() {
  return (
    <Stack gap="lg">
      <OrganizationSettings />
      <SignInRules />
    </Stack>
  )
}

const State = z.object({ tab: z.enum(TABS).optional() })

export function SettingsScreen() {
  const [state, set] = useUrlState(State)
  const read = useMay('tenant_read')
  const may: Readonly<Record<Tab, boolean>> = {
    organization: read,
    signIn: useMay('user_manage'),
    egress: read,
    apps: useMay('connector_update'),
    webhooks: useMay('tenant_update'),
    streams: useMay('tenant_update'),
    alerts: useMay('connector_read'),
    installation: useMay('stats_view_global', 'platform'),
  }
  const tabs = TABS.filter((tab) => may[tab])
  const tab = state.tab !== undefined && may[state.tab] ? state.tab : (tabs[0] ?? 'alerts')
  const Panel = PANELS[tab]
  return (
    <Screen
      title={texts.nav.settings}
      hint={t.hint}
      action={
        <Button component="a" href="/api/v1/docs" variant="default" leftSection={<Icon name="api" size={16} />}>
          {t.reference}
        </Button>
      }
    >
      {/* The address parameters of one tab, such as a filter or a dialog, mean nothing in another. */}
      <Tabs value={tab} onChange={(next) => set({ ...LEFT, tab: (next ?? undefined) as Tab | undefined })}>
        <Tabs.List mb="lg">
          {tabs.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t.tabs[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Panel />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  )
}

const LEFT = {
  app: undefined,
  provider: undefined,
  webhook: undefined,
  stream: undefined,
  kind: undefined,
  connection: undefined,
  offset: undefined,
  search: undefined,
  set: undefined,
}
