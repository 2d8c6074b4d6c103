/** What a pasted configuration says of a server beyond its address or command: its limit on tools, and what is not carried over. */
import { Text } from '@mantine/core'
import { texts } from '../../../texts/texts.ts'
import type { Draft } from './draft.ts'

const t = texts.importReview

/** Undefined where it has no limit. */
function limitWords({ tools }: Pick<Draft, 'tools'>): string | undefined {
  if (tools?.only !== undefined)
    return tools.only.length === 0 ? t.noTools : t.onlyTools({ names: tools.only.join(', ') })
  return tools?.except === undefined ? undefined : t.withoutTools({ names: tools.except.join(', ') })
}

export function FromFile({ draft }: { draft: Pick<Draft, 'tools' | 'unread' | 'off'> }) {
  const { unread, off } = draft
  const lines = [
    off ? t.off : undefined,
    limitWords(draft),
    unread.length === 0 ? undefined : t.unread({ names: unread.join(', ') }),
  ]
  return lines.map((line, at) =>
    line === undefined ? null : (
      <Text key={at} size="sm" c="dimmed" className="breakable">
        {line}
      </Text>
    ),
  )
}
