/** Compares two texts word by word (longest common subsequence); texts that are too long to compare are shown whole. */
export interface WordStep {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

const MAX_CELLS = 1_000_000

export function wordSteps(before: string, after: string): WordStep[] {
  const [had, has] = [split(before), split(after)]
  if (had.length * has.length > MAX_CELLS)
    return joined([
      { kind: 'removed', text: before },
      { kind: 'added', text: after },
    ])
  const width = has.length + 1
  const lengths = new Uint32Array((had.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] ?? 0
  for (let row = had.length - 1; row >= 0; row--)
    for (let column = has.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        had[row] === has[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const steps: WordStep[] = []
  for (let row = 0, column = 0; row < had.length || column < has.length;) {
    const [old = '', next = ''] = [had[row], has[column]]
    if (row < had.length && column < has.length && old === next) {
      steps.push({ kind: 'same', text: old })
      row++
      column++
    } else if (row < had.length && (column >= has.length || at(row + 1, column) >= at(row, column + 1))) {
      steps.push({ kind: 'removed', text: old })
      row++
    } else {
      steps.push({ kind: 'added', text: next })
      column++
    }
  }
  return joined(steps)
}

/** Words with the space behind them. */
const split = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

function joined(steps: readonly WordStep[]): WordStep[] {
  const made: WordStep[] = []
  for (const step of steps) {
    const last = made.at(-1)
    if (last?.kind === step.kind) made[made.length - 1] = { kind: step.kind, text: last.text + step.text }
    else if (step.text !== '') made.push(step)
  }
  return made
}
