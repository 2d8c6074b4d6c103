/**
 * Reports a server that takes long to start: a log line every five seconds with its last line on stderr, and a warning when it
 * has not answered in time and its slot is given to the next. It never ends the server: its owner decides that.
 */
import type { Log } from '../../lib/log.ts'

export interface WatchParts {
  log: Log
  name: string
  /** The command as it may be shown. */
  words: string
  progressMs: number
  readyMs: number
  lastStderr: () => string | undefined
  /** The time is over; called once at most. */
  onReadyTimeout: () => void
}

export interface StartWatch {
  /** It got its place and is being started: now its time counts. */
  begin(): void
  end(): void
}

export function watchStart({
  log,
  name,
  words,
  progressMs,
  readyMs,
  lastStderr,
  onReadyTimeout,
}: WatchParts): StartWatch {
  const since = performance.now()
  let state = 'waiting to start'
  let timer: NodeJS.Timeout | undefined
  const seconds = () => Math.round((performance.now() - since) / 1000)
  const progress = setInterval(() => {
    log.info({ child: name, seconds: seconds(), stderr: lastStderr() }, `still ${state}: ${words} (${seconds()} s)`)
  }, progressMs)
  const end = () => {
    clearInterval(progress)
    clearTimeout(timer)
  }
  return {
    begin() {
      state = 'starting'
      timer = setTimeout(() => {
        end()
        log.warn(
          { child: name, seconds: seconds(), stderr: lastStderr() },
          `no answer yet, others may start now: ${words}`,
        )
        onReadyTimeout()
      }, readyMs)
    },
    end,
  }
}
