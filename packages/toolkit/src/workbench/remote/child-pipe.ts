/**
 * A server as a process of its own: one JSON message per line on its standard streams. It gets no variable of this process but those that
 * programs need to run, so that no key reaches it, and it ends with this process.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export interface ChildPipe {
  send(text: string): Promise<void>
  close(): void
}

interface ChildPipeParts {
  /** The variables of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  onText(text: string): void
  onEnd(): void
}

const INHERITED = [
  ...['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'],
  ...[
    'APPDATA',
    'COMSPEC',
    'HOMEDRIVE',
    'HOMEPATH',
    'LOCALAPPDATA',
    'PATHEXT',
    'SYSTEMDRIVE',
    'SYSTEMROOT',
    'TEMP',
    'TMP',
    'USERPROFILE',
  ],
]

export function openChildPipe(
  [program, ...given]: readonly [string, ...string[]],
  { environment, onText, onEnd }: ChildPipeParts,
): ChildPipe {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED.includes(name)))
  const child = spawn(program, given, { env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
  const end = () => void child.kill()
  process.once('exit', end)
  let isOver = false
  const over = () => {
    if (isOver) return
    isOver = true
    process.off('exit', end)
    onEnd()
  }
  child.once('error', over)
  child.once('exit', over)
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout, crlfDelay: Infinity }).on('line', onText)
  return {
    send: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(`${text}\n`, (error) => (error == null ? resolve() : reject(error)))
      }),
    close: end,
  }
}
