/** The forms in which records leave, each as a stream of text: JSON lines (the only one that can be verified), CSV and OCSF. */
import { chainPages, isRow, recordPages, type ChainParts, type Found } from '../chain/chain-lines.ts'
import { recordLine, withoutProofs, type ChainRow } from '../chain/record-hash.ts'
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
 * The records of one chain as texts, many to a page. `onPage` is called before each page and may throw. Only the whole chain, or all
 * of it behind a place, has a beginning, checkpoints and an end.
 */
export async function* exportRecords(
  chain: ChainParts,
  { format, filter }: Exporting,
  onPage: () => void = () => {},
): AsyncGenerator<string> {
  const isWhole = Object.values(filter).every((value) => value === undefined)
  if (isWhole && format === 'jsonl') {
    for await (const entries of chainPages(chain)) {
      onPage()
      yield* textsOf(entries, (entry) => (isRow(entry) ? recordLine(entry) : `${JSON.stringify(entry)}\n`))
    }
    return
  }
  for await (const rows of recordPages({ ...chain, filter })) {
    onPage()
    yield* textsOf(rows, OF[format])
  }
}

/** The lines before the records of all chains. */
export const headOf = (format: Format): string => (format === 'csv' ? CSV_HEAD : '')

/** Records of one text. The text of a whole page is too large to be collected with what is young, which costs more than to write it. */
const TOGETHER = 50

function* textsOf<One>(all: readonly One[], toText: (item: One) => string): Generator<string> {
  for (let start = 0; start < all.length; start += TOGETHER)
    yield all
      .slice(start, start + TOGETHER)
      .map(toText)
      .join('')
}

const OF: Readonly<Record<Format, (row: ChainRow) => string>> = {
  jsonl: recordLine,
  csv: (row) => toCsv(withoutProofs(row)),
  ocsf: (row) => `${JSON.stringify(toOcsf(withoutProofs(row)))}\n`,
}
