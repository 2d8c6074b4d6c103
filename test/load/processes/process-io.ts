/**
 * Reads how often a process asked the kernel to read and to write: files, pipes and sockets by read(2), write(2), writev(2) and
 * the like, as /proc/<pid>/io counts them (proc_pid_io(5)). Free of cost for the process, so it is read in timed rounds too.
 * It leaves out recv(2), send(2) and all calls that move no bytes.
 */
import { readFileSync } from 'node:fs'

export interface Io {
  readonly reads: number
  readonly writes: number
}

/** The text of /proc/<pid>/io; undefined when it has no counts. */
export function parseIo(text: string): Io | undefined {
  const count = (name: string) => new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]
  const [reads, writes] = [count('syscr'), count('syscw')]
  return reads === undefined || writes === undefined ? undefined : { reads: Number(reads), writes: Number(writes) }
}

/** Since the process started; undefined where it is gone, may not be looked at, or there is no /proc. */
export function readIo(pid: number): Io | undefined {
  try {
    return parseIo(readFileSync(`/proc/${pid}/io`, 'utf8'))
  } catch {
    return undefined
  }
}
