/**
 * Watches the size of a child's folders: allocated bytes of all files in them, and at least a block for each, because the file system
 * has an entry for an empty one too. A folder that cannot be looked into counts as more than the limit. The time between two looks grows with the time that a look takes,
 * so that large folders cost little. Between two looks a child may write more; the bound on each file (RLIMIT_FSIZE) holds at once.
 */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

const [LEAST_MS, MOST_MS] = [2_000, 60_000]
/** A look takes a fortieth of the time, as far as a child that makes it slow is still looked at each minute. */
const SHARE = 40
const BLOCK = 512
const LEAST_BYTES = 4096
/** Closed by the child, or so deep that no path leads there: what it hides there it may fill without end. */
const HIDDEN = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP'])

export function watchDisk(folders: readonly string[], limit: number, tooMuch: () => void): () => void {
  let over = false
  let timer: NodeJS.Timeout | undefined
  const plan = (ms: number) => {
    timer = setTimeout(() => void measureFolders(), ms)
    timer.unref()
  }
  async function measureFolders(): Promise<void> {
    const since = performance.now()
    let bytes = 0
    for (const folder of folders) bytes += await sizeOf(folder, limit - bytes, () => over)
    if (over) return
    if (bytes > limit) return tooMuch()
    plan(Math.min(Math.max(LEAST_MS, (performance.now() - since) * SHARE), MOST_MS))
  }
  plan(LEAST_MS)
  return () => {
    over = true
    clearTimeout(timer)
  }
}

/** Stops counting above the limit. */
export async function sizeOf(folder: string, limit: number, over: () => boolean = () => false): Promise<number> {
  let bytes = 0
  try {
    for await (const entry of await opendir(folder)) {
      if (over() || bytes > limit) return bytes
      const path = join(folder, entry.name)
      bytes += await lstat(path).then(({ blocks }) => Math.max(blocks * BLOCK, LEAST_BYTES), goneOrHidden)
      if (entry.isDirectory()) bytes += await sizeOf(path, limit - bytes, over)
    }
    return bytes
  } catch (thrown) {
    return bytes + goneOrHidden(thrown as NodeJS.ErrnoException)
  }
}

/** Nothing for what was removed while we looked. */
const goneOrHidden = ({ code = '' }: NodeJS.ErrnoException): number => (HIDDEN.has(code) ? Infinity : 0)
