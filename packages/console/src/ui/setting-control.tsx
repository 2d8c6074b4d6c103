/** One control of a form that the contract describes: a setting of a kind of connection, or a parameter of a rule. */
import { MultiSelect, NumberInput, Select, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { FieldSource, SettingField } from '@toolway/contract'
import { useState, type ReactNode } from 'react'
import type { FieldWords } from '../texts/field-words.ts'
import { texts } from '../texts/texts.ts'
import { pairLines, pairsIn } from './pair-lines.ts'

/** A value, and how it is shown. */
export interface Offered {
  readonly value: string
  readonly label: string
}

export interface PickerProps {
  readonly label: string
  readonly description: ReactNode
  readonly disabled: boolean
  readonly error: ReactNode
  readonly value: readonly string[]
  readonly onChange: (value: string[]) => void
}

export interface SettingControlProps {
  readonly field: SettingField
  readonly words: FieldWords
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly disabled?: boolean
  readonly problem?: string | undefined
  readonly sources?: Readonly<Partial<Record<FieldSource, readonly Offered[]>>>
  /** For sources that are too long to be offered whole. */
  readonly pickers?: Readonly<Partial<Record<FieldSource, (props: PickerProps) => ReactNode>>>
}

export function SettingControl(props: SettingControlProps) {
  const { field, words, value, onChange, disabled = false, problem, sources = {}, pickers = {} } = props
  const shared = { label: words.label, description: words.hint, disabled, error: problem }
  const listed = Array.isArray(value) ? value.map(String) : []
  switch (field.control) {
    case 'text':
      return (
        <TextInput
          {...shared}
          value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'switch': {
      const [off, on] = field.values ?? [false, true]
      return (
        <Switch
          {...shared}
          checked={value === on}
          onChange={(event) => onChange(event.currentTarget.checked ? on : off)}
        />
      )
    }
    case 'list': {
      const offered = field.source === undefined ? [] : (sources[field.source] ?? [])
      return <TagsInput {...shared} data={offered.map((item) => item.value)} value={listed} onChange={onChange} />
    }
    case 'several': {
      const picker = pickers[field.source]
      if (picker !== undefined) return picker({ ...shared, value: listed, onChange })
      const offered = sources[field.source] ?? []
      const others = listed.filter((item) => offered.every((known) => known.value !== item))
      return (
        <MultiSelect
          {...shared}
          data={[...offered, ...others]}
          value={listed}
          onChange={onChange}
          searchable
          nothingFoundMessage={texts.palette.nothing}
        />
      )
    }
    case 'number':
      return (
        <NumberInput
          {...shared}
          {...(field.min === undefined ? {} : { min: field.min })}
          {...(field.max === undefined ? {} : { max: field.max })}
          value={typeof value === 'number' ? value : ''}
          onChange={(next) => onChange(next === '' ? undefined : Number(next))}
          hideControls
        />
      )
    case 'choice': {
      const data = field.choices.map((choice) => ({ value: choice, label: words.choices?.[choice] ?? choice }))
      const chosen = typeof value === 'string' ? value : (data[0]?.value ?? null)
      return <Select {...shared} data={data} value={chosen} allowDeselect={false} onChange={onChange} />
    }
    case 'json':
      return <Written {...props} write={jsonText} read={jsonIn} />
    case 'pairs':
      return <Written {...props} write={pairLines} read={pairsIn} />
  }
}

interface WrittenProps extends SettingControlProps {
  readonly write: (value: unknown) => string
  readonly read: (text: string) => unknown
}

/** The text is kept as it is typed: half of a value is no value yet. */
function Written({ field, words, value, onChange, disabled = false, problem, write, read }: WrittenProps) {
  const [text, setText] = useState(() => write(value))
  return (
    <Textarea
      label={words.label}
      description={words.hint}
      value={text}
      autosize
      minRows={field.control === 'pairs' ? 2 : 1}
      disabled={disabled}
      error={problem}
      onChange={(event) => {
        setText(event.currentTarget.value)
        onChange(read(event.currentTarget.value))
      }}
    />
  )
}

const jsonText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** JSON where it is some, else the text itself. */
function jsonIn(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
