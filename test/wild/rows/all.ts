/**
 * The one table of the zoo: every behaviour at every border that the gateway reads at, whose it is, what becomes of it, and the words that a
 * person reads. It is made of the tables beside it, which the tests of each border play.
 */
import type { Row } from './row.ts'
import { SERVER_ROWS } from './servers.ts'
import { TEXT_ROWS } from './texts.ts'

export const ROWS: readonly Row[] = [...SERVER_ROWS, ...TEXT_ROWS]

/** Counts by border and outcome, in a line each. */
export function summaryOf(rows: readonly Row[]): string {
  const borders = Map.groupBy(rows, ({ border }) => border)
  const lines = [...borders].map(([border, own]) => {
    const outcomes = [...Map.groupBy(own, ({ outcome }) => outcome)].map(
      ([outcome, { length }]) => `${length} ${outcome}`,
    )
    return `${String(own.length).padStart(4)}  ${border.padEnd(13)}  ${outcomes.join(', ')}`
  })
  return [...lines, `${String(rows.length).padStart(4)}  rows`].join('\n')
}
