/** Nothing here yet: why, and what to do about it. */
import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface EmptyProps {
  readonly title: string
  readonly hint?: ReactNode
  readonly icon?: IconName
  /** The actions that help. */
  readonly children?: ReactNode
}

export function Empty({ title, hint, icon = 'wand', children }: EmptyProps) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm" ta="center">
        <ThemeIcon variant="light" size={44} radius="xl">
          <Icon name={icon} size={24} />
        </ThemeIcon>
        <Title order={2}>{title}</Title>
        {hint === undefined ? null : (
          <Text c="dimmed" maw={520}>
            {hint}
          </Text>
        )}
        {children}
      </Stack>
    </Paper>
  )
}
