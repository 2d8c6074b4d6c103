/**
 * Runs commands of `toolway` without a start of the program for each: processes that have loaded it take one command after another
 * (command-process.script.ts). A start is ten times the work of most commands. Each command is alone in its process while it runs.
 *
 * It is for commands of which a test looks at what they print, their codes and what they did. Tests of the process itself, of signals,
 * terminals and starts, begin a process of the program (`begin` of an installation).
 */
import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'

export interface CommandRequest {
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly folder: string
  readonly input: string
  /** What it writes to both streams after the command's last byte. */
  readonly mark: string
}

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const SCRIPT = join(import.meta.dirname, 'command-process.script.ts')

/** What Node, ICU and OpenSSL read when a process starts, before any program. */
const READ_AT_START = /^(?:NODE_|SSL_|LC_|LANGUAGE$|TZ$)/
export const needsOwnProcess = (settings: object): boolean =>
  Object.keys(settings).some((name) => READ_AT_START.test(name))

/** Processes without a command, by the module of the command line that they have loaded. They end with the tests' own process. */
const idle = new Map<string, ChildProcess[]>()

async function take(commands: string): Promise<ChildProcess> {
  for (let known = idle.get(commands)?.pop(); known !== undefined; known = idle.get(commands)?.pop())
    if (known.connected) return known
  const child = fork(SCRIPT, [commands], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] })
  // What waits for an answer is a test; an idle one holds up nobody.
  child.unref()
  child.channel?.unref()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    ;(stream as Socket).unref()
  }
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`${commands} could not be loaded.`)))
  await Promise.race([once(child, 'message'), ended])
  return child
}

function putBack(commands: string, child: ChildProcess): void {
  const others = idle.get(commands) ?? []
  idle.set(commands, [...others, child])
}

/** @param watch sees the process while it runs this command */
export async function runInCommandProcess(
  commands: string,
  request: Omit<CommandRequest, 'mark'>,
  watch: (child: ChildProcess) => () => void,
): Promise<Ran> {
  const child = await take(commands)
  const mark = `\n${randomBytes(16).toString('hex')}\n`
  const stopWatching = watch(child)
  const [out, err] = [readTo(mark, child.stdout), readTo(mark, child.stderr)]
  const over = new AbortController()
  const told = async (event: 'message' | 'close') =>
    (await once(child, event, { signal: over.signal }))[0] as number | null
  const closed = told('close')
  const answered = Promise.all([told('message'), out.ended, err.ended]).then(([code]) => code)
  try {
    child.send({ ...request, mark })
    const code = await Promise.race([answered, closed])
    if (child.connected) putBack(commands, child)
    return { code, out: out.text(), err: err.text() }
  } finally {
    stopWatching()
    for (const waiting of [closed, answered]) waiting.catch(() => {})
    over.abort()
    out.stop()
    err.stop()
  }
}

/** What a stream says until the mark, or until its end. */
function readTo(mark: string, stream: NodeJS.ReadableStream | null) {
  let text = ''
  const end = Promise.withResolvers<void>()
  const read = (chunk: string) => {
    text += chunk
    if (text.endsWith(mark)) end.resolve()
  }
  stream?.on('data', read)
  return {
    ended: end.promise,
    text: () => (text.endsWith(mark) ? text.slice(0, -mark.length) : text),
    stop: () => void stream?.removeListener('data', read),
  }
}
