/**
 * The one process the gateway starts for the sake of children: its worker. Frames go in and out; its end is noticed
 * whatever the cause, told once, and its words on stderr go to the log. It gets no environment at all: a child could
 * read the worker's from /proc.
 */
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createFrameReader, type Frame } from './frame.ts'
import { compileCacheFolder } from '../../lib/keep-compiled.ts'
import type { Log } from '../../lib/log.ts'

const ENTRY = fileURLToPath(new URL('./worker.ts', import.meta.url))
/** A worker without children ends at once when the link closes; after this it is killed, in milliseconds. */
const END_MS = 3_000

export interface WorkerParts {
  log: Log
  frame: (frame: Frame) => void
  /** The process is dead; what it reported before may still come. */
  dead: () => void
  /** Nothing comes any more. */
  gone: (how: { code: number | null; signal: NodeJS.Signals | null }) => void
}

export type WorkerProcess = ReturnType<typeof startWorker>

export function startWorker({ log, frame, dead, gone }: WorkerParts) {
  const compiled = compileCacheFolder()
  const worker = spawn(process.execPath, [ENTRY, ...(compiled === undefined ? [] : [compiled])], {
    // A group of its own: Ctrl-C in a terminal is for the gateway, which then ends the children in order.
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const link = worker.stdio[3] as Socket
  const kill = () => void worker.kill('SIGKILL')
  const read = createFrameReader(frame)
  link.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (thrown) {
      log.error({ worker: worker.pid, err: thrown }, 'the worker for the stdio servers sent an invalid frame')
      kill()
    }
  })
  // A worker without a link is of no use, and a link that breaks is its end or ours.
  link.on('error', () => link.destroy())
  link.on('close', () => void setTimeout(kill, END_MS).unref())
  if (worker.stderr) {
    createInterface({ input: worker.stderr }).on('line', (line) =>
      log.error({ worker: worker.pid }, `worker: ${line.slice(0, 2_000)}`),
    )
  }
  log.debug({ worker: worker.pid }, 'the worker for the stdio servers has started')
  worker.once('exit', dead)
  // 'close' follows an 'error' too when there was no process to begin with.
  worker.on('error', (thrown) => log.error({ err: thrown }, 'the worker for the stdio servers could not be started'))
  const closed = new Promise<void>((tell) => {
    worker.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
      gone({ code, signal })
      tell()
    })
  })

  return {
    pid: worker.pid,
    send: (bytes: Buffer) => void (link.writable && link.write(bytes)),
    /** Resolves when the process is gone: with the end of the link it ends itself. */
    async end(): Promise<void> {
      link.end()
      const timer = setTimeout(kill, END_MS)
      await closed
      clearTimeout(timer)
    },
    kill,
  }
}
