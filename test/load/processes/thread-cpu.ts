/**
 * Reads the CPU time of the threads of a process to the nanosecond (/proc/<pid>/task/<tid>/schedstat), where /proc/<pid>/stat
 * counts hundredths of a second, too coarse for a short round at a light load.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** Nanoseconds by the number of the thread. */
export type ThreadCpu = ReadonlyMap<number, number>

/** Undefined where the process is gone or the kernel keeps no such count. */
export function readThreadCpu(pid: number): ThreadCpu | undefined {
  try {
    const threads = new Map<number, number>()
    for (const name of readdirSync(`/proc/${pid}/task`)) {
      const spent = parseSchedstat(readFileSync(`/proc/${pid}/task/${name}/schedstat`, 'utf8'))
      if (spent !== undefined) threads.set(Number(name), spent)
    }
    return threads.size === 0 ? undefined : threads
  } catch {
    return undefined
  }
}

/** The first number is the time on a core; undefined where the kernel says nothing. */
export function parseSchedstat(text: string): number | undefined {
  const spent = /^(\d+) \d+ \d+/.exec(text)?.[1]
  return spent === undefined ? undefined : Number(spent)
}

/**
 * Milliseconds between two readings. Undefined where a reading is missing, or a thread ended between them: what it used is gone.
 */
export function threadCpuBetween(before: ThreadCpu | undefined, after: ThreadCpu | undefined): number | undefined {
  if (before === undefined || after === undefined) return undefined
  if ([...before.keys()].some((thread) => !after.has(thread))) return undefined
  let ns = 0
  for (const [thread, spent] of after) ns += spent - (before.get(thread) ?? 0)
  return ns / 1e6
}
