/** A part of a screen under a heading of its own, with a way to all of it. */
import { Box, Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export interface PanelProps {
  readonly title: string
  readonly hint?: ReactNode
  /** Beside the heading: a link or a button. */
  readonly action?: ReactNode
  readonly children: ReactNode
}

export function Panel({ title, hint, action, children }: PanelProps) {
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Box style={{ minWidth: 0 }}>
            <Title order={2}>{title}</Title>
            {hint === undefined ? null : (
              <Text size="sm" c="dimmed">
                {hint}
              </Text>
            )}
          </Box>
          {action}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
