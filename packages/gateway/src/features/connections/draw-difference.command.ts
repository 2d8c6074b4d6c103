/** A difference as a terminal shows it: what changed with a few lines around it, the words that changed in brackets. */
import type { ToolDifference } from '@toolway/contract/admin'
import { countWithNoun } from '../../lib/count-with-noun.ts'

type DifferenceLine = ToolDifference['difference'][number]

const AROUND = 2
const SIGNS = { same: ' ', removed: '-', added: '+' } as const
const BRACKETS = { same: ['', ''], removed: ['[-', '-]'], added: ['{+', '+}'] } as const

export function drawDifference(lines: readonly DifferenceLine[]): string[] {
  const isNearChange = (at: number) =>
    lines.slice(Math.max(at - AROUND, 0), at + AROUND + 1).some(({ kind }) => kind !== 'same')
  const drawn: string[] = []
  let skipped = 0
  for (const [at, line] of lines.entries()) {
    if (!isNearChange(at)) {
      skipped++
      continue
    }
    if (skipped > 0) drawn.push(skippedLine(skipped))
    skipped = 0
    drawn.push(`${SIGNS[line.kind]} ${drawLine(line)}`)
  }
  if (skipped > 0) drawn.push(skippedLine(skipped))
  return drawn
}

const skippedLine = (count: number) => `  … ${countWithNoun(count, 'unchanged line')}`

function drawLine({ kind, text, marks }: DifferenceLine): string {
  const [open, close] = BRACKETS[kind]
  let [drawn, at] = ['', 0]
  for (const [from, to] of marks) {
    drawn += text.slice(at, from) + open + text.slice(from, to) + close
    at = to
  }
  return drawn + text.slice(at)
}
