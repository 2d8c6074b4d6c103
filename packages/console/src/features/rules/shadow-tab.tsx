/**
 * The outcomes that shadow rules would have had: by rule, tool and caller, with an example record, and a control to enforce the
 * rule.
 */
import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { useElsewhere, useRuleChanges, useRules } from './all-rules.ts'
import { rowsOf } from './rows.ts'
import { shadows } from './shadows.ts'

const DAYS = ['1', '7', '30', '90'] as const
const State = z.object({ days: z.enum(DAYS).default('7') })

export function ShadowTab() {
  const organization = useOrganization()
  const [{ days }, set] = useUrlState(State)
  const query = useQuery(shadows(organization, Number(days)))
  const t = texts.rules.shadow
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="md">
        <Text c="dimmed" maw={620}>
          {t.hint}
        </Text>
        <Select
          label={t.days}
          w={180}
          allowDeselect={false}
          data={DAYS.map((value) => ({ value, label: t.lastDays({ days: Number(value) }) }))}
          value={days}
          onChange={(value) => set({ days: value as '7' })}
        />
      </Group>
      <Loaded query={query}>
        {({ items, truncated }) =>
          items.length === 0 ? (
            <Empty title={t.empty} hint={t.emptyHint} icon="eye">
              <LinkButton to="/rules/new" variant="light">
                {texts.rules.add}
              </LinkButton>
            </Empty>
          ) : (
            <>
              {[...new Set(items.map(({ rule }) => rule))].map((rule) => (
                <ShadowResults key={rule} rule={rule} items={items.filter((item) => item.rule === rule)} />
              ))}
              {truncated ? <Text c="dimmed">{t.truncated}</Text> : null}
            </>
          )
        }
      </Loaded>
    </Stack>
  )
}

export interface Watched {
  readonly rule: string
  readonly would: string
  readonly tool: string
  readonly caller: string
  readonly calls: number
  readonly last: string
  readonly example: string
}

const columnsOf = (t: typeof texts.rules.shadow) => [
  column<Watched>(t.tool, ({ tool }) => tool, 3),
  column<Watched>(t.caller, ({ caller }) => caller, 3),
  column<Watched>(t.would, ({ would }) => texts.ruleActions.title[would] ?? would, 2),
  column<Watched>(t.count, ({ calls: count }) => count, 1),
  column<Watched>(
    t.last,
    ({ last, example }) => (
      <TextLink to="/records" search={{ record: example }}>
        <When at={last} />
      </TextLink>
    ),
    2,
  ),
]
const COLUMNS = columnsOf(texts.rules.shadow)

export function ShadowResults({ rule, items }: { rule: string; items: readonly Watched[] }) {
  const rules = useRules()
  const { turn } = useRuleChanges()
  const elsewhere = useElsewhere()
  const shadowRule = rules.data?.find(({ name, state }) => name === rule && state === 'shadow')
  const t = texts.rules.shadow
  const calls = items.reduce((sum, item) => sum + item.calls, 0)
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={2}>
            {shadowRule === undefined ? rule : <TextLink to={`/rules/${shadowRule.id}`}>{rule}</TextLink>}
          </Title>
          <Text c="dimmed">{t.calls({ calls })}</Text>
        </Group>
        {shadowRule === undefined || elsewhere(shadowRule) !== undefined ? null : (
          <Button size="xs" loading={turn.isPending} onClick={() => turn.mutate({ rule: shadowRule, state: 'on' })}>
            {t.bite}
          </Button>
        )}
      </Group>
      <Table<Watched>
        label={rule}
        query={rowsOf(items)}
        rowKey={({ tool, caller, would }) => `${tool} ${caller} ${would}`}
        columns={COLUMNS}
        empty={null}
      />
    </Stack>
  )
}
