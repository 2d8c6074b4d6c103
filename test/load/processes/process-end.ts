/**
 * Ends a process with everything it started.
 *
 * Sends a request to end, waits, then kills; processes that left the process tree are found by their working folder (PostgreSQL
 * in its data folder). Signals only processes that this run started. Never returns while one of them is alive, except one that
 * the kernel itself cannot end.
 */
import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesIn } from './process-cpu.ts'

const POLITE_MS = 10_000
const STEP_MS = 100

/** @param child leader of its own process group; @param exited when it did; @param folder where stragglers work */
export async function endProcess(child: ChildProcess, exited: Promise<void>, folder: string): Promise<void> {
  child.kill('SIGTERM')
  if (!(await within(POLITE_MS, exited))) {
    // Still the same process, or `exited` would have resolved: its number cannot belong to another one.
    if (child.pid !== undefined) signalTo(-child.pid, 'SIGKILL')
    await within(POLITE_MS, exited)
  }
  // A database whose parent is gone shuts itself down: it gets two seconds, then is told to, then made to.
  for (const signal of [undefined, 'SIGINT', 'SIGKILL'] as const) {
    if (signal !== undefined) for (const straggler of processesIn(folder)) signalTo(straggler, signal)
    for (let waited = 0; waited < 2000 && processesIn(folder).length > 0; waited += STEP_MS) await sleep(STEP_MS)
  }
}

async function within(ms: number, exited: Promise<void>): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const inTime = await Promise.race([exited.then(() => true), late])
  timer.abort()
  return inTime
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended just now, which is what was wanted.
  }
}
