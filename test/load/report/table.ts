/**
 * Tables and numbers of the report, as plain text.
 */
import type { Spread } from '../median.ts'

/** Aligned columns: the first to the left, the others to the right. */
export function table(lines: readonly (readonly string[])[]): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines.map((line) =>
    line.map((cell, i) => (i === 0 ? `  ${cell.padEnd(widths[i] ?? 0)}` : cell.padStart(widths[i] ?? 0))).join('  '),
  )
}

export const fixed = (value: number | null | undefined, digits: number) =>
  value === null || value === undefined ? '–' : value.toFixed(digits)

export const percent = (share: number | null) => (share === null ? '–' : `${Math.round(share * 100)}%`)

/** The median, and the range of the rounds where it is one. */
export function spread(value: Spread | null | undefined, digits: number, unit = 1): string {
  if (value === null || value === undefined) return '–'
  const [median, low, high] = [value.median, value.low, value.high].map((each) => (each / unit).toFixed(digits))
  return low === high ? (median ?? '') : `${median} (${low}–${high})`
}
