/** A field for a moment of the browser's own time zone, as the address of a screen writes it: `2026-11-27T08:30`. */
import { TextInput } from '@mantine/core'

export interface MomentFieldProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

export function MomentField({ label, value, onChange }: MomentFieldProps) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** A moment as the field takes it. */
export function momentText(at: Date): string {
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`
}
