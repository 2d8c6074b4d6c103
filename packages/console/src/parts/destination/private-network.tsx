/** Whether a destination may lie in a private network, which platform administrators alone may say. */
import { Checkbox } from '@mantine/core'
import { Allowed } from '../../ui/allowed.tsx'

interface PrivateNetworkProps {
  readonly may: boolean
  readonly words: Readonly<Record<'private' | 'privateWhy', string>>
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

export const PrivateNetwork = ({ may, words, checked, onChange }: PrivateNetworkProps) => (
  <Allowed may={may} why={words.privateWhy}>
    <Checkbox
      label={words.private}
      checked={checked}
      disabled={!may}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  </Allowed>
)
