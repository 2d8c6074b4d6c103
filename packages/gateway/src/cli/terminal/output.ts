/** Output of commands: tables for users, one JSON value for programs, one sentence for an error. */
import { stripVTControlCharacters } from 'node:util'
import { visibleJson, visibleText } from '@toolway/contract'

export interface Output {
  readonly json: boolean
  /** The result: the lines for a person, or the value for a program. */
  result(value: unknown, lines: readonly string[]): void
  /** Prints progress on stderr, so that stdout contains only the result. */
  progress(line: string): void
}

export const createOutput = (json: boolean): Output => ({
  json,
  result(value, lines) {
    process.stdout.write(
      json ? `${visibleJson(JSON.stringify(value, null, 2))}\n` : lines.map((line) => `${harmless(line)}\n`).join(''),
    )
  },
  progress: (line) => void process.stderr.write(`${harmless(line)}\n`),
})

/**
 * Names and texts of servers are theirs: sequences that steer a terminal are taken out, and characters that hide or turn text
 * around are shown by their number, as in the console.
 */
export const harmless = (text: string): string => visibleText(stripVTControlCharacters(text))

const GAP = '  '
/** Characters that a column keeps, however narrow the terminal is. */
const NARROWEST = 8
/** Heads of columns that the next command takes as its argument: half an id is of no use, so these are never cut. */
const WHOLE: ReadonlySet<string> = new Set(['ID', 'ALIAS', 'SLUG', 'EXAMPLE', 'EXAMPLES'])

/**
 * Columns as wide as their longest cell. On a terminal the widest columns are cut until a row fits on a line, except ids, which may
 * make a row longer than the line; elsewhere nothing is cut, so that a program reads whole values.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | undefined = process.stdout.isTTY ? process.stdout.columns : undefined,
): string[] {
  const all = [head, ...rows].map((row) => row.map(harmless))
  const widths = fitWidths(
    head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))),
    head.map((name) => WHOLE.has(name)),
    width,
  )
  const cellOf = (cell: string, most: number) => (cell.length > most ? `${cell.slice(0, most - 1)}…` : cell)
  return all.map((row) =>
    row
      .map((cell, column) => cellOf(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  )
}

/** Takes from the widest column that may be cut until all fit, or all of these are as narrow as they may be. */
function fitWidths(
  widths: readonly number[],
  isWhole: readonly boolean[],
  width: number | undefined,
): readonly number[] {
  if (width === undefined) return widths
  const room = width - GAP.length * (widths.length - 1)
  const narrowed = [...widths]
  for (;;) {
    const widest = Math.max(0, ...narrowed.filter((_, column) => isWhole[column] !== true))
    const over = narrowed.reduce((sum, value) => sum + value, 0) - room
    if (over <= 0 || widest <= NARROWEST) return narrowed
    narrowed[narrowed.findIndex((value, column) => value === widest && isWhole[column] !== true)] = widest - 1
  }
}

/** Exit codes that scripts can use; the help of every command ends with them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, toolFailed: 3, unreachable: 4, changes: 5 } as const

/** A command cannot do what it was asked; the message is one sentence with the cause and the mend. */
export class CommandFault extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode: number = EXIT.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
