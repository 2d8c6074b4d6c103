/** The small fields that a rule is written in; each shows what the gateway says is wrong at its place. */
import { NumberInput, TagsInput, TextInput } from '@mantine/core'
import type { DraftCheck } from '@toolway/contract/admin'
import type { Draft, Parameters } from './draft.ts'
import { listIn, textIn } from './sentence.ts'

export type Problems = DraftCheck['problems']

/** Returns the problem at that place of the rule or within it. */
export const problemAt = (problems: Problems, place: string): string | undefined =>
  problems.find((one) => one.place === place || one.place.startsWith(`${place}/`))?.problem

export interface EditProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly problems: Problems
}

export interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  /** Of the parameters, or of what `path` names in them. */
  readonly name: string
  readonly values: Parameters
  readonly onValues: (values: Parameters) => void
  readonly problem?: string | undefined
}

const withValue = (values: Parameters, name: string, value: unknown): Parameters => ({ ...values, [name]: value })

export function TextField({ label, hint, name, values, onValues, problem }: FieldProps) {
  return (
    <TextInput
      label={label}
      description={hint}
      value={textIn(values, name)}
      onChange={(event) => onValues(withValue(values, name, event.currentTarget.value))}
      error={problem}
    />
  )
}

export function NumberField({ label, hint, name, values, onValues, problem, min }: FieldProps & { min?: number }) {
  const value = values[name]
  return (
    <NumberInput
      label={label}
      description={hint}
      value={typeof value === 'number' ? value : ''}
      onChange={(next) => onValues(withValue(values, name, next === '' ? undefined : Number(next)))}
      error={problem}
      {...(min === undefined ? {} : { min })}
      hideControls
    />
  )
}

export interface ListFieldProps extends FieldProps {
  readonly data?: readonly { value: string; label: string }[] | undefined
}

/** Texts, each ended by Enter or a comma; those that are known are offered. */
export function ListField({ label, hint, name, values, onValues, problem, data = [] }: ListFieldProps) {
  return (
    <TagsInput
      label={label}
      description={hint}
      data={data.map(({ value }) => value)}
      value={listIn(values, name)}
      onChange={(next) => onValues(withValue(values, name, next))}
      error={problem}
      acceptValueOnBlur
    />
  )
}
