/** A few numbers over time as a thin line without axes, beside the number that says the same. Screen readers skip it. */
export interface SparklineProps {
  /** The earliest first; null where nothing was measured. */
  readonly values: readonly (number | null)[]
  readonly width?: number
  readonly height?: number
}

/** Room for the stroke, so that the highest and the lowest point are not cut. */
const INSET = 2

export function Sparkline({ values, width = 96, height = 28 }: SparklineProps) {
  const points = pointsOf(values, width, height)
  if (points.length < 2) return null
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} className="sparkline" aria-hidden>
      <polyline points={points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')} />
    </svg>
  )
}

/** Pixels from the top left; steps without a value are passed over. */
function pointsOf(values: SparklineProps['values'], width: number, height: number): [x: number, y: number][] {
  const known = values.filter((value) => value !== null)
  const least = Math.min(0, ...known)
  const span = Math.max(...known, 0) - least || 1
  const step = (width - 2 * INSET) / Math.max(1, values.length - 1)
  return values.flatMap((value, at): [number, number][] =>
    value === null ? [] : [[INSET + at * step, height - INSET - ((value - least) / span) * (height - 2 * INSET)]],
  )
}
