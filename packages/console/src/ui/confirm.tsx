/**
 * Asks for confirmation before an action that cannot be undone. An action that can be undone runs at once, and `sayDone` offers
 * to undo it.
 */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from '../texts/texts.ts'

export interface ConfirmProps {
  readonly opened: boolean
  readonly title: string
  /** The loss, and the users affected. */
  readonly children: ReactNode
  /** The verb: "Delete". */
  readonly verb: string
  readonly busy?: boolean
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function Confirm({ opened, title, children, verb, busy = false, onConfirm, onClose }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered closeButtonProps={{ 'aria-label': texts.close }}>
      <Stack>
        <Text component="div">{children}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button color="red" loading={busy} onClick={onConfirm}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
