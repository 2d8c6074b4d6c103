/** The median and its range: one disturbed round moves a median by one rank, and an average by its whole delay. */

/** Of the rounds: the median, and the lowest and the highest. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}

/** Of one value at least. */
export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  low: Math.min(...values),
  high: Math.max(...values),
})
