/** Keys and clients: one's own, those of the organization, and those of the installation, each on a tab that the address names. */
import { Tabs } from '@mantine/core'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Screen } from '../../ui/screen.tsx'
import { ConnectedClients } from './connected-clients.tsx'
import { MyKeys } from './my-keys.tsx'
import { OrganizationKeys } from './organization-keys.tsx'
import { PlatformKeys } from './platform-keys.tsx'
import { RegisteredClients } from './registered-clients.tsx'

const TABS = ['mine', 'organization', 'clients', 'platform', 'registered'] as const
type Tab = (typeof TABS)[number]
const State = z.object({ tab: z.enum(TABS).default('mine'), from: z.string().optional(), make: z.string().optional() })

const PANELS: Readonly<Record<Tab, () => React.ReactNode>> = {
  mine: MyKeys,
  organization: OrganizationKeys,
  clients: ConnectedClients,
  platform: PlatformKeys,
  registered: RegisteredClients,
}

export function KeysScreen() {
  const [{ tab }, set] = useUrlState(State)
  const here = useMay('key_manage')
  const everywhere = useMay('key_manage', 'platform')
  const shown = TABS.filter(
    (item) => item === 'mine' || item === 'clients' || (item === 'organization' ? here : everywhere),
  )
  const chosen = shown.includes(tab) ? tab : 'mine'
  const Panel = PANELS[chosen]
  const t = texts.keys
  return (
    <Screen
      title={texts.nav.keys}
      hint={t.hint}
      action={
        <LinkButton to="/clients" variant="default">
          {texts.nav.clients}
        </LinkButton>
      }
    >
      <Tabs
        value={chosen}
        onChange={(next) => set({ tab: next as Tab, from: undefined, make: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md" style={{ flexWrap: 'nowrap', overflowX: 'auto', overflowY: 'hidden' }}>
          {shown.map((item) => (
            <Tabs.Tab key={item} value={item} style={{ flexShrink: 0 }}>
              {t.tabs[item]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={chosen}>
          <Panel />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  )
}
