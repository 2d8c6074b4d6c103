/** Lines of CSV (RFC 4180) that a spreadsheet opens without taking a text for a formula. */

const CRLF = '\r\n'

export const csvLine = (values: readonly (string | number | null)[]): string => values.map(cell).join(',') + CRLF

/** A text that a spreadsheet would take for a formula gets a mark before it (OWASP, CSV injection). */
function cell(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
