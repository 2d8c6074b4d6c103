/** The forms in which records leave, each as a stream of text: JSON lines (the only one that can be verified), CSV and OCSF. */
import type { ChainLine } from '../chain/chain-lines.ts'
import { CSV_HEAD, toCsv } from './csv.ts'
import { toOcsf } from './ocsf.ts'

export const FORMATS = ['jsonl', 'csv', 'ocsf'] as const
export type Format = (typeof FORMATS)[number]

export const MEDIA: Readonly<Record<Format, string>> = {
  jsonl: 'application/jsonl; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ocsf: 'application/jsonl; charset=utf-8',
}

/** Lines are handed on a few at a time, as they come. */
export async function* exported(lines: AsyncIterable<ChainLine>, format: Format): AsyncGenerator<string> {
  let text = format === 'csv' ? CSV_HEAD : ''
  for await (const line of lines) {
    text += format === 'jsonl' ? `${JSON.stringify(line)}\n` : line.type === 'record' ? OF[format](line) : ''
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

const CHUNK = 64 * 1024
const OF = {
  csv: toCsv,
  ocsf: (record: Parameters<typeof toOcsf>[0]) => `${JSON.stringify(toOcsf(record))}\n`,
}
