/** A new person as a form asks for it: the address, and a name, which the address stands for where there is none. */
import { TextInput } from '@mantine/core'
import { texts } from '../../texts/texts.ts'

export interface PersonWords {
  readonly email: string
  readonly name: string
}

export const NEW_PERSON: PersonWords = { email: '', name: '' }

export const personOf = ({ email, name }: PersonWords) => ({
  email: email.trim(),
  ...(name.trim() === '' ? {} : { name: name.trim() }),
})

interface PersonFieldsProps {
  readonly words: PersonWords
  readonly nameHint?: string
  readonly onChange: (words: PersonWords) => void
}

export function PersonFields({ words, nameHint, onChange }: PersonFieldsProps) {
  const t = texts.people
  return (
    <>
      <TextInput
        label={t.email}
        type="email"
        required
        maxLength={254}
        autoComplete="off"
        data-autofocus
        value={words.email}
        onChange={({ currentTarget: { value: email } }) => onChange({ ...words, email })}
      />
      <TextInput
        label={t.name}
        description={nameHint}
        maxLength={100}
        autoComplete="off"
        value={words.name}
        onChange={({ currentTarget: { value: name } }) => onChange({ ...words, name })}
      />
    </>
  )
}
