/** Calls that rules want somebody's word for: those that wait, live, and what became of the others. */
import { Tabs } from '@mantine/core'
import { APPROVAL_STATES } from '@toolway/contract/admin'
import { z } from 'zod'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Screen } from '../../ui/screen.tsx'
import { Always } from './standing-grants.tsx'
import { Past } from './past-questions.tsx'
import { Waiting } from './waiting.tsx'

const State = z.object({
  tab: z.enum(['waiting', 'history', 'always']).default('waiting'),
  approval: z.string().default(''),
  state: z.enum(APPROVAL_STATES).optional(),
})

export function ApprovalsScreen() {
  const [{ tab, approval, state }, set] = useUrlState(State)
  const t = texts.approvals
  return (
    <Screen title={texts.nav.approvals} hint={t.hint}>
      <Tabs
        value={tab}
        onChange={(value) => set({ tab: value as 'waiting', approval: undefined, state: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="waiting">{t.waiting}</Tabs.Tab>
          <Tabs.Tab value="always">{t.always.tab}</Tabs.Tab>
          <Tabs.Tab value="history">{t.history}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="waiting">
          <Waiting chosen={approval} onChoose={(id) => set({ approval: id })} />
        </Tabs.Panel>
        <Tabs.Panel value="always">
          <Always />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <Past
            state={state}
            onState={(next) => set({ state: next })}
            chosen={approval}
            onChoose={(id) => set({ approval: id }, id === undefined ? undefined : 'push')}
          />
        </Tabs.Panel>
      </Tabs>
    </Screen>
  )
}
