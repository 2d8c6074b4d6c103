/** Short news at the edge of the window: what was done, with a way to undo it; what failed stays until it is closed. */
import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { texts } from '../texts/texts.ts'
import { Failed, type Failure } from './failed.tsx'

/** Milliseconds in which something can still be undone. */
const UNDO_MS = 8_000

export function sayDone(message: string, undo?: () => void): void {
  const id = notifications.show({
    color: 'teal',
    autoClose: undo === undefined ? 4_000 : UNDO_MS,
    closeButtonProps: { 'aria-label': texts.close },
    message:
      undo === undefined ? (
        message
      ) : (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{message}</Text>
          <Button
            size="xs"
            variant="default"
            style={{ flexShrink: 0 }}
            onClick={() => {
              notifications.hide(id)
              undo()
            }}
          >
            {texts.undo}
          </Button>
        </Group>
      ),
  })
}

export function sayFailed(failure: Failure): void {
  notifications.show({
    color: 'red',
    autoClose: false,
    withBorder: false,
    closeButtonProps: { 'aria-label': texts.close },
    message: <Failed failure={failure} />,
  })
}
