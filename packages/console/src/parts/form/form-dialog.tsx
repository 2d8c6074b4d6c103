/** A dialog with a form: opened by the address, closed by Escape, sent by Enter. */
import { Text } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFoot, type Sending } from './form-foot.tsx'

interface FormDialogProps {
  readonly opened: boolean
  readonly title: string
  readonly hint?: string
  /** The verb: "Add". */
  readonly verb: string
  readonly sending: Sending & { readonly mutate: () => void }
  readonly onClose: () => void
  readonly children: ReactNode
}

export function FormDialog({ opened, title, hint, verb, sending, onClose, children }: FormDialogProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    sending.mutate()
  }
  return (
    <Dialog opened={opened} title={title} onClose={onClose} onSubmit={submit}>
      {hint === undefined ? null : (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      {children}
      <FormFoot verb={verb} sending={sending} onClose={onClose} />
    </Dialog>
  )
}
