/** A framed part of a connection's tab, and one that holds facts. */
import { Box, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Facts as KitFacts, type Fact } from '../../../ui/facts.tsx'

export function Facts({
  title,
  facts,
  children,
}: {
  title: string
  facts: readonly (Fact | false | undefined)[]
  children?: ReactNode
}) {
  return (
    <Section title={title}>
      <KitFacts facts={facts.filter((fact): fact is Fact => Array.isArray(fact))} />
      {children}
    </Section>
  )
}

export function Section({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Box>
          <Title order={2}>{title}</Title>
          {hint === undefined ? null : (
            <Text size="sm" c="dimmed" mt={2}>
              {hint}
            </Text>
          )}
        </Box>
        {children}
      </Stack>
    </Paper>
  )
}
