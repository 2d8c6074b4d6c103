/** The action of a rule, with only the fields that it needs. */
import { Group, Radio, Select, SimpleGrid, Stack, Switch, Text, Textarea } from '@mantine/core'
import { RULE_ACTIONS, type RuleAction } from '@toolway/contract'
import { useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { useRules } from './all-rules.ts'
import { ApproveFields } from './approve-fields.tsx'
import { withAction, type Parameters } from './draft.ts'
import { ListField, NumberField, problemAt, TextField, type EditProps } from './fields.tsx'
import { recordIn } from './sentence.ts'

/** From what is wanted most to what is wanted least. */
const ORDER: readonly RuleAction[] = [
  'block',
  'hide',
  'approve',
  'reject',
  'clamp',
  'lock',
  'rate',
  'size',
  'warn',
  'allow',
]

export function ActionChoice({ draft, onChange }: EditProps) {
  const t = texts.rules
  return (
    <Radio.Group
      aria-label={t.edit.follows}
      value={draft.action}
      onChange={(action) => onChange(withAction(draft, action))}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        {ORDER.filter((action) => RULE_ACTIONS.includes(action)).map((action) => (
          <Radio.Card key={action} value={action} p="sm" aria-label={t.actions[action]}>
            <Group wrap="nowrap" align="flex-start" gap="sm" h="100%">
              <Radio.Indicator />
              <div>
                <Text size="sm" fw={600}>
                  {t.actions[action]}
                </Text>
                <Text size="sm" c="dimmed">
                  {t.about[action]}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  )
}

export function ActionFields(props: EditProps) {
  const { draft, onChange, problems } = props
  const values = draft.parameters
  const onValues = (parameters: Parameters) => onChange({ ...draft, parameters })
  const at = (name: string) => problemAt(problems, `/parameters/${name}`)
  const shared = { values, onValues }
  const t = texts.rules.edit
  switch (draft.action) {
    case 'warn':
    case 'block':
    case 'hide':
      return null
    case 'allow':
      return <Lifts {...props} />
    case 'approve':
      return <ApproveFields {...props} />
    case 'size':
      return <SizeFields {...props} />
    case 'rate':
      return (
        <SimpleGrid cols={{ base: 1, xs: 3 }}>
          <NumberField label={t.calls} name="calls" problem={at('calls')} min={1} {...shared} />
          <NumberField label={t.per} name="per" problem={at('per')} min={1} {...shared} />
          <Select
            label={t.of}
            allowDeselect={false}
            data={(['caller', 'organization', 'session'] as const).map((value) => ({ value, label: t.ofs[value] }))}
            value={typeof values['of'] === 'string' ? values['of'] : 'caller'}
            onChange={(of) => onValues({ ...values, of })}
          />
        </SimpleGrid>
      )
    case 'lock':
      return <LockFields {...props} />
    case 'clamp':
      return (
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextField
            label={t.parameter}
            hint={t.parameterHint}
            name="parameter"
            problem={at('parameter')}
            {...shared}
          />
          <JsonField label={t.otherwise} hint={t.otherwiseHint} name="default" problem={at('default')} {...shared} />
          <NumberField label={t.min} name="min" problem={at('min')} {...shared} />
          <NumberField label={t.max} name="max" problem={at('max')} {...shared} />
        </SimpleGrid>
      )
    case 'reject':
      return (
        <Stack gap="md">
          <TextField label={t.parameter} hint={t.rejectHint} name="parameter" problem={at('parameter')} {...shared} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberField label={t.min} name="min" problem={at('min')} {...shared} />
            <NumberField label={t.max} name="max" problem={at('max')} {...shared} />
          </SimpleGrid>
          <ListField label={t.in} hint={t.inHint} name="in" problem={at('in')} {...shared} />
          <TextField label={t.pattern} hint={t.patternHint} name="pattern" problem={at('pattern')} {...shared} />
        </Stack>
      )
  }
}

function Lifts({ draft, onChange, problems }: EditProps) {
  const rules = useRules().data ?? []
  const t = texts.rules.edit
  const may = rules.filter(({ scope }) => draft.scope === 'platform' || scope !== 'platform')
  return (
    <ListField
      label={t.lifts}
      hint={t.liftsHint}
      name="lifts"
      data={[...new Set(may.map(({ name }) => name))].map((name) => ({ value: name, label: name }))}
      values={draft.parameters}
      onValues={(parameters) => onChange({ ...draft, parameters })}
      problem={problemAt(problems, '/parameters/lifts')}
    />
  )
}

function SizeFields({ draft, onChange, problems }: EditProps) {
  const values = draft.parameters
  const result = recordIn(values, 'result')
  const t = texts.rules.edit
  const onValues = (parameters: Parameters) => onChange({ ...draft, parameters })
  const inner = { values: result, onValues: (next: Parameters) => onValues({ ...values, result: next }) }
  const at = (name: string) => problemAt(problems, `/parameters/${name}`)
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        <NumberField
          label={t.sizeArguments}
          name="arguments"
          problem={at('arguments')}
          values={values}
          onValues={onValues}
          min={1}
        />
        <NumberField label={t.sizeText} name="text" problem={at('result/text')} min={1} {...inner} />
        <NumberField label={t.sizeRows} name="rows" problem={at('result/rows')} min={1} {...inner} />
      </SimpleGrid>
      <ListField label={t.sizeFields} hint={t.pathsHint} name="fields" problem={at('result/fields')} {...inner} />
      <ListField label={t.sizeRedact} hint={t.pathsHint} name="redact" problem={at('result/redact')} {...inner} />
    </Stack>
  )
}

function LockFields({ draft, onChange, problems }: EditProps) {
  const values = draft.parameters
  const onValues = (parameters: Parameters) => onChange({ ...draft, parameters })
  const at = (name: string) => problemAt(problems, `/parameters/${name}`)
  const t = texts.rules.edit
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextField
          label={t.parameter}
          hint={t.parameterHint}
          name="parameter"
          problem={at('parameter')}
          values={values}
          onValues={onValues}
        />
        <JsonField
          label={t.value}
          hint={t.valueHint}
          name="value"
          problem={at('value')}
          values={values}
          onValues={onValues}
        />
      </SimpleGrid>
      <Switch
        label={t.asDefault}
        description={t.asDefaultHint}
        checked={values['as'] === 'default'}
        onChange={(event) => onValues({ ...values, as: event.currentTarget.checked ? 'default' : 'fixed' })}
      />
    </Stack>
  )
}

interface JsonFieldProps {
  readonly label: string
  readonly hint: string
  readonly name: string
  readonly values: Parameters
  readonly onValues: (values: Parameters) => void
  readonly problem: string | undefined
}

/** A value: JSON where it is some, else the text itself. */
function JsonField({ label, hint, name, values, onValues, problem }: JsonFieldProps) {
  const held = values[name]
  const [text, setText] = useState(held === undefined ? '' : typeof held === 'string' ? held : JSON.stringify(held))
  const read = (written: string): unknown => {
    if (written === '') return undefined
    try {
      return JSON.parse(written) as unknown
    } catch {
      return written
    }
  }
  return (
    <Textarea
      label={label}
      description={hint}
      value={text}
      autosize
      minRows={1}
      onChange={(event) => {
        setText(event.currentTarget.value)
        onValues({ ...values, [name]: read(event.currentTarget.value) })
      }}
      error={problem}
    />
  )
}
