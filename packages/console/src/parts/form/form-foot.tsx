/** The end of a form: why it could not be sent, and the buttons that leave it and send it. */
import { Button, Group } from '@mantine/core'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'

/** The mutation that a form sends. */
export interface Sending {
  readonly isPending: boolean
  readonly error: Error | null
}

export interface FormFootProps {
  /** The verb: "Add". */
  readonly verb: string
  readonly sending: Sending
  readonly disabled?: boolean
  readonly onClose: () => void
}

export function FormFoot({ verb, sending, disabled = false, onClose }: FormFootProps) {
  return (
    <>
      {sending.error === null ? null : <Failed failure={Problem.of(sending.error)} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {texts.cancel}
        </Button>
        <Button type="submit" loading={sending.isPending} disabled={disabled}>
          {verb}
        </Button>
      </Group>
    </>
  )
}
