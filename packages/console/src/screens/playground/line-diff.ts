/** Compares two texts line by line (longest common subsequence): the common lines, and the lines that only one of them has. */

export interface Line {
  readonly side: 'both' | 'left' | 'right'
  readonly text: string
}

/** Longer ones are compared line by line at the same place: the table would be too large. */
const MOST = 1_500

export function lineDiff(left: string, right: string): readonly Line[] {
  const [leftLines, other] = [left.split('\n'), right.split('\n')]
  let same = 0
  while (same < leftLines.length && same < other.length && leftLines[same] === other[same]) same++
  const head: readonly Line[] = leftLines.slice(0, same).map((text) => ({ side: 'both', text }))
  return [...head, ...between(leftLines.slice(same), other.slice(same))]
}

function between(left: readonly string[], other: readonly string[]): readonly Line[] {
  if (left.length > MOST || other.length > MOST) return [...sideOf('left', left), ...sideOf('right', other)]
  const lengths = lengthsOf(left, other)
  const lines: Line[] = []
  let [i, j] = [0, 0]
  while (i < left.length && j < other.length) {
    if (left[i] === other[j]) {
      lines.push({ side: 'both', text: left[i] ?? '' })
      i++
      j++
    } else if ((lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))
      lines.push({ side: 'left', text: left[i++] ?? '' })
    else lines.push({ side: 'right', text: other[j++] ?? '' })
  }
  return [...lines, ...sideOf('left', left.slice(i)), ...sideOf('right', other.slice(j))]
}

const sideOf = (side: 'left' | 'right', lines: readonly string[]): readonly Line[] =>
  lines.map((text) => ({ side, text }))

/** Of the longest common subsequence of what begins at each pair of lines. */
function lengthsOf(left: readonly string[], other: readonly string[]): readonly Uint16Array[] {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(other.length + 1))
  for (let i = left.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--) {
      const row = lengths[i] as Uint16Array
      row[j] =
        left[i] === other[j] ? (lengths[i + 1]?.[j + 1] ?? 0) + 1 : Math.max(lengths[i + 1]?.[j] ?? 0, row[j + 1] ?? 0)
    }
  return lengths
}
