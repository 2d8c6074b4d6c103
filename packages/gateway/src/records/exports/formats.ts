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

/** From `start` on and before `end`; a part of a chain proves nothing, and so its records leave alone. */
export interface Within {
  readonly start?: string | undefined
  readonly end?: string | undefined
}

/** Lines are handed on a few at a time, as they come. */
export async function* exported(
  lines: AsyncIterable<ChainLine>,
  format: Format,
  within: Within = {},
): AsyncGenerator<string> {
  const lies = placedIn(within)
  let text = format === 'csv' ? CSV_HEAD : ''
  for await (const line of lines) {
    if (lies?.(line) === false) continue
    text += format === 'jsonl' ? `${JSON.stringify(line)}\n` : line.type === 'record' ? OF[format](line) : ''
    if (text.length < CHUNK) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** Undefined where everything leaves. */
function placedIn({ start, end }: Within): ((line: ChainLine) => boolean) | undefined {
  if (start === undefined && end === undefined) return undefined
  const from = start === undefined ? Number.NEGATIVE_INFINITY : Date.parse(start)
  const to = end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end)
  return (line) => line.type === 'record' && Date.parse(line.at) >= from && Date.parse(line.at) < to
}

const CHUNK = 64 * 1024
const OF = {
  csv: toCsv,
  ocsf: (record: Parameters<typeof toOcsf>[0]) => `${JSON.stringify(toOcsf(record))}\n`,
}
