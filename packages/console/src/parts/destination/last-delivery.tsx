/** When a destination last received a message, and when and why it last did not. */
import { Text } from '@mantine/core'
import { localized } from '../../texts/gateway-words.ts'
import { When } from '../../ui/when.tsx'

/** The figures of a webhook or a record stream. */
interface Delivered {
  readonly delivered_at: string | null
  readonly failed_at: string | null
  readonly last_problem: string | null
}

/** Whether the last message failed. */
export const failedLast = ({ delivered_at: delivered, failed_at: failed }: Delivered): boolean =>
  failed !== null && (delivered === null || failed > delivered)

interface LastDeliveryProps {
  readonly of: Delivered
  readonly words: Readonly<Record<'delivered' | 'failed', string>>
  readonly showsFailure: boolean
}

export function LastDelivery({ of, words, showsFailure }: LastDeliveryProps) {
  const { delivered_at: delivered, failed_at: failed, last_problem: problem } = of
  return (
    <>
      {delivered === null ? null : (
        <Text size="xs" c="dimmed">
          {words.delivered} <When at={delivered} />
        </Text>
      )}
      {showsFailure && failed !== null ? (
        <Text size="xs" className="breakable">
          {words.failed} <When at={failed} />
          {problem === null ? '' : `: ${localized(problem)}`}
        </Text>
      ) : null}
    </>
  )
}
