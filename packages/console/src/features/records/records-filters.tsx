/** The filters of the list of records. Each is part of the address; a text applies when its field is left or Enter is pressed. */
import {
  Autocomplete,
  Button,
  Collapse,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  type OptionsFilter,
} from '@mantine/core'
import type { AuditAction } from '@toolway/contract/admin'
import { useDisclosure } from '@mantine/hooks'
import { useState, type ReactNode } from 'react'
import type { SetUrlState } from '../../data/url-state.ts'
import { actorWord } from '../../parts/actor-word.ts'
import { texts } from '../../texts/texts.ts'
import { MomentField } from '../../ui/moment-field.tsx'
import { useNamesOf } from '../../data/names.ts'
import { PickOne } from '../../parts/picker/picker.tsx'
import { isNarrowed, OUTCOMES, RANGES, type RecordsInput, type RecordsState } from './records-filter.ts'
import { CLEARED, wordsOf } from './records-words.tsx'

const t = texts.records.filters

/** The most common actions; any other can be typed. */
const ACTIONS: AuditAction[] = [
  'tools/call',
  'resources/read',
  'prompts/get',
  'sign_in',
  'sign_out',
  'connection.add',
  'connection.change',
  'connection.remove',
  'rule.add',
  'rule.change',
  'key.add',
  'key.remove',
  'key.reveal',
  'record.export',
]

/** Those with a text in their name, or in the words for them. */
const withText: OptionsFilter = ({ options, search }) => {
  const text = search.trim().toLowerCase()
  return options.filter(
    (option) => 'value' in option && `${option.value} ${wordsOf(option.value)}`.toLowerCase().includes(text),
  )
}

/** The list is filtered by the name of an action. */
const Option = ({ action }: { action: string }) => (
  <div>
    <Text size="sm">{action}</Text>
    <Text size="xs" c="dimmed">
      {wordsOf(action)}
    </Text>
  </div>
)

/** The most common reasons; any other can be typed. */
const CODES = Object.keys(texts.usage.why)

interface FiltersProps {
  readonly state: RecordsState
  readonly set: SetUrlState<RecordsInput>
  readonly mayAll: boolean
}

type Field =
  | 'action'
  | 'tool'
  | 'connection'
  | 'actor_id'
  | 'outcome'
  | 'correlation_id'
  | 'code'
  | 'range'
  | 'from'
  | 'to'
  | 'all'

export function RecordsFilters({ state, set, mayAll }: FiltersProps) {
  const further = [state.action, state.tool, state.correlation_id, state.code, state.all].some(
    (value) => value !== undefined,
  )
  const [opened, more] = useDisclosure(further)
  const change = (field: Field) => (value: string | null) =>
    set({ [field]: value === null || value === '' ? undefined : value, offset: undefined })
  return (
    <Stack gap="sm" component="section" aria-label={t.label}>
      <Often state={state} change={change} />
      <Collapse expanded={opened}>
        <Further state={state} change={change} mayAll={mayAll} />
      </Collapse>
      <Group gap="xs">
        {(['day', 'yesterday', 'week'] as const).map((range) => (
          <Button
            key={range}
            size="compact-sm"
            variant={state.range === range ? 'light' : 'default'}
            aria-pressed={state.range === range}
            onClick={() => change('range')(range)}
          >
            {t.ranges[range]}
          </Button>
        ))}
        <Button size="xs" variant="subtle" onClick={more.toggle} aria-expanded={opened}>
          {opened ? t.fewer : t.more}
        </Button>
        {isNarrowed(state) ? (
          <Button size="xs" variant="subtle" onClick={() => set(CLEARED)}>
            {texts.records.clear}
          </Button>
        ) : null}
      </Group>
    </Stack>
  )
}

interface FieldsProps {
  readonly state: RecordsState
  readonly change: (field: Field) => (value: string | null) => void
}

