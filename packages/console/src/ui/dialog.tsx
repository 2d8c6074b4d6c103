/** A question with fields, and what came of it: opened by the address, closed by Escape, sent by Enter. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { texts } from '../texts/texts.ts'
import { Failed, type Failure } from './failed.tsx'

export interface DialogProps {
  readonly opened: boolean
  readonly title: string
  /** The verb: "Add". Without one there is nothing to send. */
  readonly verb?: string
  readonly busy?: boolean
  readonly failure?: Failure | null
  readonly onSubmit?: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({ opened, title, verb, busy = false, failure, onSubmit, onClose, children }: DialogProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit?.()
  }
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': texts.close }}>
      <form onSubmit={submit}>
        <Stack>
          {children}
          {failure === undefined || failure === null ? null : <Failed failure={failure} />}
          {verb === undefined ? null : (
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {texts.cancel}
              </Button>
              <Button type="submit" loading={busy}>
                {verb}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Modal>
  )
}
