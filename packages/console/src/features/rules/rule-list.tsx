/** All rules, from the outermost scope inwards: what each does in a sentence, whether it is on, and what it would have done. */
import { ActionIcon, Alert, Badge, Group, SegmentedControl, Select, Stack, Text, Tooltip } from '@mantine/core'
import { RULE_ACTIONS, RULE_SCOPES, RULE_STATES } from '@toolway/contract'
import { getSettings, type KeptRule } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import type { SetUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton, TextLink } from '../../ui/links.tsx'
import { column, Table } from '../../ui/table.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useElsewhere, useRuleChanges, useRules } from './all-rules.ts'
import { draftOf } from './draft.ts'
import { useNameOf } from './names.ts'
import { rowsOf } from './rows.ts'
import { sentenceOf } from './sentence.ts'
import { useWatched } from './shadows.ts'

export interface RuleFilter {
  readonly search: string
  readonly action?: string | undefined
  readonly state?: string | undefined
  readonly scope?: string | undefined
}

export interface RuleListProps {
  readonly filter: RuleFilter
  readonly setFilter: SetUrlState<RuleFilter>
}

export function RuleList({ filter, setFilter }: RuleListProps) {
  const rules = useRules()
  const data = useMemo(() => rules.data?.filter((rule) => fits(rule, filter)), [rules.data, filter])
  const t = texts.rules
  const columns = [
    column<KeptRule>(t.rule, ({ name }) => name, 3),
    column<KeptRule>(t.does, (rule) => <Does rule={rule} />, 6, { plain: true }),
    column<KeptRule>(t.state, (rule) => <State rule={rule} />, 3, { plain: true }),
  ]
  return (
    <Stack gap="md">
      {rules.data === undefined || rules.data.length === 0 ? null : <Presets />}
      <Filters filter={filter} setFilter={setFilter} />
      <Table
        label={t.label}
        query={rowsOf(data, rules)}
        rowKey={({ id }) => id}
        rowLink={({ id }) => `/rules/${encodeURIComponent(id)}`}
        columns={columns}
        empty={rules.data?.length === 0 ? <First /> : <NoMatch />}
      />
    </Stack>
  )
}

function fits(rule: KeptRule, { search, action, state, scope }: RuleFilter): boolean {
  const text = `${rule.name} ${rule.reason} ${rule.of ?? ''} ${JSON.stringify(rule.match)}`.toLowerCase()
  return (
    text.includes(search.trim().toLowerCase()) &&
    (action === undefined || rule.action === action) &&
    (state === undefined || rule.state === state) &&
    (scope === undefined || rule.scope === scope)
  )
}

function Filters({ filter, setFilter }: RuleListProps) {
  const t = texts.rules
  const choice = <Value extends string>(
    label: string,
    values: readonly Value[],
    word: (value: Value) => string,
    name: keyof RuleFilter,
  ) => (
    <Select
      label={label}
      placeholder={t.any}
      clearable
      clearButtonProps={{ 'aria-label': t.clearOf({ filter: label }) }}
      style={{ flex: '1 1 8rem' }}
      miw={130}
      value={filter[name] ?? null}
      data={values.map((value) => ({ value, label: word(value) }))}
      onChange={(value) => setFilter({ [name]: value ?? undefined })}
    />
  )
  return (
    <Group align="flex-end" gap="sm">
      <SearchField
        label={t.search}
        placeholder={t.searchHint}
        value={filter.search}
        onChange={(event) => setFilter({ search: event.currentTarget.value })}
        style={{ flex: '3 1 14rem' }}
      />
      {choice(t.action, RULE_ACTIONS, (action) => texts.ruleActions.title[action], 'action')}
      {choice(t.scope, RULE_SCOPES, (scope) => t.scopes[scope], 'scope')}
      {choice(t.state, RULE_STATES, (state) => t.states[state], 'state')}
    </Group>
  )
}

function Does({ rule }: { rule: KeptRule }) {
  const nameOf = useNameOf(rule.scope, rule.of)
  const elsewhere = useElsewhere()(rule)
  const t = texts.rules
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Badge variant="default" style={{ textTransform: 'none' }}>
          {texts.ruleActions.title[rule.action] ?? rule.action}
        </Badge>
        {elsewhere === undefined ? null : (
          <Text size="sm" c="dimmed">
            {t.places[elsewhere]}
          </Text>
        )}
      </Group>
      {rule.problem === null ? (
        <Text size="sm">{sentenceOf(draftOf(rule), texts, nameOf)}</Text>
      ) : (
        <Alert color="red" p="xs">
          {t.unreadable({ problem: rule.problem })}
        </Alert>
      )}
      <Text size="sm" c="dimmed">
        {rule.reason}
      </Text>
    </Stack>
  )
}

function State({ rule }: { rule: KeptRule }) {
  const { turn, erase } = useRuleChanges()
  const elsewhere = useElsewhere()(rule)
  const watched = useWatched(rule)
  const t = texts.rules
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs" wrap="nowrap">
        <Tooltip label={elsewhere === undefined ? '' : t.elsewhere[elsewhere]} disabled={elsewhere === undefined}>
          <SegmentedControl
            size="xs"
            aria-label={t.stateOf({ name: rule.name })}
            data={RULE_STATES.map((value) => ({ value, label: t.states[value] }))}
            value={rule.state}
            disabled={elsewhere !== undefined || turn.isPending}
            onChange={(state) => turn.mutate({ rule, state: state })}
          />
        </Tooltip>
        {elsewhere === undefined ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.removeOf({ name: rule.name })}
            loading={erase.isPending}
            onClick={() => erase.mutate(rule)}
          >
            <Icon name="trash" size={16} />
          </ActionIcon>
        ) : null}
      </Group>
      {rule.state === 'shadow' && watched !== undefined ? (
        <Text size="sm" c="dimmed">
          {watched === 0 ? t.watchedNone : t.watched({ calls: watched })}
        </Text>
      ) : null}
    </Stack>
  )
}

/** Without rules the approvals of the organization's setting still ask: the hint says which. */
function First() {
  const organization = useOrganization()
  const settings = useQuery(ask('settings', getSettings, { path: { organization } }))
  const t = texts.rules
  const mode = settings.data?.approvals ?? 'unknown'
  return (
    <Empty title={t.empty} hint={t.emptyHints[mode === 'none' ? 'off' : mode]} icon="shield-check">
      <TextLink to="/settings" search={{ tab: 'organization' }}>
        {t.approvalSetting}
      </TextLink>
      <Text size="sm" c="dimmed">
        {t.begin}
      </Text>
      <Presets />
    </Empty>
  )
}

/** The rules that most people write first, filled in. */
function Presets() {
  const t = texts.rules.presets
  return (
    <Group gap="sm">
      <LinkButton to="/rules/new" search={{ action: 'block', effects: 'destructive' }} variant="light" size="xs">
        {t.destroy}
      </LinkButton>
      <LinkButton
        to="/rules/new"
        search={{ action: 'approve', effects: 'write,destructive' }}
        variant="light"
        size="xs"
      >
        {t.approve}
      </LinkButton>
      <LinkButton to="/rules/new" search={{ action: 'rate' }} variant="light" size="xs">
        {t.rate}
      </LinkButton>
    </Group>
  )
}

function NoMatch() {
  const t = texts.rules
  return (
    <Empty title={t.noMatch} hint={t.noMatchHint} icon="filter">
      <LinkButton to="/rules" variant="light">
        {t.clear}
      </LinkButton>
    </Empty>
  )
}
