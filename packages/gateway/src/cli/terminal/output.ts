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

/** Columns as wide as their longest cell; the last one runs free. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows].map((row) => row.map(harmless))
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
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
