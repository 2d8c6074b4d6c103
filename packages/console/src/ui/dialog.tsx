/** A question, or what came of one, in front of the screen. */
import { Modal, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { texts } from '../texts/texts.ts'

export interface DialogProps {
  readonly opened: boolean
  readonly title: string
  /** Where its children are the fields of a form. */
  readonly onSubmit?: (event: FormEvent) => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({ opened, title, onSubmit, onClose, children }: DialogProps) {
  const content = <Stack>{children}</Stack>
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': texts.close }}>
      {onSubmit === undefined ? content : <form onSubmit={onSubmit}>{content}</form>}
    </Modal>
  )
}
