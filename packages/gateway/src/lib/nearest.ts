/** The names that somebody may have meant who wrote one that there is not. */

const MOST_NAMES = 3
/** Names are short; what is longer is compared by its beginning, so that no question takes long. */
const LONGEST = 100

/** The nearest first; none that is farther away than a third of what was written. */
export function nearestNames(written: string, names: Iterable<string>): string[] {
  const wanted = plain(written)
  const most = Math.max(2, Math.floor(wanted.length / 3))
  const near: { name: string; distance: number }[] = []
  for (const name of names) {
    const own = plain(name)
    const within = wanted.length > 3 && (own.includes(wanted) || wanted.includes(own))
    const distance = within ? 1 : distanceOf(wanted, own, most)
    if (distance <= most) near.push({ name, distance })
  }
  return near
    .toSorted((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
    .slice(0, MOST_NAMES)
    .map(({ name }) => name)
}

const plain = (name: string) =>
  name
    .slice(0, LONGEST)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')

/** How many letters have to be put in, left out or changed (Levenshtein); anything above `most` where it is more than that. */
function distanceOf(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > most) return most + 1
    row = next
  }
  return row[other.length] ?? 0
}
