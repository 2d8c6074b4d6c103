/** The actions on a connection: test it, switch it on or off, change or delete it. */
import { ActionIcon, Button, Menu } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import { z } from 'zod'
import { useMay } from '../../../data/me.ts'
import { useUrlState } from '../../../data/url-state.ts'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ConnectionDelete } from './connection-delete.tsx'
import { useTest, useToggle, useWhyNot } from './connection-ways.tsx'

const t = texts.connection
const State = z.object({ dialog: z.enum(['', 'delete']).default(''), tab: z.string().default('') })

export function ConnectionActions({ connection }: { connection: Connection }) {
  const [{ dialog }, set] = useUrlState(State)
  const mayTest = useMay('tool_configure')
  const whyNot = useWhyNot(connection, 'connector_update')
  const whyNotDelete = useWhyNot(connection, 'connector_delete')
  const test = useTest(connection)
  const toggle = useToggle(connection)
  const { enabled, title } = connection
  const tested = mayTest && enabled
  return (
    <>
      <Allowed may={tested} why={enabled ? t.notYours : t.testOff}>
        <Button
          leftSection={<Icon name="bolt" />}
          loading={test.isPending}
          disabled={!tested}
          onClick={() => test.mutate()}
        >
          {t.test}
        </Button>
      </Allowed>
      <Allowed may={whyNot === undefined} why={whyNot ?? ''}>
        <Button
          variant="default"
          disabled={whyNot !== undefined}
          loading={toggle.isPending}
          onClick={() => toggle.mutate(!enabled)}
        >
          {enabled ? t.switchOff : t.switchOn}
        </Button>
      </Allowed>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t.more({ title })}>
            <Icon name="dots" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="pencil" />} onClick={() => set({ tab: 'settings' }, 'push')}>
            {t.edit}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<Icon name="trash" />}
            disabled={whyNotDelete !== undefined}
            onClick={() => set({ dialog: 'delete' }, 'push')}
          >
            {t.remove}
          </Menu.Item>
          {whyNotDelete === undefined ? null : <Menu.Label maw={260}>{whyNotDelete}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      <ConnectionDelete
        connection={connection}
        opened={dialog === 'delete' && whyNotDelete === undefined}
        onClose={() => set({ dialog: undefined })}
      />
    </>
  )
}
