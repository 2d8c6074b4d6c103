/** The rules that hold at a toolset's address: its own, and those of the organization that are about it. They are changed elsewhere. */
import { Group, Stack, Text } from '@mantine/core'
import { listOrganizationRules, type KeptRule, type Toolset } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useMay, useOrganization } from '../../data/me.ts'
import { askAll } from '../../data/pages.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { column, Table } from '../../ui/table.tsx'

const { rules: t } = texts.toolsets

const COLUMNS = [
  column<KeptRule>(t.columns.name, ({ name }) => name, 3),
  column<KeptRule>(t.columns.action, ({ action }) => action, 2),
  column<KeptRule>(
    t.columns.state,
    ({ state }) => <StateBadge tone={state === 'on' ? 'good' : 'off'}>{t.states[state]}</StateBadge>,
    2,
  ),
  column<KeptRule>(t.columns.reason, ({ reason }) => reason, 4),
]

/** Those that stand in a toolset are in the list of the organization's rules, too. */
export function RulesTab({ toolset }: { toolset: Toolset }) {
  const organization = useOrganization()
  const may = useMay('policy_manage')
  const rules = useQuery({
    ...askAll('rules', listOrganizationRules, { path: { organization }, query: { scope: 'toolset' } }),
    enabled: may,
  })
  const own = useMemo(() => rules.data?.items.filter(({ of }) => of === toolset.slug), [rules.data, toolset.slug])
  return (
    <Stack>
      <Group justify="space-between" gap="sm">
        <Text c="dimmed" style={{ flex: '1 1 16rem' }}>
          {t.hint}
        </Text>
        {may ? (
          <Group gap="xs">
            <LinkButton to="/rules" search={{ scope: 'toolset', search: toolset.slug }} variant="default" size="xs">
              {t.all}
            </LinkButton>
            <LinkButton to="/rules/new" search={{ scope: 'toolset', of: toolset.slug }} size="xs">
              {t.add}
            </LinkButton>
          </Group>
        ) : null}
      </Group>
      <Table
        label={t.list}
        query={{ ...rules, data: own === undefined ? undefined : { items: own } }}
        rowKey={({ id }: KeptRule) => id}
        rowLink={({ id }: KeptRule) => `/rules/${encodeURIComponent(id)}`}
        empty={<Empty title={t.none.title} hint={t.none.hint} icon="shield-check" />}
        columns={COLUMNS}
      />
    </Stack>
  )
}
