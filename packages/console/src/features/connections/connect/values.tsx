/**
 * The values that a server or a program needs: headers, variables, command-line words. Secrets are masked while they are typed.
 */
import { ActionIcon, Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../../../texts/texts.ts'
import { Icon } from '../../../ui/icon.tsx'
import { isSecretName, type Value } from './draft.ts'

const t = texts.connect.values

export interface ValuesProps {
  readonly values: readonly Value[]
  readonly onChange: (values: readonly Value[]) => void
}

/** One field for each. */
export function Values({ values, onChange, fixed = true }: ValuesProps & { fixed?: boolean }) {
  const change = (at: number, next: Value | undefined) =>
    onChange(values.flatMap((value, index) => (index === at ? (next ?? []) : value)))
  return (
    <Stack gap="sm">
      {values.map((value, at) => (
        <Group key={value.name} gap="xs" align="flex-end" wrap="nowrap">
          <ValueField value={value} onChange={(text) => change(at, { ...value, value: text })} />
          {fixed ? null : (
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t.remove({ name: value.name })}
              onClick={() => change(at, undefined)}
            >
              <Icon name="trash" size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
    </Stack>
  )
}

function ValueField({ value, onChange }: { value: Value; onChange: (text: string) => void }) {
  const Field = value.secret ? PasswordInput : TextInput
  return (
    <Field
      label={value.name}
      description={value.about}
      placeholder={value.placeholder}
      value={value.value}
      withAsterisk={value.required}
      autoComplete="off"
      spellCheck={false}
      style={{ flex: 1, minWidth: 0 }}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

export interface AddValueProps extends ValuesProps {
  /** The label of the button: "Add a header". */
  readonly label: string
  readonly nameLabel: string
  readonly secret?: boolean
}

/** Names one more; its value is typed where the others are. */
export function AddValue({ values, onChange, label, nameLabel, secret }: AddValueProps) {
  const [name, setName] = useState<string>()
  if (name === undefined)
    return (
      <Button
        variant="subtle"
        size="xs"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => setName('')}
        style={{ alignSelf: 'flex-start' }}
      >
        {label}
      </Button>
    )
  const taken = values.some((value) => value.name === name.trim())
  const add = () => {
    if (name.trim() === '' || taken) return
    onChange([...values, { name: name.trim(), value: '', secret: secret ?? isSecretName(name), required: false }])
    setName(undefined)
  }
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        data-autofocus
        label={nameLabel}
        value={name}
        error={taken ? t.taken : undefined}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <Button variant="default" onClick={add}>
        {t.add}
      </Button>
    </Group>
  )
}
