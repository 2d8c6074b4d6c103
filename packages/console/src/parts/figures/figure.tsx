/** One number of a span of time: its name, its value, what is said about it, and how it went as a thin line. */
import { Group, Paper, Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TextLink } from '../../ui/links.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'

export interface FigureProps {
  readonly label: string
  /** Undefined while it is being loaded; null where nothing can be said. */
  readonly value: string | null | undefined
  readonly hint: ReactNode
  /** By step, the earliest first. */
  readonly values?: readonly (number | null)[] | undefined
  /** Where more of it is shown. */
  readonly to?: string
}

export function Figure({ label, value, hint, values, to }: FigureProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed" component="div">
        {to === undefined ? label : <TextLink to={to}>{label}</TextLink>}
      </Text>
      <Group justify="space-between" align="center" gap="xs">
        {value === undefined ? (
          <Skeleton height={24} width={56} my={6} aria-busy />
        ) : (
          <Text fz={24} fw={650} lh={1.4} className="figure">
            {value ?? '–'}
          </Text>
        )}
        {values === undefined ? null : <Sparkline values={values} />}
      </Group>
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    </Paper>
  )
}
