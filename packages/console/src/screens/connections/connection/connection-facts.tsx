/** Names and their values, as a list that screen readers know as one. */
import { Box, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export type Fact = readonly [name: string, value: ReactNode] | undefined | false

export function Facts({ title, facts, children }: { title: string; facts: readonly Fact[]; children?: ReactNode }) {
  const told = facts.filter((fact): fact is readonly [string, ReactNode] => Array.isArray(fact))
  return (
    <Section title={title}>
      {told.length === 0 ? null : (
        <Box
          component="dl"
          m={0}
          style={{ display: 'grid', gridTemplateColumns: 'minmax(7rem, auto) minmax(0, 1fr)', gap: '8px 16px' }}
        >
          {told.map(([name, value]) => (
            <Pair key={name} name={name} value={value} />
          ))}
        </Box>
      )}
      {children}
    </Section>
  )
}

function Pair({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} className="breakable">
        {value}
      </Text>
    </>
  )
}

/** A framed part of a tab. */
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
