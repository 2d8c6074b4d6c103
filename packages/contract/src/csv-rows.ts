/**
 * Rows of CSV as spreadsheets write it (RFC 4180): with commas, semicolons or tabs, with or without a byte order mark. A row that
 * cannot be read is there by its line, and takes none of its neighbours along.
 */

export interface CsvRow {
  /** Of the text, from 1. */
  readonly line: number
  /** Undefined: a quotation mark in it has no counterpart, or it is too long. */
  readonly cells: readonly string[] | undefined
}

const DELIMITERS = [',', ';', '\t'] as const
/** Characters of a cell in quotation marks: one without an end does not swallow the rest of the text. */
const MOST_CELL = 4_000
/** Characters of a row: what is longer is read once, and not again from each of its lines. */
const MOST_ROW = 4_000

/** UTF-8; undefined for anything else, such as Windows-1252 and UTF-16. */
export function csvTextOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The rows that are not empty; after `most` the rest is left unread. */
export function csvRows(csv: string, most = Infinity): CsvRow[] {
  const text = csv.replace(/^\uFEFF/, '')
  const delimiter = delimiterOf(text)
  const rows: CsvRow[] = []
  let [at, line] = [0, 1]
  while (at < text.length && rows.length < most) {
    const whole = rowAt(text, at, delimiter)
    const end = whole?.end ?? lineEnd(text, at)
    const source = text.slice(at, end)
    if (source.trim() !== '') rows.push({ line, cells: whole?.cells })
    line += breaksIn(source)
    const next = afterBreak(text, end)
    if (next > end) line += 1
    at = next
  }
  return rows
}

/** The one that the first line has most of. */
function delimiterOf(text: string): string {
  const head = text.slice(0, lineEnd(text, 0))
  const countOf = (delimiter: string) => head.split(delimiter).length
  return [...DELIMITERS].sort((one, other) => countOf(other) - countOf(one))[0] ?? ','
}

function lineEnd(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1
  return at
}

const afterBreak = (text: string, at: number): number =>
  at + (text.startsWith('\r\n', at) ? 2 : at < text.length ? 1 : 0)
const breaksIn = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0

/** Undefined where a quotation mark has no counterpart, and where it has no end. `end` is where its line break is. */
function rowAt(text: string, from: number, delimiter: string): { cells: string[]; end: number } | undefined {
  const cells: string[] = []
  for (let at = from; ;) {
    const cell = text[at] === '"' ? quotedAt(text, at) : plainAt(text, at, delimiter)
    if (cell === undefined) return undefined
    cells.push(unmarked(cell.value))
    const next = text[cell.end]
    if (next !== delimiter) return next === undefined || /[\r\n]/.test(next) ? { cells, end: cell.end } : undefined
    at = cell.end + 1
    if (at - from > MOST_ROW) return undefined
  }
}

interface Cell {
  readonly value: string
  readonly end: number
}

function quotedAt(text: string, from: number): Cell | undefined {
  let value = ''
  let at = from + 1
  while (value.length <= MOST_CELL) {
    const quote = text.indexOf('"', at)
    if (quote === -1 || quote - at > MOST_CELL) return undefined
    value += text.slice(at, quote)
    if (text[quote + 1] !== '"') return { value, end: quote + 1 }
    value += '"'
    at = quote + 2
  }
  return undefined
}

function plainAt(text: string, from: number, delimiter: string): Cell {
  let end = from
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { value: text.slice(from, end), end }
}

/** Without the mark that an export puts before a text that a spreadsheet would take for a formula. */
const unmarked = (value: string): string => (/^'[=+\-@\t\r]/.test(value) ? value.slice(1) : value)
