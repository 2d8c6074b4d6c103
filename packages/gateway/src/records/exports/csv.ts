/** Records as CSV (RFC 4180), one line each, for spreadsheets. The proof is left out: it is in JSON lines. */
import { REDACTABLE } from '@toolway/contract/admin'
import { STAYING, type ProvenRecord } from '../chain/leaf.ts'

const COLUMNS = [...STAYING, ...REDACTABLE, 'hash'] as const

const CRLF = '\r\n'
export const CSV_HEAD = COLUMNS.join(',') + CRLF

export const toCsv = (record: ProvenRecord): string => COLUMNS.map((name) => cell(record[name])).join(',') + CRLF

/** A text that a spreadsheet would take for a formula gets a mark before it (OWASP, CSV injection). */
function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
