/**
 * The names that somebody may have meant by another one, the nearest first.
 *
 * Compared without regard to case and to `_`, `-`, `.` and blanks. The work is bounded: long names are compared by their
 * beginning, and of very many candidates only the first are looked at.
 */
const LONGEST = 64
const MOST_CANDIDATES = 10_000

/** At most `most` of them, each at most a third of its length away. */
export function nearestNames(name: string, candidates: Iterable<string>, most = 3): string[] {
  const plainName = plain(name)
  const found: { candidate: string; apart: number }[] = []
  let seen = 0
  for (const candidate of candidates) {
    if (++seen > MOST_CANDIDATES) break
    const there = plain(candidate)
    const farthest = Math.max(1, Math.floor(Math.max(plainName.length, there.length) / 3))
    const apart = there.includes(plainName) && plainName.length > 2 ? 1 : distance(plainName, there, farthest)
    if (apart <= farthest) found.push({ candidate, apart })
  }
  return found
    .sort((first, other) => first.apart - other.apart)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

const plain = (name: string) =>
  name
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[_\-. ]/g, '')

/** Letters to add, leave out or change until one is the other (Levenshtein); more than `farthest` where it is more than that. */
export function distance(name: string, other: string, farthest: number): number {
  if (Math.abs(name.length - other.length) > farthest) return farthest + 1
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= name.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (name[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > farthest) return farthest + 1
    row = next
  }
  return row[other.length] ?? 0
}

/** The one of the names that takes the fewest changes to get to, if it takes few. */
export function nearest<Name extends string>(word: string, names: readonly Name[]): Name | undefined {
  const farthest = Math.max(2, word.length / 4)
  const ranked = names
    .map((name) => [distance(word.toLowerCase(), name.toLowerCase(), farthest), name] as const)
    .sort(([a], [b]) => a - b)
  const [best] = ranked
  return best !== undefined && best[0] <= farthest ? best[1] : undefined
}
