/**
 * A server as a process of its own: one JSON message per line on its standard streams. It gets no variable of this process but those that
 * programs need to run, so that no key reaches it, and it ends with this process.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { WholeLines } from '../../whole-lines.ts'

export interface ChildPipe {
  send(text: string): Promise<void>
  /** Settles when the process is gone, with how it went: `cannot be started (ENOENT)`, `ended (code 1)`. */
  readonly ended: Promise<string>
  close(): void
}

interface ChildPipeParts {
  /** The variables of this process. */
  readonly environment: Readonly<Record<string, string | undefined>>
  onText(text: string): void
  onEnd(): void
}

/** Bytes of one message. */
const MOST_MESSAGE_BYTES = 32 * 1024 * 1024

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
  [program, ...value]: readonly [string, ...string[]],
  { environment, onText, onEnd }: ChildPipeParts,
): ChildPipe {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => INHERITED.includes(name)))
  const child = spawn(program, value, { env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
  const end = () => void child.kill()
  process.once('exit', end)
  const { promise: ended, resolve } = Promise.withResolvers<string>()
  let isOver = false
  const endChild = (how: string) => {
    if (isOver) return
    isOver = true
    process.off('exit', end)
    resolve(how)
    onEnd()
  }
  child.once('error', (error: NodeJS.ErrnoException) => endChild(`cannot be started (${error.code ?? error.name})`))
  child.once('exit', (code, signal) => endChild(`ended (${code === null ? String(signal) : `code ${code}`})`))
  child.stdin.on('error', () => {})
  const lines = child.stdout.pipe(new WholeLines(MOST_MESSAGE_BYTES))
  // A process that sends without an end is none that can be talked to.
  lines.once('error', () => {
    child.kill('SIGKILL')
    endChild(`sent a message of more than ${MOST_MESSAGE_BYTES} bytes`)
  })
  createInterface({ input: lines, crlfDelay: Infinity })
    .on('line', onText)
    // It passes on the errors of its input.
    .on('error', () => {})
  return {
    ended,
    send: (text) =>
      new Promise((resolve, reject) => {
        child.stdin.write(`${text}\n`, (error) => (error == null ? resolve() : reject(error)))
      }),
    close: end,
  }
}
