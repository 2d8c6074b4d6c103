/** The list of keyboard shortcuts, with the switch that turns them off. Loaded when it is first opened. */
import { Group, Kbd, Modal, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../texts/texts.ts'
import { useDestinations } from './destinations.ts'
import { SCREEN_KEYS, shortcutsAreOn, switchShortcuts } from './shortcut-keys.ts'

export function Shortcuts({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [on, setOn] = useState(shortcutsAreOn)
  const t = texts.shortcuts
  const names = new Map(useDestinations().map(({ to, title }) => [to, title]))
  const screens = SCREEN_KEYS.flatMap(([key, to]) => {
    const name = names.get(to)
    return name === undefined ? [] : [[['g', key], t.go({ screen: name })] as const]
  })
  const all: readonly (readonly [keys: readonly string[], what: string])[] = [
    [['Ctrl', 'K'], t.everything],
    [['/'], t.search],
    [['j'], t.next],
    [['k'], t.previous],
    [['Enter'], t.open],
    [['?'], t.list],
    ...screens,
  ]
  return (
    <Modal opened={opened} onClose={onClose} title={t.title} closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack gap="xs">
        {all.map(([keys, what]) => (
          <Group key={what} justify="space-between" wrap="nowrap">
            <Text size="sm">{what}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
        <Switch
          mt="sm"
          label={t.on}
          description={t.onHint}
          checked={on}
          onChange={({ currentTarget: { checked } }) => {
            switchShortcuts(checked)
            setOn(checked)
          }}
        />
      </Stack>
    </Modal>
  )
}
