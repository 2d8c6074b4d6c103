/**
 * Measures the memory of a child and all processes it started, and counts them. They are looked at every two seconds, and a child over a
 * limit is reported once. Its processes are those of its group and all that descend from its first one, whatever group they
 * are in. Their own memory is counted, and what they share among each other (MAP_SHARED without a file), but no program files.
 *
 * A limit of the operating system (setrlimit) does not work: Node reserves far more addresses than it uses, and each process of a
 * group would have the whole limit for itself. Between two measurements a child may exceed the limit.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const EVERY = 2_000

export interface GroupLimits {
  readonly bytes: number
  /** Processes and threads together. */
  readonly processes?: number | undefined
}
export type TooMuch = (what: 'memory' | 'processes') => void

export interface MemoryWatch {
  /** Look after a group until `forget`; `tooMuch` is told at most once. */
  add(group: number, limits: GroupLimits, tooMuch: TooMuch): void
  forget(group: number): void
}

export interface Held {
  bytes: number
  processes: number
}
/** What each group holds. */
export type Measure = (groups: ReadonlySet<number>) => Promise<Map<number, Held>>

export function createMemoryWatch(measure: Measure = process.platform === 'linux' ? measureByProc : measureByPs) {
  const watched = new Map<number, { limits: GroupLimits; tooMuch: TooMuch }>()
  let timer: NodeJS.Timeout | undefined

  async function measureGroups(): Promise<void> {
    const usage = await measure(new Set(watched.keys())).catch(() => new Map<number, Held>())
    for (const [group, { bytes, processes }] of usage) {
      const watching = watched.get(group)
      if (watching === undefined) continue
      const isFull = bytes > watching.limits.bytes
      if (!isFull && processes <= (watching.limits.processes ?? Infinity)) continue
      watched.delete(group)
      watching.tooMuch(isFull ? 'memory' : 'processes')
    }
    plan()
  }

  /** One look after the other, so that a slow one is not overtaken. */
  function plan(): void {
    timer = watched.size === 0 ? undefined : setTimeout(() => void measureGroups(), EVERY)
    timer?.unref()
  }

  const watch: MemoryWatch = {
    add(group, limits, tooMuch) {
      watched.set(group, { limits, tooMuch })
      if (timer === undefined) plan()
    },
    forget: (group) => void watched.delete(group),
  }
  return watch
}

/** From the process table of Linux (proc(5)): parent, group and threads of each process, and the memory that is its own. */
export async function measureByProc(groups: ReadonlySet<number>): Promise<Map<number, Held>> {
  const table = new Map<number, { parent: number; group: number; threads: number }>()
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // The name of a program may hold spaces and parentheses: what follows the last one is counted.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
    if (stat === undefined) continue // it ended while we looked
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
    table.set(Number(pid), { parent: Number(fields[1]), group: Number(fields[2]), threads: Number(fields[17]) })
  }
  const usage = new Map<number, Held>()
  for (const [pid, { threads }] of table) {
    const group = groupAmong(groups, pid, table)
    if (group === undefined) continue
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
    const shared = await sharedBy(pid, kibibytesIn(status, 'RssShmem') ?? 0)
    count(usage, group, (kibibytesIn(status, 'RssAnon') ?? 0) + shared, threads)
  }
  return usage
}

const kibibytesIn = (text: string, name: string): number | undefined => {
  const [, digits] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** Its share of memory that several processes may hold: looking for it costs time, and less than this is taken as its own. */
const WORTH_A_LOOK = 16 * 1024

async function sharedBy(pid: number, kibibytes: number): Promise<number> {
  if (kibibytes < WORTH_A_LOOK) return kibibytes
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  return kibibytesIn(rollup, 'Pss_Shmem') ?? kibibytes
}

/** One that left the group still descends from its first process, or from the first of its process namespace, which does. */
function groupAmong(
  groups: ReadonlySet<number>,
  pid: number,
  table: ReadonlyMap<number, { parent: number; group: number }>,
): number | undefined {
  for (let at = pid, steps = 0; steps < 1_000; steps++) {
    const found = table.get(at)
    if (found === undefined) return undefined
    if (groups.has(found.group)) return found.group
    at = found.parent
  }
  return undefined
}

function count(measured: Map<number, Held>, group: number, kibibytes: number, processes: number): void {
  const { bytes, processes: others } = measured.get(group) ?? { bytes: 0, processes: 0 }
  measured.set(group, { bytes: bytes + kibibytes * 1024, processes: others + processes })
}

/** From `ps`, where there is no process table to read. */
export async function measureByPs(groups: ReadonlySet<number>): Promise<Map<number, Held>> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-A', '-o', 'pgid=', '-o', 'rss='], { env: {} })
  const usage = new Map<number, Held>()
  for (const line of stdout.split('\n')) {
    const [group = 0, kibibytes = 0] = line.trim().split(/\s+/).map(Number)
    if (groups.has(group)) count(usage, group, kibibytes, 1)
  }
  return usage
}
