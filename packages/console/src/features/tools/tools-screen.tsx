/** All tools of the organization: which there are, which are on, what they cost, and what a client gets to see of them. */
import { Tabs } from '@mantine/core'
import { listAllTools } from '@toolway/contract/admin'
import { useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { ListPreviewPart } from '../../parts/list-preview.tsx'
import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'
import { count } from '../../ui/times.ts'
import { ToolDrawer } from './tool-drawer.tsx'
import { queryOf, ToolsState } from './tool-filter.ts'
import { ToolsList } from './tools-list.tsx'

export function ToolsScreen() {
  const organization = useOrganization()
  const [state, set] = useUrlState(ToolsState)
  const pages = usePages('tools', listAllTools, { path: { organization }, query: queryOf(state) })
  const { data } = pages
  const t = texts.tools
  return (
    <Screen
      title={texts.nav.tools}
      hint={data === undefined ? undefined : t.hint({ tools: count(data.all), tokens: count(data.all_tokens) })}
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
          <ToolsList pages={pages} state={state} set={set} />
        </Tabs.Panel>
        <Tabs.Panel value="preview" pt="md">
          <ListPreviewPart />
        </Tabs.Panel>
      </Tabs>
      <ToolDrawer name={state.tool} onClose={() => set({ tool: undefined, tab: undefined } as never)} />
    </Screen>
  )
}
