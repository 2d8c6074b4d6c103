/** One part of a record in the drawer, with its heading. */
import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export function RecordPart({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Title order={3}>{title}</Title>
      {children}
      {note === undefined ? null : (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Stack>
  )
}
