/**
 * The life of one process in the worker: spawned as the leader of its own group, read, written, ended with all it
 * started, reported as gone once and last. However it goes, the same ladder sweeps its group. It uses no shell and
 * passes on nothing but the environment it is handed.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ChildError } from '../child-error.ts'
import { joinBridge } from '../sandbox/network-bridge.ts'
import type { Ending, ExitReason } from '../frame.ts'
import { endGroup, PATIENCE, signalGroup } from '../group.ts'
import { readStderr } from './child-stderr.ts'
import { openContents } from './passed-files.ts'
import { writeStdin } from './child-stdin.ts'
import { readStdout } from './child-stdout.ts'
import { errorInNpmLog } from './npm-log.ts'
import type { MemoryWatch } from './memory-watch.ts'
import type { ProcessReaper } from './process-reaper.ts'

/** Output that nobody takes is given up this long after the process is gone, in milliseconds. */
const UNREAD_MS = 2_000

export interface Report {
  line(bytes: Buffer): void
  stderr(lines: string[]): void
  taken(weight: number): void
  deaf(): void
  exited(ending: Ending): void
  congested(): boolean
}

export interface ProcessParts {
  file: string
  args: string[]
  cwd: string
  /** all the child gets */
  environment: Record<string, string>
  /** hides the secrets that it was given in what it prints */
  mask: (text: string) => string
  /** Its npm cache inside its folder, where npm logs why it could not fetch a program. */
  npm: string
  /** Clears away after it, before its end is reported. */
  gone: () => Promise<void>
  lineLimit: number
  memoryLimit: number
  /** Processes and threads together; not set: no bound. */
  processLimit?: number
  /** Contents that it reads at its further file descriptors. */
  fds?: readonly Uint8Array[]
  /** Unix socket that its listener is joined to. */
  bridge?: string
  /** Reports once that its folders are over their limit; returns how to stop looking. */
  watchDisk?: (tooMuch: () => void) => () => void
  reaper: ProcessReaper
  memory: MemoryWatch
  report: Report
}

export type Process = Awaited<ReturnType<typeof startProcess>>

/** Spawns, and registers the group before anything else happens. Throws ChildError START_FAILED. */
async function bear(parts: ProcessParts): Promise<{ child: ChildProcessWithoutNullStreams; group: number }> {
  const passed = openContents(parts.fds ?? [])
  try {
    const { cwd, environment: env, bridge } = parts
    const stdio = ['pipe', 'pipe', 'pipe', ...(bridge === undefined ? [] : ['ipc' as const]), ...passed.fds] as const
    const child = spawn(parts.file, parts.args, {
      ...{ cwd, env, detached: true, shell: false, stdio: [...stdio] },
    }) as ChildProcessWithoutNullStreams
    if (child.pid === undefined) await once(child, 'spawn') // throws what 'error' brings
    const group = child.pid as number
    parts.reaper.add(group)
    return { child, group }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new ChildError('START_FAILED', `The system could not start it (${code}).`, { cause })
  } finally {
    passed.close()
  }
}

export async function startProcess(parts: ProcessParts) {
  const { report, reaper, memory, lineLimit, memoryLimit } = parts
  // The clock of a file system may be coarse: a log of this start is never older than a second before it.
  const since = Date.now() - 1_000
  const { child, group } = await bear(parts)
  let reason: ExitReason = 'ENDED'
  let ending: Promise<unknown> | undefined
  const died = new Promise<Pick<Ending, 'code' | 'signal'>>((tell) => {
    child.once('exit', (code, signal) => tell({ code, signal }))
  })
  // Not the event 'close' of the process: it does not come where its channel was disconnected by us.
  const closed = Promise.all(
    [child.stdout, child.stderr].map((stream) => new Promise<void>((tell) => stream.once('close', () => tell()))),
  )
  child.on('error', () => undefined) // a signal that could not be sent; the ladder looks for itself

  const stdin = writeStdin({ stdin: child.stdin, taken: report.taken, deaf: report.deaf })
  const stderr = readStderr({
    stderr: child.stderr,
    mask: parts.mask,
    send: report.stderr,
    congested: report.congested,
  })
  const end = (why: ExitReason, close: number) => {
    if (ending) return
    reason = why
    stdin.end()
    ending = endGroup(group, { ...PATIENCE, close })
  }
  const stdout = readStdout({
    stdout: child.stdout,
    lineLimit,
    line: report.line,
    tooLong: () => end('LINE_TOO_LONG', 0),
  })
  memory.add(group, { bytes: memoryLimit, processes: parts.processLimit }, (what) =>
    end(what === 'memory' ? 'TOO_MUCH_MEMORY' : 'TOO_MANY_PROCESSES', 0),
  )
  const leaveDisk = parts.watchDisk?.(() => end('TOO_MUCH_DISK', 0))
  const leaveBridge = parts.bridge === undefined ? undefined : joinBridge(child, parts.bridge)

  /** After the process: its group, then what it left in the pipes, then the report. */
  async function bury(): Promise<void> {
    const { code, signal } = await died
    memory.forget(group)
    leaveDisk?.()
    leaveBridge?.()
    end('ENDED', 0)
    await ending
    await whenDrained(closed, stdout.lastProgress)
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    stderr.endLine()
    if (!stdout.hasSpoken() && !stderr.hasNamedError()) stderr.say((await errorInNpmLog(parts.npm, since)) ?? '')
    stderr.finish()
    reaper.remove(group)
    await parts.gone()
    report.exited({ code, signal, reason })
  }

  return {
    pid: group,
    write: stdin.write,
    taken: stdout.taken,
    /** Closes stdin and climbs the ladder. The report `exited` tells when it is over. */
    stop: () => end('STOPPED', PATIENCE.close),
    /** The gateway is gone: a polite signal now, the last one comes from the worker. */
    interrupt() {
      stdin.destroy()
      signalGroup(group, 'SIGTERM')
    },
    kill: () => signalGroup(group, 'SIGKILL'),
    buried: bury(),
  }
}

/** Waits for the end of the pipes as long as something still moves in them. */
async function whenDrained(closed: Promise<unknown>, lastProgress: () => number): Promise<void> {
  let open = true
  void closed.then(() => (open = false))
  const since = performance.now()
  while (open && performance.now() - Math.max(since, lastProgress()) < UNREAD_MS) {
    await Promise.race([closed, sleep(100)])
  }
}
