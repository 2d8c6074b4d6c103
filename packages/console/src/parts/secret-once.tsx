/** A secret that was just made: shown now and never again, until somebody says that it is stored. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { texts } from '../texts/texts.ts'
import { CopyField } from '../ui/copy.tsx'

const t = texts.secretOnce

export function SecretOnce({ secret, onClose }: { secret: string | undefined; onClose: () => void }) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title={t.title}
      // A click beside it is made easily, and the secret would be gone.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <Stack>
        <Text size="sm">{t.hint}</Text>
        <CopyField label={t.label} value={secret ?? ''} copyLabel={t.copy} />
        <Group justify="flex-end">
          <Button onClick={onClose}>{t.stored}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
