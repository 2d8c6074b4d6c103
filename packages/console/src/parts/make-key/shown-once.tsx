/** A secret that was just made: there to be copied, and gone when this is closed. */
import { Alert, Stack, Text } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'

export function ShownOnce({ secret, label, copyLabel }: { secret: string; label: string; copyLabel: string }) {
  return (
    <Alert color="teal" icon={<Icon name="key" />} title={texts.keys.once.title}>
      <Stack gap="sm">
        <Text size="sm">{texts.keys.once.hint}</Text>
        <CopyField value={secret} label={label} copyLabel={copyLabel} />
      </Stack>
    </Alert>
  )
}
