/**
 * Counts the system calls of a process by their names, with those that write to one folder apart.
 *
 * By strace, attached to a process that runs, with all its threads. It makes every system call many times slower, so no time of
 * such a round means anything; the count does not change. Where strace is missing or may not attach, it says so.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'

export interface SystemCalls {
  readonly total: number
  readonly byName: Readonly<Record<string, number>>
  /** Writes into files of the folder. */
  readonly intoFolder: number
}

const ATTACH_LIMIT_MS = 20_000
/** `1234 write(19</a/file>, ""..., 3) = 3`; the descriptor and its path only where the first argument is one. */
const LINE = /^\d+ +(\w+)\((?:\d+<([^>]*)>)?/
const WRITES = new Set(['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2'])

/**
 * Reads the output of `strace -f -y`. A call that another thread interrupts has two lines and is counted at the first; a call
 * that was under way when strace came is not counted.
 */
export function readTrace(text: string, folder: string | undefined): SystemCalls {
  const byName: Record<string, number> = {}
  let intoFolder = 0
  for (const line of text.split('\n')) {
    const [, name, path] = LINE.exec(line) ?? []
    if (name === undefined || name === 'restart_syscall' || line.includes('<... resuming interrupted')) continue
    byName[name] = (byName[name] ?? 0) + 1
    if (folder !== undefined && WRITES.has(name) && path?.startsWith(folder + sep) === true) intoFolder++
  }
  return { total: Object.values(byName).reduce((sum, count) => sum + count, 0), byName, intoFolder }
}

/** The reason why system calls cannot be counted here; undefined when they can. */
export function whyNoTrace(): string | undefined {
  if (process.platform !== 'linux') return 'this system is not Linux'
  return spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0 ? undefined : 'strace is not installed'
}

/** Resolves once strace sees all calls of the process; the function it returns ends that. Rejects when it may not attach. */
export async function traceSystemCalls(pid: number, folder?: string): Promise<() => Promise<SystemCalls>> {
  const place = mkdtempSync(join(tmpdir(), 'toolway-trace-'))
  const out = join(place, 'calls')
  const child = spawn('strace', ['-f', '-y', '-s', '0', '-o', out, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
  let said = ''
  const attached = new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes(`Process ${pid} attached`)) resolve()
    })
  })
  const late = new Promise<void>((resolve) => void setTimeout(resolve, ATTACH_LIMIT_MS).unref())
  await Promise.race([attached, ended, late])
  const finish = async () => {
    // strace lets go of the process when it is interrupted, and it goes on.
    child.kill('SIGINT')
    await ended
    const text = said.includes('attached') ? readFileSync(out, 'utf8') : ''
    rmSync(place, { recursive: true, force: true })
    // strace names files by their real paths.
    return readTrace(text, folder === undefined ? undefined : realpathSync(folder))
  }
  if (said.includes(`Process ${pid} attached`)) return finish
  await finish()
  throw new Error(`strace does not attach: ${said.trim().slice(0, 200)}`)
}
