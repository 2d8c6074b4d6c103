/**
 * Watches the size of a child's folders: allocated bytes of all files in them. The time between two looks grows with the time that a look takes,
 * so that large folders cost little. Between two looks a child may write more; the bound on each file (RLIMIT_FSIZE) holds at once.
 */
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

const LEAST_MS = 2_000
/** A look takes a fortieth of the time at most. */
const SHARE = 40
const BLOCK = 512

export function watchDisk(folders: readonly string[], limit: number, tooMuch: () => void): () => void {
  let over = false
  let timer: NodeJS.Timeout | undefined
  const plan = (ms: number) => {
    timer = setTimeout(() => void look(), ms)
    timer.unref()
  }
  async function look(): Promise<void> {
    const since = performance.now()
    let bytes = 0
    for (const folder of folders) bytes += await sizeOf(folder, limit - bytes, () => over)
    if (over) return
    if (bytes > limit) return tooMuch()
    plan(Math.max(LEAST_MS, (performance.now() - since) * SHARE))
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
      const found = await lstat(path).catch(() => undefined)
      bytes += (found?.blocks ?? 0) * BLOCK
      if (entry.isDirectory()) bytes += await sizeOf(path, limit - bytes, over)
    }
  } catch {
    // It was removed while we looked.
  }
  return bytes
}
