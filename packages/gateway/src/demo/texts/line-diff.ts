/**
 * Which lines differ between two texts, as a unified diff?
 *
 * Equal heads and tails are cut off first, then the longest common subsequence of what is left is found by dynamic
 * programming; the table is bounded by MAX_LINES on each side (at most 8 MB). The output is the unified format that
 * `patch` reads (POSIX diff -u), with the usual note where a text has no final newline.
 */
const MAX_LINES = 2_000

export interface LineDiff {
  identical: boolean
  added: number
  removed: number
  unchanged: number
  /** The unified diff; empty when nothing differs. */
  unified: string
}

interface Line {
  mark: ' ' | '-' | '+'
  text: string
}

/** Compares two texts line by line; `context` is the number of equal lines around each change. */
export function diffLines(
  before: string,
  after: string,
  { context, ignoreSpace }: { context: number; ignoreSpace: boolean },
): LineDiff {
  const [old, fresh] = [linesOf(before), linesOf(after)]
  if (old.length > MAX_LINES || fresh.length > MAX_LINES) {
    throw new Error(`Each text may have at most ${MAX_LINES} lines; these have ${old.length} and ${fresh.length}.`)
  }
  const key = ignoreSpace
    ? (line: string) => line.replace(NO_NEWLINE, '').trim().replaceAll(/\s+/g, ' ')
    : (line: string) => line
  const lines = markLines(old, fresh, key)
  const count = (mark: Line['mark']) => lines.filter((line) => line.mark === mark).length
  const [added, removed] = [count('+'), count('-')]
  return {
    identical: added + removed === 0,
    added,
    removed,
    unchanged: count(' '),
    unified: added + removed === 0 ? '' : writeHunks(lines, context),
  }
}

const NO_NEWLINE = '\n\\ No newline at end of file'

/** The lines of a text; a last line without newline carries diff's note, so that it differs from one with. */
function linesOf(text: string): string[] {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop() ?? ''
  return last === '' ? lines : [...lines, last + NO_NEWLINE]
}

function markLines(old: string[], fresh: string[], key: (line: string) => string): Line[] {
  const [oldKeys, freshKeys] = [old.map(key), fresh.map(key)]
  const shorter = Math.min(old.length, fresh.length)
  let head = 0
  while (head < shorter && oldKeys[head] === freshKeys[head]) head += 1
  let tail = 0
  while (tail < shorter - head && oldKeys.at(-1 - tail) === freshKeys.at(-1 - tail)) tail += 1
  const same = (text: string): Line => ({ mark: ' ', text })
  return [
    ...fresh.slice(0, head).map(same),
    ...markMiddle(
      { lines: old.slice(head, old.length - tail), keys: oldKeys.slice(head, old.length - tail) },
      { lines: fresh.slice(head, fresh.length - tail), keys: freshKeys.slice(head, fresh.length - tail) },
    ),
    ...fresh.slice(fresh.length - tail).map(same),
  ]
}

interface Side {
  lines: string[]
  keys: string[]
}

function markMiddle(old: Side, fresh: Side): Line[] {
  const lengths = commonLengths(old.keys, fresh.keys)
  const width = fresh.keys.length + 1
  const length = (row: number, column: number) => lengths[row * width + column] ?? 0
  const marked: Line[] = []
  let [row, column] = [0, 0]
  while (row < old.lines.length || column < fresh.lines.length) {
    if (row < old.lines.length && column < fresh.lines.length && old.keys[row] === fresh.keys[column]) {
      marked.push({ mark: ' ', text: fresh.lines[column] ?? '' })
      ;[row, column] = [row + 1, column + 1]
    } else if (
      column >= fresh.lines.length ||
      (row < old.lines.length && length(row + 1, column) >= length(row, column + 1))
    ) {
      marked.push({ mark: '-', text: old.lines[row] ?? '' })
      row += 1
    } else {
      marked.push({ mark: '+', text: fresh.lines[column] ?? '' })
      column += 1
    }
  }
  return marked
}

/** lengths[i * width + j]: the longest common subsequence of old[i..] and fresh[j..]. */
function commonLengths(old: string[], fresh: string[]): Uint16Array {
  const width = fresh.length + 1
  const lengths = new Uint16Array((old.length + 1) * width)
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      const at = row * width + column
      lengths[at] =
        old[row] === fresh[column]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0)
    }
  }
  return lengths
}

function writeHunks(lines: Line[], context: number): string {
  const hunks = hunkRanges(lines, context)
  let [oldAt, freshAt, next] = [1, 1, 0]
  const skipTo = (end: number) => {
    for (; next < end; next += 1) {
      if (lines[next]?.mark !== '+') oldAt += 1
      if (lines[next]?.mark !== '-') freshAt += 1
    }
  }
  const written = hunks.map(([start, end]) => {
    skipTo(start)
    const [oldFrom, freshFrom] = [oldAt, freshAt]
    skipTo(end)
    const body = lines.slice(start, end).map(({ mark, text }) => mark + text)
    return [`@@ -${range(oldFrom, oldAt)} +${range(freshFrom, freshAt)} @@`, ...body].join('\n')
  })
  return ['--- before', '+++ after', ...written].join('\n') + '\n'
}

/** Start and end (exclusive) of each group of changes with its context; groups that touch are one. */
function hunkRanges(lines: Line[], context: number): [number, number][] {
  const ranges: [number, number][] = []
  for (const [index, { mark }] of lines.entries()) {
    if (mark === ' ') continue
    const [start, end] = [Math.max(0, index - context), Math.min(lines.length, index + context + 1)]
    const last = ranges.at(-1)
    if (last && start <= last[1]) last[1] = end
    else ranges.push([start, end])
  }
  return ranges
}

/** POSIX: an empty range names the line before it, and a count of one is left out. */
function range(from: number, to: number): string {
  const count = to - from
  if (count === 1) return `${from}`
  return `${count === 0 ? from - 1 : from},${count}`
}
