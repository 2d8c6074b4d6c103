/**
 * The longest common subsequence of two lists of texts, by dynamic programming: the texts that stay, go and come. Lists that are
 * too long to compare are all removed and all added, so that a server cannot cause long computation.
 */
export interface Step {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Cells of the table: a quarter of a second at most. */
const MAX_CELLS = 4_000_000

export function alike(before: readonly string[], after: readonly string[]): Step[] {
  let [from, end] = [0, 0]
  const shorter = Math.min(before.length, after.length)
  while (from < shorter && before[from] === after[from]) from++
  while (end < shorter - from && before.at(-1 - end) === after.at(-1 - end)) end++
  const [had, has] = [before.slice(from, before.length - end), after.slice(from, after.length - end)]
  return [
    ...before.slice(0, from).map(sameStep),
    ...(had.length * has.length > MAX_CELLS ? [...had.map(removedStep), ...has.map(addedStep)] : common(had, has)),
    ...before.slice(before.length - end).map(sameStep),
  ]
}

const sameStep = (text: string): Step => ({ kind: 'same', text })
const removedStep = (text: string): Step => ({ kind: 'removed', text })
const addedStep = (text: string): Step => ({ kind: 'added', text })

function common(before: readonly string[], after: readonly string[]): Step[] {
  const width = after.length + 1
  // How long what is common from here on is.
  const lengths = new Uint32Array((before.length + 1) * width)
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        before[row] === after[column]
          ? lengthAt(row + 1, column + 1) + 1
          : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1))
  const steps: Step[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [had, has] = [before[row], after[column]]
    if (had !== undefined && had === has) {
      steps.push(sameStep(had))
      row++
      column++
    } else if (had !== undefined && (has === undefined || lengthAt(row + 1, column) >= lengthAt(row, column + 1))) {
      steps.push(removedStep(had))
      row++
    } else {
      steps.push(addedStep(has ?? ''))
      column++
    }
  }
  return steps
}
