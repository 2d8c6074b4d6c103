/** The forms in which records leave, each as a stream of text: JSON lines (the only one that can be verified), CSV and OCSF. */
import { chainPages, recordPages, type ChainParts, type Found } from '../chain/chain-lines.ts'
import { proven, unproven, type ChainRow } from '../chain/leaf.ts'
import { CSV_HEAD, toCsv } from './csv.ts'
import { toOcsf } from './ocsf.ts'

export const FORMATS = ['jsonl', 'csv', 'ocsf'] as const
export type Format = (typeof FORMATS)[number]

export const MEDIA: Readonly<Record<Format, string>> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ocsf: 'application/jsonl; charset=utf-8',
}

export interface Exporting {
  readonly format: Format
  /** Those that it lets through leave alone: a part of a chain proves nothing. */
  readonly filter: Found
}

/**
 * The records of one chain as text, a page at a time. `onPage` is called before each and may throw. Only the whole chain, or all of it
 * behind a place, has a beginning, checkpoints and an end.
 */
export async function* exported(
  chain: ChainParts,
  { format, filter }: Exporting,
  onPage: () => void = () => {},
): AsyncGenerator<string> {
  const isWhole = Object.values(filter).every((value) => value === undefined)
  if (isWhole && format === 'jsonl') {
    for await (const lines of chainPages(chain)) {
      onPage()
      yield textOf(lines, (line) => `${JSON.stringify(line)}\n`)
    }
    return
  }
  for await (const rows of recordPages({ ...chain, filter })) {
    onPage()
    if (rows.length > 0) yield textOf(rows, OF[format])
  }
}

/** The lines before the records of all chains. */
export const headOf = (format: Format): string => (format === 'csv' ? CSV_HEAD : '')

function textOf<One>(all: readonly One[], toText: (one: One) => string): string {
  let text = ''
  for (const one of all) text += toText(one)
  return text
}

const OF: Readonly<Record<Format, (row: ChainRow) => string>> = {
  jsonl: (row) => `${JSON.stringify({ type: 'record', ...proven(row) })}\n`,
  csv: (row) => toCsv(unproven(row)),
  ocsf: (row) => `${JSON.stringify(toOcsf(unproven(row)))}\n`,
}
