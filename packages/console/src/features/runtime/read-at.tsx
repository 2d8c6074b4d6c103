/** That what is shown is the last known state, and of when: the database has not answered since. */
import { Text } from '@mantine/core'
import { texts } from '../../texts/texts.ts'
import { When } from '../../ui/when.tsx'

export interface ReadAtProps {
  /** Undefined: nothing is shown yet. */
  readonly data: { readonly read_at: string; readonly up_to_date: boolean } | undefined
  /** The last request failed, and what is shown is from an earlier one. */
  readonly isRefetchError: boolean
}

export function ReadAt({ data, isRefetchError }: ReadAtProps) {
  if (data === undefined || (data.up_to_date && !isRefetchError)) return null
  return (
    <Text size="sm" role="status">
      {texts.runtime.health.lastKnown} <When at={data.read_at} />
    </Text>
  )
}
