/**
 * Tells the database every 15 seconds that this gateway runs, so that administrators of the platform see all gateways and their versions.
 *
 * Nothing depends on the row: it decides neither who does a job nor whether a gateway is alive.
 */
import type { Log } from '../../lib/log.ts'

export interface KeepGatewayParts {
  store(): Promise<unknown>
  remove(): Promise<unknown>
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds. */
  readonly every: number
}

export function createKeepGateway({ store, remove, log, every }: KeepGatewayParts): { close(): Promise<void> } {
  let writing: Promise<unknown> = Promise.resolve()
  const warn = (thrown: unknown) =>
    log.warn({ err: thrown }, 'the list of running gateways could not be updated; retrying')
  const storeInTurn = () => (writing = writing.then(store).catch(warn))
  void storeInTurn()
  const rounds = setInterval(() => void storeInTurn(), every)
  rounds.unref()
  return {
    async close() {
      clearInterval(rounds)
      await writing.then(remove).catch(warn)
    },
  }
}
