/** One part of the screen: a heading of its own, on paper. */
import { Paper, Stack, Title } from '@mantine/core'
import { useId, type ReactNode } from 'react'

export function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Stack gap="sm">
        <Title order={2} id={id}>
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}
