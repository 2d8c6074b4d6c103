/** Lines that went and came, with the words that changed marked; long stretches that stayed are folded. */
import { Box, Button, VisuallyHidden } from '@mantine/core'
import type { ToolDifference } from '@toolway/contract/admin'
import { useState } from 'react'
import type { z } from 'zod'
import { texts } from '../../../texts/texts.ts'
import { foldLines } from './connection-change-words.ts'

const t = texts.connection.changes
export type Line = z.output<typeof ToolDifference>['difference'][number]

const SIGNS = { same: ' ', removed: '−', added: '+' } as const
const COLORS = {
  same: 'transparent',
  removed: 'var(--mantine-color-red-light)',
  added: 'var(--mantine-color-teal-light)',
} as const
const MARKS = {
  same: 'none',
  removed: 'var(--mantine-color-red-light-hover)',
  added: 'var(--mantine-color-teal-light-hover)',
} as const

export function ConnectionLines({ lines }: { lines: readonly Line[] }) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  return (
    <Box
      role="region"
      aria-label={t.lineByLine}
      tabIndex={0}
      ff="monospace"
      fz="sm"
      style={{
        border: '1px solid var(--mantine-color-default-border)',
        borderRadius: 8,
        overflow: 'auto',
        maxHeight: 520,
      }}
    >
      {foldLines(lines).map(({ from, lines: some, folded }) =>
        folded && !opened.has(from) ? (
          <Button
            key={from}
            size="compact-sm"
            variant="subtle"
            fullWidth
            radius={0}
            onClick={() => setOpened(new Set([...opened, from]))}
          >
            {t.folded({ count: some.length })}
          </Button>
        ) : (
          some.map((line, at) => <OneLine key={from + at} line={line} />)
        ),
      )}
    </Box>
  )
}

function OneLine({ line: { kind, text, marks } }: { line: Line }) {
  return (
    <Box
      px="sm"
      style={{ background: COLORS[kind], display: 'grid', gridTemplateColumns: '1.5ch minmax(0, 1fr)', gap: 8 }}
    >
      <span aria-hidden>{SIGNS[kind]}</span>
      <span style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {kind === 'same' ? null : <VisuallyHidden>{t.line[kind]} </VisuallyHidden>}
        {piecesOf(text, marks).map(({ from, piece, marked }) =>
          marked ? (
            <mark key={from} style={{ background: MARKS[kind], color: 'inherit', fontWeight: 700 }}>
              {piece}
            </mark>
          ) : (
            <span key={from}>{piece}</span>
          ),
        )}
      </span>
    </Box>
  )
}

function piecesOf(text: string, marks: Line['marks']) {
  const pieces: { from: number; piece: string; marked: boolean }[] = []
  let at = 0
  for (const [from, to] of marks) {
    if (from > at) pieces.push({ from: at, piece: text.slice(at, from), marked: false })
    pieces.push({ from, piece: text.slice(from, to), marked: true })
    at = to
  }
  if (at < text.length) pieces.push({ from: at, piece: text.slice(at), marked: false })
  return pieces
}
