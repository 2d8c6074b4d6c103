/**
 * Reads the memory that a process and its descendants hold.
 *
 * `Pss` of /proc/PID/smaps_rollup (proc_pid_smaps(5)): resident pages, those that several processes share divided among them, so
 * that a sum counts each page once. Returns undefined where that cannot be read.
 */
import { readFileSync } from 'node:fs'
import { familyOf, partOf } from './process-cpu.ts'

/** Bytes. */
export interface FamilyMemory {
  /** The process and its descendants, without the database and without a stub over stdio. */
  readonly hop: number
  readonly database: number
}

/** The text of /proc/PID/smaps_rollup; undefined when it has no `Pss`. Bytes. */
export function parsePss(text: string): number | undefined {
  const kilobytes = /^Pss: +(\d+) kB$/m.exec(text)?.[1]
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024
}

/** @param folder processes that work inside this folder count as descendants too */
export function readFamilyMemory(root: number, folder?: string): FamilyMemory | undefined {
  const bytes = { hop: 0, database: 0, stub: 0 }
  for (const [pid, times] of familyOf(root, folder) ?? []) {
    const own = readPss(pid)
    if (own === undefined) return undefined
    bytes[partOf(times)] += own
  }
  return bytes.hop === 0 ? undefined : { hop: bytes.hop, database: bytes.database }
}

/** Nothing for a process that ended meanwhile; undefined for one that may not be looked at, since a sum without it is too low. */
function readPss(pid: number): number | undefined {
  try {
    return parsePss(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? 0
  } catch (thrown) {
    const isForbidden = ['EACCES', 'EPERM'].includes((thrown as NodeJS.ErrnoException).code ?? '')
    return isForbidden ? undefined : 0
  }
}
