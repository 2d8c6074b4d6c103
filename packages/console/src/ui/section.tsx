/** A part of a screen with a heading of its own: what it is about, what can be done there, and what it holds. */
import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'

export interface SectionProps {
  readonly title: string
  readonly hint?: ReactNode
  readonly action?: ReactNode
  /** Without a frame, for what has one of its own: a table. */
  readonly bare?: boolean
  readonly children?: ReactNode
}

export function Section({ title, hint, action, bare = false, children }: SectionProps) {
  const id = useId()
  const head = (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={2} style={{ flex: '1 1 16rem', minWidth: 0 }}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {hint === undefined ? null : (
          <Text size="sm" c="dimmed">
            {hint}
          </Text>
        )}
      </Stack>
      {action === undefined ? null : <Group gap="xs">{action}</Group>}
    </Group>
  )
  const whole = (
    <Stack gap="md">
      {head}
      {children}
    </Stack>
  )
  return (
    <section aria-labelledby={id}>
      {bare ? (
        whole
      ) : (
        <Paper withBorder p={{ base: 'md', sm: 'lg' }}>
          {whole}
        </Paper>
      )}
    </section>
  )
}
