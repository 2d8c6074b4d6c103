/**
 * Measures the memory of a child and all processes it started. Its group is measured every two seconds, and a group over its
 * limit is reported once. Only a group's own memory is counted, not shared program files.
 *
 * A limit of the operating system (setrlimit) does not work: Node reserves far more addresses than it uses, and each process of a
 * group would have the whole limit for itself. Between two measurements a child may exceed the limit.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const EVERY = 2_000

export interface MemoryWatch {
  /** Look after a group until `forget`; `tooMuch` is told at most once. */
  add(group: number, limit: number, tooMuch: () => void): void
  forget(group: number): void
}

/** Bytes of memory by process group. */
export type Measure = (groups: ReadonlySet<number>) => Promise<Map<number, number>>

export function createMemoryWatch(measure: Measure = process.platform === 'linux' ? measureByProc : measureByPs) {
  const watched = new Map<number, { limit: number; tooMuch: () => void }>()
  let timer: NodeJS.Timeout | undefined

  async function look(): Promise<void> {
    const held = await measure(new Set(watched.keys())).catch(() => new Map<number, number>())
    for (const [group, bytes] of held) {
      const one = watched.get(group)
      if (one === undefined || bytes <= one.limit) continue
      watched.delete(group)
      one.tooMuch()
    }
    plan()
  }

  /** One look after the other, so that a slow one is not overtaken. */
  function plan(): void {
    timer = watched.size === 0 ? undefined : setTimeout(() => void look(), EVERY)
    timer?.unref()
  }

  const watch: MemoryWatch = {
    add(group, limit, tooMuch) {
      watched.set(group, { limit, tooMuch })
      if (timer === undefined) plan()
    },
    forget: (group) => void watched.delete(group),
  }
  return watch
}

/** From the process table of Linux (proc(5)): the group of each process, and the memory that is its own. */
export async function measureByProc(groups: ReadonlySet<number>): Promise<Map<number, number>> {
  const held = new Map<number, number>()
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      // The name of a program may hold spaces and parentheses: what follows the last one is counted.
      const [, , group] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? []
      if (!groups.has(Number(group))) continue
      const kibibytes = /^RssAnon:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
      held.set(Number(group), (held.get(Number(group)) ?? 0) + Number(kibibytes ?? 0) * 1024)
    } catch {
      continue // it ended while we looked
    }
  }
  return held
}

/** From `ps`, where there is no process table to read. */
export async function measureByPs(groups: ReadonlySet<number>): Promise<Map<number, number>> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-A', '-o', 'pgid=', '-o', 'rss='], { env: {} })
  const held = new Map<number, number>()
  for (const line of stdout.split('\n')) {
    const [group = 0, kibibytes = 0] = line.trim().split(/\s+/).map(Number)
    if (groups.has(group)) held.set(group, (held.get(group) ?? 0) + kibibytes * 1024)
  }
  return held
}
