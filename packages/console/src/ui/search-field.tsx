/** The field that narrows what a screen shows. The key `/` focuses the first one of a screen. */
import { TextInput, type TextInputProps } from '@mantine/core'
import { Icon } from './icon.tsx'

export const SearchField = (props: TextInputProps) => (
  <TextInput leftSection={<Icon name="search" size={16} />} data-search {...props} />
)
