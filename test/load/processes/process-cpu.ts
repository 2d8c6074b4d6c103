/**
 * Reads the CPU time used so far by a process and all its descendants.
 *
 * Reads /proc/<pid>/stat (proc_pid_stat(5)): utime and stime of the living, cutime and cstime for children that ended and were
 * waited for, so a database backend that comes and goes is still counted. A process that left the tree is found by its working
 * folder: PostgreSQL runs inside its data folder. Never asks a process for its own figures, and returns undefined where there is
 * no /proc.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { sep } from 'node:path'

/** USER_HZ: every Linux that Node 24 runs on reports process times in hundredths of a second. */
const MS_PER_TICK = 10

/** The name that the stub over stdio gives itself, so that its share can be told from that of the hop. At most 15 bytes. */
export const STDIO_STUB = 'bench-stub'

const POSTGRES = 'postgres'

export interface ProcessTimes {
  /** The command's name, as the process set it; at most 15 bytes. */
  readonly name: string
  readonly parent: number
  /** utime + stime, in ticks. */
  readonly own: number
  /** cutime + cstime, in ticks: children that ended. */
  readonly reaped: number
}

/** CPU milliseconds used since the process started. */
export interface FamilyCpu {
  readonly own: number
  /** All below it but a stub over stdio. */
  readonly descendants: number
  /** The part of the descendants that is PostgreSQL. */
  readonly database: number
  /** A stub over stdio, which is the server and no part of the hop. */
  readonly stub: number
}

/** Whose work a process of a family does. */
export type Part = 'hop' | 'database' | 'stub'

/** One line of /proc/<pid>/stat. The name is in brackets and may hold anything, brackets and spaces too. */
export function parseStat(line: string): ProcessTimes {
  const nameEnd = line.lastIndexOf(')')
  const name = line.slice(line.indexOf('(') + 1, nameEnd)
  const fields = line.slice(nameEnd + 2).split(' ')
  // Field 3 (state) is the first after the name; ppid is 4, utime 14, stime 15, cutime 16, cstime 17.
  const field = (number: number) => Number(fields[number - 3])
  return { name, parent: field(4), own: field(14) + field(15), reaped: field(16) + field(17) }
}

/** The pids below `root`, and those `isOurs` claims with all below them; never `root` itself. */
export function descendantsOf(
  root: number,
  processes: ReadonlyMap<number, ProcessTimes>,
  isOurs: (pid: number) => boolean,
) {
  const found = new Set<number>([...processes.keys()].filter((pid) => pid !== root && isOurs(pid)))
  for (let before = -1; before < found.size;) {
    before = found.size
    for (const [pid, { parent }] of processes) {
      if (pid !== root && (parent === root || found.has(parent))) found.add(pid)
    }
  }
  return found
}

/** @param folder processes that work inside this folder count as descendants too */
export function readFamilyCpu(root: number, folder?: string): FamilyCpu | undefined {
  const family = familyOf(root, folder)
  const own = family?.get(root)
  if (family === undefined || own === undefined) return undefined
  const ticks = { hop: own.reaped, database: 0, stub: 0 }
  for (const [pid, times] of family) if (pid !== root) ticks[partOf(times)] += times.own + times.reaped
  return {
    own: own.own * MS_PER_TICK,
    descendants: (ticks.hop + ticks.database) * MS_PER_TICK,
    database: ticks.database * MS_PER_TICK,
    stub: ticks.stub * MS_PER_TICK,
  }
}

/** The process `root` and its descendants, those that work inside `folder` among them; undefined where there is no /proc. */
export function familyOf(root: number, folder?: string): ReadonlyMap<number, ProcessTimes> | undefined {
  const processes = readProcesses()
  if (processes === undefined) return undefined
  const below = descendantsOf(root, processes, (other) => folder !== undefined && worksIn(other, folder))
  return new Map([...processes].filter(([pid]) => pid === root || below.has(pid)))
}

export function partOf({ name }: Pick<ProcessTimes, 'name'>): Part {
  if (name === STDIO_STUB) return 'stub'
  return name === POSTGRES ? 'database' : 'hop'
}

/** The living processes whose working folder is inside `folder`. */
export function processesIn(folder: string): number[] {
  return [...(readProcesses()?.keys() ?? [])].filter((pid) => worksIn(pid, folder))
}

/** CPU milliseconds all processes of the machine used, and what a hypervisor took; without interrupts and idling. */
export function readMachineCpu(): number | undefined {
  try {
    const [user = 0, nice = 0, system = 0, , , , , steal = 0] =
      /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? []
    return (user + nice + system + steal) * MS_PER_TICK
  } catch {
    return undefined
  }
}

function readProcesses(): Map<number, ProcessTimes> | undefined {
  const processes = new Map<number, ProcessTimes>()
  try {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      try {
        processes.set(Number(name), parseStat(readFileSync(`/proc/${name}/stat`, 'utf8')))
      } catch {
        // It ended between the listing and the reading.
      }
    }
    return processes
  } catch {
    return undefined
  }
}

function worksIn(pid: number, folder: string): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`)
    return cwd === folder || cwd.startsWith(folder + sep)
  } catch {
    // It ended, or it belongs to somebody else.
    return false
  }
}