function Often({ state, change }: FieldsProps) {
  const named = useNamesOf([state.actor_id])
  const nameOf = (id: string) => actorWord(id) ?? named(id)
  const ranges = RANGES.map((value) => ({ value, label: t.ranges[value] }))
  const outcomes = OUTCOMES.map((value) => ({ value, label: texts.records.outcomes[value] }))
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <Select label={t.range} data={ranges} value={state.range} onChange={change('range')} allowDeselect={false} />
      <Choice label={t.outcome} data={outcomes} value={state.outcome} onChange={change('outcome')} />
      <PickOne
        kind="connections"
        label={t.connection}
        placeholder={t.any}
        clearable
        clearButtonProps={{ 'aria-label': texts.records.clear }}
        value={state.connection ?? null}
        onChange={change('connection')}
      />
      <PickOne
        kind="callers"
        label={t.caller}
        labelOf={nameOf}
        placeholder={t.any}
        clearable
        clearButtonProps={{ 'aria-label': texts.records.clear }}
        value={state.actor_id ?? null}
        onChange={change('actor_id')}
      />
      {state.range === 'custom' ? (
        <>
          <MomentField label={t.from} value={state.from} onChange={change('from')} />
          <MomentField label={t.to} value={state.to} onChange={change('to')} />
        </>
      ) : null}
    </SimpleGrid>
  )
}

function Further({ state, change, mayAll }: FieldsProps & Pick<FiltersProps, 'mayAll'>) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
      <Typed value={state.action} onCommit={change('action')}>
        {({ take, ...field }) => (
          <Autocomplete
            label={t.action}
            placeholder={t.actionHint}
            data={ACTIONS}
            filter={withText}
            renderOption={({ option: { value } }) => <Option action={value} />}
            onChange={take}
            {...field}
          />
        )}
      </Typed>
      <Typed value={state.tool} onCommit={change('tool')}>
        {({ take, ...field }) => (
          <TextInput
            label={t.tool}
            placeholder={t.toolHint}
            onChange={({ currentTarget }) => take(currentTarget.value)}
            {...field}
          />
        )}
      </Typed>
      <Typed value={state.correlation_id} onCommit={change('correlation_id')}>
        {({ take, ...field }) => (
          <TextInput
            label={t.correlation}
            placeholder={t.correlationHint}
            onChange={({ currentTarget }) => take(currentTarget.value)}
            {...field}
          />
        )}
      </Typed>
      <Typed value={state.code} onCommit={change('code')}>
        {({ take, ...field }) => (
          <Autocomplete label={t.code} placeholder={t.codeHint} data={CODES} onChange={take} {...field} />
        )}
      </Typed>
      {mayAll ? (
        <Switch
          mt={{ base: 0, xs: 30 }}
          label={t.all}
          checked={state.all === 'true'}
          onChange={({ currentTarget }) => change('all')(currentTarget.checked ? 'true' : null)}
        />
      ) : null}
    </SimpleGrid>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly data: string[] | { value: string; label: string }[]
  readonly value: string | undefined
  readonly onChange: (value: string | null) => void
}

const Choice = ({ value, ...rest }: ChoiceProps) => (
  <Select
    {...rest}
    value={value ?? null}
    placeholder={t.any}
    clearable
    searchable
    nothingFoundMessage={texts.palette.nothing}
    clearButtonProps={{ 'aria-label': texts.records.clear }}
  />
)

interface Typing {
  readonly value: string
  readonly take: (text: string) => void
  readonly onBlur: () => void
  readonly onKeyDown: (event: { key: string }) => void
}

interface TypedProps {
  readonly value: string | undefined
  readonly onCommit: (value: string) => void
  readonly children: (typing: Typing) => ReactNode
}

/** Asks the gateway once for what was typed, not for each letter of it. */
function Typed({ value = '', onCommit, children }: TypedProps) {
  const [typed, setTyped] = useState<{ from: string; text: string }>()
  // A newer value in the address takes precedence over a text typed before it changed.
  const text = typed?.from === value ? typed.text : value
  const take = (typing: string) => setTyped({ from: value, text: typing })
  const commit = () => {
    if (text.trim() !== value) onCommit(text.trim())
  }
  return children({
    value: text,
    take,
    onBlur: commit,
    onKeyDown: ({ key }) => key === 'Enter' && commit(),
  })
}
