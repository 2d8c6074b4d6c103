/** All tools of the organization: which there are, which are on, what they cost, and what a client gets to see of them. */
import { Alert, Tabs } from '@mantine/core'
import { listAllTools } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { ListPreviewPart } from '../../parts/list-preview.tsx'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { Screen } from '../../ui/screen.tsx'
import { count } from '../../ui/times.ts'
import { ToolDrawer } from './tool-drawer.tsx'
import { ToolsState, tokensOf } from './tool-filter.ts'
import { ToolsList } from './tools-list.tsx'

/** As many as one answer has (contract, MOST_TOOLS). */
const MOST = 2_000

export function ToolsScreen() {
  const organization = useOrganization()
  const [state, set] = useUrlState(ToolsState)
  // Only where there are more than one answer has does the gateway narrow them; else that is done here, at once.
  const all = useQuery(ask('tools', listAllTools, { path: { organization }, query: { limit: MOST } }))
  const tooMany = (all.data?.total ?? 0) > MOST
  const { connection } = state
  const narrowed = useQuery({
    ...ask('tools', listAllTools, { path: { organization }, query: { limit: MOST, connection } }),
    enabled: tooMany && connection !== undefined,
  })
  const query = tooMany && connection !== undefined ? narrowed : all
  const { data } = all
  const t = texts.tools
  return (
    <Screen
      title={texts.nav.tools}
      hint={data === undefined ? undefined : t.hint({ tools: count(data.total), tokens: count(tokensOf(data.items)) })}
    >
      <Tabs
        value={state.view}
        onChange={(view) => set({ view: view as ToolsState['view'] }, 'push')}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="list">{t.views.list}</Tabs.Tab>
          <Tabs.Tab value="preview">{t.views.preview}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="list" pt="md">
          {tooMany && connection === undefined ? (
            <Alert mb="md" icon={<Icon name="info-circle" />}>
              {t.more({ shown: count(MOST), total: count(data?.total ?? 0) })}
            </Alert>
          ) : null}
          <ToolsList query={query} everything={data?.items} state={state} set={set} />
        </Tabs.Panel>
        <Tabs.Panel value="preview" pt="md">
          <ListPreviewPart />
        </Tabs.Panel>
      </Tabs>
      <ToolDrawer name={state.tool} onClose={() => set({ tool: undefined, tab: undefined } as never)} />
    </Screen>
  )
}
