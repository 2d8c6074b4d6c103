/** The members of the organization, with their roles and groups. */
import { Button, Group, Tabs } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Screen } from '../../ui/screen.tsx'
import { AddMember } from './add-member.tsx'
import { EditGroup } from './edit-group.tsx'
import { ExportMembers } from './export-members.tsx'
import { Groups } from './groups.tsx'
import { ImportMembers } from './import-members.tsx'
import { Members } from './members.tsx'

const State = z.object({
  tab: z.enum(['members', 'groups']).default('members'),
  /** `member`, `import`, `group`, or the slug of a group that is changed. */
  open: z.string().max(100).optional(),
})

export function PeopleScreen() {
  const may = useMay('user_manage')
  const [{ tab, open }, set] = useUrlState(State)
  // A dialog begins anew each time that it is opened.
  const [turn, setTurn] = useState(0)
  const t = texts.people
  if (!may) return <Forbidden screen={texts.nav.people} {...t.forbidden} />
  const begin = (what: string) => {
    setTurn(turn + 1)
    set({ open: what }, 'push')
  }
  const close = () => set({ open: undefined })
  const isMembers = tab === 'members'
  return (
    <Screen
      title={texts.nav.people}
      hint={t.hint}
      action={
        <Group gap="xs">
          {isMembers ? (
            <>
              <ExportMembers />
              <Button variant="default" leftSection={<Icon name="file" size={16} />} onClick={() => begin('import')}>
                {t.file.import}
              </Button>
            </>
          ) : null}
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => begin(isMembers ? 'member' : 'group')}>
            {isMembers ? t.add : t.addGroup}
          </Button>
        </Group>
      }
    >
      <Tabs value={tab} onChange={(next) => set({ tab: next === 'groups' ? 'groups' : undefined })}>
        <Tabs.List mb="md">
          <Tabs.Tab value="members">{t.members}</Tabs.Tab>
          <Tabs.Tab value="groups">{t.groups}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="members">{isMembers ? <Members /> : null}</Tabs.Panel>
        <Tabs.Panel value="groups">{isMembers ? null : <Groups onOpen={begin} />}</Tabs.Panel>
      </Tabs>
      <AddMember key={`member ${turn}`} opened={isMembers && open === 'member'} onClose={close} />
      <ImportMembers key={`import ${turn}`} opened={isMembers && open === 'import'} onClose={close} />
      <EditGroup key={`group ${turn}`} group={isMembers ? undefined : open} onClose={close} />
    </Screen>
  )
}
