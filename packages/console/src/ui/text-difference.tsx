/** A text beside what it was, in one: what went is struck through, what came is underlined, and both are told to who hears it. */
import { Paper, Text } from '@mantine/core'
import { visibleText } from '@toolway/contract'
import { wordSteps } from './word-steps.ts'

const LOOKS = {
  removed: { background: 'var(--mantine-color-red-light)', textDecoration: 'line-through' },
  added: { background: 'var(--mantine-color-teal-light)', textDecoration: 'underline' },
} as const

export function TextDifference({ before, after, label }: { before: string; after: string; label: string }) {
  return (
    <Paper withBorder p="sm" role="group" aria-label={label}>
      <Text size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
        {wordSteps(visibleText(before), visibleText(after)).map(({ kind, text }, at) =>
          kind === 'same' ? (
            <span key={at}>{text}</span>
          ) : kind === 'removed' ? (
            <del key={at} style={LOOKS.removed}>
              {text}
            </del>
          ) : (
            <ins key={at} style={LOOKS.added}>
              {text}
            </ins>
          ),
        )}
      </Text>
    </Paper>
  )
}
