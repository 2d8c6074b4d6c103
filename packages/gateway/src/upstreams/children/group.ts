/**
 * Ends a process together with all processes it started. Each child leads a process group of its own (setsid), and signals go to
 * the group, so a server behind `npx` or `sh -c` ends with them. It never signals group 0 or 1, which would mean the gateway's
 * own group or all processes. A process that leaves its group on purpose (setsid) ends with
 * its process namespace, where the sandbox gives it one.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 20

/** How long each step of an ending is given, in milliseconds. */
export interface Patience {
  /** from closed stdin to SIGTERM */
  close: number
  /** from SIGTERM to SIGKILL */
  term: number
  /** from SIGKILL until the group is given up: what is left then is dead but not yet reaped by its parent */
  kill: number
}

export const PATIENCE: Patience = { close: 500, term: 2_000, kill: 500 }

/** Sends a signal to all of a group (0 asks whether there is one). False when nobody is left. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  if (!Number.isSafeInteger(group) || group < 2) throw new RangeError(`${group} is not the group of a child`)
  try {
    process.kill(-group, signal)
    return true
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code
    if (code === 'ESRCH') return false
    if (code === 'EPERM') return true // somebody is there who changed user: not ours to signal
    throw thrown
  }
}

/**
 * Whether one of a group is more than a zombie: the first process of a namespace is reaped by the machine's init, which may take its time.
 * True where there is no process table to read.
 */
function hasLiving(group: number): boolean {
  if (process.platform !== 'linux') return true
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state, , own] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
      return Number(own) === group && state !== 'Z' && state !== 'X'
    } catch {
      return false // it ended while we looked
    }
  })
}

/** Waits until nobody of the group is left, `ms` at most. */
export async function groupGone(group: number, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (signalGroup(group, 0) && hasLiving(group)) {
    if (performance.now() >= end) return false
    await sleep(POLL_MS)
  }
  return true
}

/** The ladder: wait, SIGTERM, wait, SIGKILL. Returns false when members remain who cannot be ended (or are not reaped). */
export async function endGroup(group: number, patience: Patience): Promise<boolean> {
  if (await groupGone(group, patience.close)) return true
  signalGroup(group, 'SIGTERM')
  if (await groupGone(group, patience.term)) return true
  signalGroup(group, 'SIGKILL')
  return groupGone(group, patience.kill)
}
