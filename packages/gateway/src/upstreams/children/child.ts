/**
 * One stdio server as the gateway sees it: lines in, lines out, the last of its stderr, its end. The process itself
 * lives in the worker; this is the near end of the link. It never spawns, and it knows no MCP: a line is a line.
 */
import { ChildError } from './child-error.ts'
import { createInbox, type LineReader } from './child-inbox.ts'
import { createOutbox } from './child-outbox.ts'
import { decodeTaken, KIND, type Ending, type Frame, type Refusal, type Started } from './frame.ts'
import type { SandboxView } from './sandbox/closed-paths.ts'
import type { Withheld } from '../program-report.ts'
import { signalGroup } from './group.ts'
import type { Log } from '../../lib/log.ts'

const STDERR_LINES = 200
/** The worker needs 3 s at most to end a child; one that does not answer is not waited for, in milliseconds. */
const STOP_MS = 10_000
/** How long the worker may take to start a process; it says at once how that went, unless it hangs itself. Milliseconds. */
const START_MS = 30_000

/** How a child ended. `code` and `signal` are null when nobody saw it; `stderr` is its last 200 lines, masked. */
export interface Exit extends Ending {
  stderr: string[]
  withheld: Withheld
}

export interface Child {
  /** Process id, and the id of the process group that ends with it. */
  readonly pid: number
  /**
   * Writes one line, without its end. Resolves when more may be sent; await it to keep to the child's pace. Rejects with
   * ChildError INVALID_LINE, QUEUE_FULL (16 MiB are waiting) or CHILD_ENDED.
   */
  send(line: string): Promise<void>
  /** The one reader of its lines. Lines that came earlier are given at once; a promise holds back more output. */
  onLine(read: LineReader): void
  /** Called once when the process and its group are gone, after its last line; at once when that is past. */
  onExit(tell: (how: Exit) => void): void
  /** The last 200 lines of stderr, each cut at 2,000 characters, declared values replaced by `[NAME]`. */
  stderr(): string[]
  /** Paths and hosts that its sandbox kept from it, as far as is known by now. */
  withheld(): Withheld
  /** Paths that its sandbox shows; undefined where nothing is hidden from it. */
  view(): SandboxView | undefined
  /** Called whenever its sandbox keeps more from it. */
  onWithheld(tell: () => void): void
  /** It has answered: frees its place among those that are starting. */
  ready(): void
  /** Closes stdin, 500 ms later SIGTERM, 2 s later SIGKILL, always to the group. Resolves when it is gone. */
  stop(): Promise<void>
}

export interface NearEndParts {
  name: string
  log: Log
  /** Frames to the worker about this child. */
  tell: {
    line: (line: string) => void
    taken: (weight: number) => void
    stop: () => void
  }
  ready: () => void
  /** Sentences about the hosts that its proxy refused. */
  hosts?: () => readonly string[]
  onHosts?: (tell: () => void) => void
  /** Called with lines of stderr as they arrive. */
  words?: (lines: readonly string[]) => void
  /** Called once when there is nothing left to know about it. */
  over: (how: Exit | ChildError) => void
}

export type NearEnd = ReturnType<typeof createNearEnd>

/** Keeps how it ended, and tells all who asked, whether before or after. */
function createObituary(name: string, log: Log) {
  let known: Exit | undefined
  const listeners: ((how: Exit) => void)[] = []
  const tellListener = (listener: (how: Exit) => void, how: Exit) => {
    try {
      listener(how)
    } catch (thrown) {
      log.error({ child: name, err: thrown }, 'an exit listener of a stdio server failed')
    }
  }
  return {
    known: () => known,
    publish(how: Exit) {
      known = how
      for (const listener of listeners) tellListener(listener, how)
    },
    ask(listener: (how: Exit) => void) {
      if (known) tellListener(listener, known)
      else listeners.push(listener)
    },
  }
}

