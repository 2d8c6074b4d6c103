/** The dialog that makes a key, and shows it once. Closing it is the last that is seen of the key's text. */
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { MakeKey, type Made, type Owner } from '../../parts/make-key/make-key.tsx'
import { ShownOnce } from '../../parts/make-key/shown-once.tsx'
import { texts } from '../../texts/texts.ts'

interface MakeDialogProps {
  readonly of: Owner
  readonly opened: boolean
  readonly onClose: () => void
}

export function MakeDialog({ of, opened, onClose }: MakeDialogProps) {
  const [made, setMade] = useState<Made>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  const t = texts.keys
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.makeTitles[of]}
      size="lg"
      // A key that is not copied yet is not lost by a click beside it.
      closeOnClickOutside={made === undefined}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {made === undefined ? (
        <MakeKey of={of} onMade={setMade} />
      ) : (
        <Stack>
          <ShownOnce secret={made.key} label={made.name} copyLabel={t.once.copy} />
          <Group justify="flex-end">
            <Button onClick={close}>{t.once.done}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
