/** A search that the gateway does: it is asked when somebody stops typing, and the address says what was searched. */
import type { TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { SearchField } from './search-field.tsx'

/** Milliseconds after a key until the gateway is asked. */
const TYPED_MS = 250

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  /** The text of the last search. */
  readonly value: string
  readonly onSearch: (text: string) => void
}

export function TypedSearch({ value, onSearch, ...rest }: Props) {
  const [typing, setTyping] = useState({ text: value, from: value })
  const search = useDebouncedCallback((text: string) => onSearch(text.trim()), TYPED_MS)
  // What a link or a button searches takes the place of what was typed before.
  const text = typing.from === value || typing.text.trim() === value ? typing.text : value
  return (
    <SearchField
      value={text}
      maxLength={100}
      onChange={({ currentTarget }) => {
        setTyping({ text: currentTarget.value, from: value })
        search(currentTarget.value)
      }}
      {...rest}
    />
  )
}
