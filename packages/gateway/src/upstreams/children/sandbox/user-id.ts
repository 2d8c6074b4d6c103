/**
 * The user id of a child where the gateway runs as root: derived from its name, so that its folder belongs to the same id at each
 * start, and no other child's folder does.
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

/** Above all ids that systems and containers give out; below 2^31, which some programs cannot hold. */
const [FIRST, COUNT] = [0x40000000, 0x3fffffff]

let mapped: boolean | undefined

/** Undefined where the gateway is not root, or is root of a user namespace that has no such ids. */
export function userIdOf(name: string): number | undefined {
  if (process.getuid?.() !== 0) return undefined
  mapped ??= hasAllIds()
  if (!mapped) return undefined
  return FIRST + (createHash('sha256').update(name).digest().readUInt32BE() % COUNT)
}

function hasAllIds(): boolean {
  try {
    const [inside, , count] = readFileSync('/proc/self/uid_map', 'utf8').trim().split(/\s+/).map(Number)
    return inside === 0 && (count ?? 0) >= FIRST + COUNT
  } catch {
    return false
  }
}

/** Whether a user who is neither the owner nor in the group may use it: read it, and write it if asked. */
export function isOpenToOthers(path: string, write: boolean): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return true
  const needed = (found.isDirectory() ? 0o5 : 0o4) | (write ? 0o2 : 0)
  return (found.mode & needed) === needed
}
