/**
 * What do these numbers look like as a whole?
 *
 * Mean and deviation by Welford's method, so that large offsets do not eat the digits; quantiles by linear
 * interpolation between the ranks (Hyndman & Fan type 7, the default of R and NumPy). Never guesses: one number has no
 * standard deviation, so it is null.
 */
export interface Summary {
  count: number
  sum: number
  mean: number
  median: number
  /** Sample standard deviation (n - 1); null for a single number. */
  stdev: number | null
  min: number
  max: number
  range: number
  quantiles: { at: number; value: number }[]
}

/** Summarizes at least one finite number; `at` are the wanted quantiles, each between 0 and 1. */
export function summarizeNumbers(numbers: readonly number[], at: readonly number[]): Summary {
  const sorted = numbers.toSorted((a, b) => a - b)
  if (sorted.length === 0) throw new Error('There are no numbers to summarize.')
  const { mean, stdev } = spread(numbers)
  const [min, max] = [quantile(sorted, 0), quantile(sorted, 1)]
  const summary = {
    count: sorted.length,
    sum: numbers.reduce((total, value) => total + value, 0),
    mean,
    median: quantile(sorted, 0.5),
    stdev,
    min,
    max,
    range: max - min,
    quantiles: at.map((share) => ({ at: share, value: quantile(sorted, share) })),
  }
  if (![summary.sum, mean, stdev ?? 0, summary.range].every(Number.isFinite)) {
    throw new Error('These numbers are too large to be summed.')
  }
  return summary
}

function spread(numbers: readonly number[]): { mean: number; stdev: number | null } {
  let [count, mean, squares] = [0, 0, 0]
  for (const value of numbers) {
    count += 1
    const away = value - mean
    mean += away / count
    squares += away * (value - mean)
  }
  return { mean, stdev: count > 1 ? Math.sqrt(squares / (count - 1)) : null }
}

function quantile(sorted: readonly number[], share: number): number {
  const rank = share * (sorted.length - 1)
  const low = sorted[Math.floor(rank)] ?? NaN
  const high = sorted[Math.ceil(rank)] ?? NaN
  return low === high ? low : low + (high - low) * (rank - Math.floor(rank))
}
