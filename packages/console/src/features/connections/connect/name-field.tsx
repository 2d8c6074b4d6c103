/** The name of a connection that does not exist yet. Left empty, it is the one of the placeholder. */
import { TextInput } from '@mantine/core'
import type { ReactNode, Ref } from 'react'
import { texts } from '../../../texts/texts.ts'
import { defaultName, type Draft } from './draft.ts'

const t = texts.connect.name

export interface NameFieldProps {
  readonly draft: Draft
  readonly description?: string
  readonly error?: ReactNode
  readonly ref?: Ref<HTMLInputElement>
  readonly onChange: (name: string) => void
}

export function NameField({ draft, description = t.hint, error, ref, onChange }: NameFieldProps) {
  return (
    <TextInput
      ref={ref}
      label={t.label}
      description={description}
      placeholder={defaultName(draft)}
      value={draft.name}
      error={error}
      maxLength={100}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
