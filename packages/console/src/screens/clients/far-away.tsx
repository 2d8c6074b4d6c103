/** Says that a client in the cloud does not reach an address of this machine or network, and what helps. */
import { Alert, Text } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'

export function FarAway({ client }: { client: string }) {
  const t = texts.clients.farAway
  return (
    <Alert color="orange" icon={<Icon name="alert-triangle" />} title={t.title({ client })}>
      <Text size="sm">{t.hint}</Text>
    </Alert>
  )
}
