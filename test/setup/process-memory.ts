/** The resident memory of another process, which tests of constant memory hold a limit against. Linux only, as those tests are. */
import { readFile } from 'node:fs/promises'

/** Mebibytes. */
export const memoryOf = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Samples until the returned function is called, which tells the most that was seen, in mebibytes. */
export function watchMemory(pid: number): () => number {
  let most = 0
  const timer = setInterval(() => {
    void memoryOf(pid).then(
      (now) => (most = Math.max(most, now)),
      () => {},
    )
  }, 50)
  return () => {
    clearInterval(timer)
    return most
  }
}
