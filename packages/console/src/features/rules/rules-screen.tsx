/** Rules about tools: those in force, why a call ends as it does, what watching rules saw, and a draft on what happened. */
import { loadSurely } from '../../data/load-surely.ts'
import { Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Screen } from '../../ui/screen.tsx'
import { RuleList } from './rule-list.tsx'

const ExplainTab = lazy(() =>
  loadSurely(() => import('./explain-tab.tsx')).then(({ ExplainTab }) => ({ default: ExplainTab })),
)
const AccessTab = lazy(() =>
  loadSurely(() => import('./access-tab.tsx')).then(({ AccessTab }) => ({ default: AccessTab })),
)
const ShadowTab = lazy(() =>
  loadSurely(() => import('./shadow-tab.tsx')).then(({ ShadowTab }) => ({ default: ShadowTab })),
)
const ReplayTab = lazy(() =>
  loadSurely(() => import('./replay-tab.tsx')).then(({ ReplayTab }) => ({ default: ReplayTab })),
)

const State = z.object({
  tab: z.enum(['list', 'access', 'explain', 'shadow', 'replay']).default('list'),
  search: z.string().default(''),
  action: z.string().optional(),
  state: z.string().optional(),
  scope: z.string().optional(),
})

export function RulesScreen() {
  const may = useMay('policy_manage')
  const t = texts.rules
  if (!may)
    return (
      <Screen title={texts.nav.rules}>
        <Empty title={t.notYours} hint={t.notYoursHint} icon="shield-check" />
      </Screen>
    )
  return <Rules />
}

function Rules() {
  const [{ tab, ...filter }, set] = useUrlState(State)
  const t = texts.rules
  return (
    <Screen
      title={texts.nav.rules}
      hint={t.hint}
      action={
        <LinkButton to="/rules/new" leftSection={<Icon name="plus" size={16} />}>
          {t.add}
        </LinkButton>
      }
    >
      <Tabs value={tab} onChange={(value) => set({ tab: value as 'list' })} keepMounted={false}>
        <Tabs.List mb="md">
          {(['list', 'access', 'explain', 'shadow', 'replay'] as const).map((item) => (
            <Tabs.Tab key={item} value={item}>
              {t.tabs[item]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Suspense>
          <Tabs.Panel value="list">
            <RuleList filter={filter} setFilter={set} />
          </Tabs.Panel>
          <Tabs.Panel value="access">
            <AccessTab />
          </Tabs.Panel>
          <Tabs.Panel value="explain">
            <ExplainTab />
          </Tabs.Panel>
          <Tabs.Panel value="shadow">
            <ShadowTab />
          </Tabs.Panel>
          <Tabs.Panel value="replay">
            <ReplayTab />
          </Tabs.Panel>
        </Suspense>
      </Tabs>
    </Screen>
  )
}
