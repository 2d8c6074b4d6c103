/** The day in four numbers. Records know no filter that counts just these calls: what is counted leads to usage. */
import { Paper, SimpleGrid, Skeleton, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Usage } from '@toolway/contract/admin'
import type { ReactNode } from 'react'
import { texts } from '../../texts/texts.ts'
import { TextLink } from '../../ui/links.tsx'
import { count } from '../../ui/times.ts'

export interface FiguresProps {
  readonly usage: Pick<UseQueryResult<Usage>, 'data' | 'error'>
  readonly approvals: number | undefined
}

export function Figures({ usage, approvals }: FiguresProps) {
  const t = texts.home.figures
  const total = usage.data?.total
  const failed = usage.error !== null && total === undefined
  const share = (part: number | undefined) =>
    total === undefined || part === undefined || total.calls === 0 ? undefined : t.share((100 * part) / total.calls)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <Figure label={t.calls} value={total?.calls} hint={t.day} unknown={failed} to="/usage" />
      <Figure
        label={t.failed}
        value={total?.failed}
        hint={share(total?.failed) ?? t.day}
        unknown={failed}
        to="/usage"
      />
      <Figure
        label={t.refused}
        value={total?.refused}
        hint={share(total?.refused) ?? t.day}
        unknown={failed}
        to="/usage"
      />
      <Figure label={t.approvals} value={approvals} hint={t.now} unknown={false} to="/approvals" />
    </SimpleGrid>
  )
}

interface FigureProps {
  readonly label: string
  readonly value: number | undefined
  readonly hint: ReactNode
  /** It was asked for and could not be told. */
  readonly unknown: boolean
  readonly to: string
}

function Figure({ label, value, hint, unknown, to }: FigureProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" component="div">
        <TextLink to={to}>{label}</TextLink>
      </Text>
      {value === undefined && !unknown ? (
        <Skeleton height={28} width={56} my={6} aria-busy />
      ) : (
        <Text fz={28} fw={650} lh={1.4}>
          {value === undefined ? '–' : count(value)}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    </Paper>
  )
}
