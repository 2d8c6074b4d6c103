/** What can be done with one destination of messages, a webhook or a record stream. */
import { ActionIcon, Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/icon.tsx'

export interface DestinationMenuProps {
  readonly label: string
  readonly words: Readonly<Record<'test' | 'edit' | 'switchOn' | 'switchOff' | 'remove', string>>
  readonly enabled: boolean
  readonly busy: boolean
  readonly onTest: () => void
  readonly onEdit: () => void
  readonly onToggle: () => void
  readonly onRemove: () => void
  /** Entries of this kind of destination. */
  readonly children?: ReactNode
}

export function DestinationMenu({ label, words, enabled, busy, children, ...on }: DestinationMenuProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label={label} loading={busy}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="send" size={16} />} onClick={on.onTest}>
          {words.test}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="pencil" size={16} />} onClick={on.onEdit}>
          {words.edit}
        </Menu.Item>
        {children}
        <Menu.Item
          leftSection={<Icon name={enabled ? 'player-pause' : 'player-play'} size={16} />}
          onClick={on.onToggle}
        >
          {enabled ? words.switchOff : words.switchOn}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="trash" size={16} />} color="red" onClick={on.onRemove}>
          {words.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
