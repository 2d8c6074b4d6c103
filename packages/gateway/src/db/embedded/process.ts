/**
 * Ends a child process when this process ends, even by SIGKILL. The child's standard input is a pipe from this process: a small
 * watcher waits for that pipe to close and then interrupts the child, for which PostgreSQL shuts down fast and clean. The child
 * is in a session of its own, so Ctrl-C in the terminal reaches this process and not the child.
 *
 * The shell starts the watcher twice removed, so that PostgreSQL does not wait for it as for a child, and then becomes the
 * program: the pid is the program's.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import type { Account } from './account.ts'
import { cleanEnvironment } from './binaries.ts'

const guard = `exec 3<&0 </dev/null
( ( read -r _ <&3; kill -INT $$ ) >/dev/null 2>&1 & )
exec 3<&-
exec "$@"`

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

/** Starts a program under guard. Its output goes to `output`: an open file, or a pipe. */
export function startGuarded(account: Account, command: readonly string[], output: number | 'pipe') {
  const [program = '', ...args] = account.wrap(['/bin/sh', '-c', guard, 'sh', ...command])
  const child: ChildProcess = spawn(program, args, {
    ...account.become,
    cwd: '/',
    env: cleanEnvironment,
    detached: true,
    stdio: ['pipe', output, output],
  })
  child.stdin?.on('error', () => {}) // the pipe is only there to close
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      child.stdin?.destroy()
      resolve({ code, signal })
    })
  })
  exited.catch(() => {}) // whoever awaits it hears of it
  return { child, exited }
}

/** Runs a program to its end; throws with the last lines it said. */
export async function runGuarded(account: Account, command: readonly string[]): Promise<void> {
  const { child, exited } = startGuarded(account, command, 'pipe')
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-2_000)))
  }
  const { code, signal } = await exited
  if (code !== 0) throw new Error(`${command[0]} ended with ${signal ?? `code ${code}`}: ${text.trim()}`)
}