/** Resolves when it is gone. Where the worker does not end it in time, it is ended by force. */
const endBy = (obituary: ReturnType<typeof createObituary>, ask: () => void, force: () => void) =>
  new Promise<void>((done) => {
    obituary.ask(() => done())
    if (obituary.known()) return
    ask()
    const timer = setTimeout(force, STOP_MS)
    obituary.ask(() => clearTimeout(timer))
  })

function limitStart(started: Promise<unknown>, onLate: () => void): void {
  const timer = setTimeout(onLate, START_MS)
  const clear = () => clearTimeout(timer)
  started.then(clear, clear)
}

export function createNearEnd({ name, log, tell, ready, words, over, hosts, onHosts }: NearEndParts) {
  const inbox = createInbox({ name, log, taken: tell.taken })
  const outbox = createOutbox({ name, write: tell.line })
  const obituary = createObituary(name, log)
  const started = Promise.withResolvers<Child>()
  let pid: number | undefined
  let seen: Omit<Started, 'pid'> = { closedPaths: [] }
  let stderr: string[] = []
  const withheldNow = (): Withheld => ({ hosts: hosts?.() ?? [], paths: seen.closedPaths })

  const end = (ending: Ending) => {
    if (obituary.known()) return
    outbox.end(new ChildError('CHILD_ENDED', `${name} has ended.`))
    const how = { ...ending, stderr: [...stderr], withheld: withheldNow() }
    over(how)
    obituary.publish(how)
  }
  const refuse = (why: ChildError) => {
    started.reject(why)
    over(why)
    obituary.publish({ code: null, signal: null, reason: 'STOPPED', stderr: [], withheld: withheldNow() }) // for a `stop` that waits
  }
  const stop = () =>
    endBy(obituary, tell.stop, () => {
      log.error(
        { child: name, pid },
        'the worker did not end a stdio server; its process group is killed by the gateway',
      )
      if (pid !== undefined) signalGroup(pid, 'SIGKILL')
      end({ code: null, signal: 'SIGKILL', reason: 'STOPPED' })
    })
  limitStart(started.promise, () => {
    tell.stop()
    refuse(new ChildError('START_FAILED', `The worker process did not start ${name} within ${START_MS / 1000} s.`))
  })
  const childOf = (known: number): Child => ({
    pid: known,
    send: outbox.send,
    onLine: inbox.read,
    onExit: obituary.ask,
    stderr: () => [...stderr],
    withheld: withheldNow,
    view: () => seen.view,
    onWithheld: (listener) => onHosts?.(listener),
    ready,
    stop,
  })

  return {
    started: started.promise,
    pid: () => pid,
    stop,
    lastStderr: () => stderr.at(-1),
    take({ kind, body }: Frame): void {
      if (kind === KIND.line) inbox.take(body)
      else if (kind === KIND.taken) outbox.taken(decodeTaken(body))
      else if (kind === KIND.stderr) {
        const lines = JSON.parse(body.toString()) as string[]
        stderr = [...stderr, ...lines].slice(-STDERR_LINES)
        words?.(lines)
      } else if (kind === KIND.deaf) outbox.end(new ChildError('CHILD_ENDED', `${name} has closed its stdin.`))
      else if (kind === KIND.exited) end(JSON.parse(body.toString()) as Ending)
      else if (kind === KIND.started) {
        const { pid: known, ...rest } = JSON.parse(body.toString()) as Started
        pid = known
        seen = rest
        started.resolve(childOf(known))
      } else if (kind === KIND.refused) {
        const { code, message } = JSON.parse(body.toString()) as Refusal
        refuse(new ChildError(code as ChildError['code'], message))
      }
    },
    /** The worker is gone and this child with it. */
    lost(): void {
      if (pid === undefined)
        refuse(new ChildError('WORKER_LOST', `The worker process ended while ${name} was starting. Try again.`))
      else end({ code: null, signal: null, reason: 'WORKER_LOST' })
    },
  }
}
