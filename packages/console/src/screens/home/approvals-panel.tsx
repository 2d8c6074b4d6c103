/** Calls that wait for somebody's word; nothing where none does. */
import { Group, Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { Approval } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { LinkButton } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { When } from '../../ui/when.tsx'

export function ApprovalsPanel({ approvals }: { approvals: UseQueryResult<{ items: Approval[]; total: number }> }) {
  const { items = [], total = 0 } = approvals.data ?? {}
  const t = texts.home.approvals
  if (total === 0) return null
  return (
    <Panel
      title={t.title({ waiting: total })}
      action={
        <LinkButton to="/approvals" size="xs">
          {t.answer}
        </LinkButton>
      }
    >
      <Stack gap="sm">
        {items.map(({ id, caller, tool, connection, created_at: at }) => (
          <Group key={id} justify="space-between" gap="xs">
            <Text className="breakable">{t.one({ caller, tool, connection })}</Text>
            <Text size="sm" c="dimmed">
              <When at={at} />
            </Text>
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}
