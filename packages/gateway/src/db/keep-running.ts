/**
 * Restarts the embedded server when it ends by itself, killed by the system when memory is short or by hand, with growing pauses
 * for as long as that fails. Its socket stays where it was, so clients reconnect without notification. It never starts a second
 * server beside another: PostgreSQL's own lock decides that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import type { EmbeddedPostgres } from './embedded-postgres.ts'

type Server = Pick<EmbeddedPostgres, 'connection' | 'stop' | 'onExit'>

export interface KeepRunningParts {
  /** The one that runs now. */
  readonly first: Server
  start(): Promise<Server>
  readonly log: Pick<Log, 'warn' | 'error'>
}

const AGAIN = { first: 250, most: 30_000 }

/** `stop` ends it for good; it resolves when the server has ended. */
export function keepRunning({ first, start, log }: KeepRunningParts): Pick<Server, 'connection' | 'stop'> {
  const stopping = new AbortController()
  let current: Server | undefined
  let starting: Promise<void> = Promise.resolve()

  function watch(server: Server): void {
    current = server
    server.onExit(() => {
      current = undefined
      starting = startAgain()
    })
  }

  async function startAgain(): Promise<void> {
    for (let pause = AGAIN.first; !stopping.signal.aborted; pause = Math.min(pause * 2, AGAIN.most)) {
      await sleep(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      if (stopping.signal.aborted) return
      try {
        watch(await start())
        return log.warn({}, 'the embedded PostgreSQL is back')
      } catch (thrown) {
        log.error({ err: thrown }, 'the embedded PostgreSQL cannot be restarted; retrying')
      }
    }
  }

  watch(first)
  return {
    connection: first.connection,
    async stop() {
      stopping.abort()
      await starting
      await current?.stop()
    },
  }
}
