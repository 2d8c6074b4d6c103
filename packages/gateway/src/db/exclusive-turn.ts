/**
 * One at a time of all gateways on a database, for work of many transactions, such as a first start. The lock belongs to a connection
 * of its own, so that it ends with the process whatever happens. It needs a direct connection, as migrations do.
 *
 * It is asked for again and again: a statement that waits would be a transaction that stays open.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { unreachableOf } from './driver-errors.ts'

export interface Turn extends AsyncDisposable {
  /** May be called twice. */
  end(): Promise<void>
}

/** Milliseconds. */
const EVERY_MS = 100

/** The advisory lock of gateways that start. */
export const START_LOCK = 8_665_936

/** Resolves once it is held. Throws DatabaseUnreachable. */
export async function takeTurn(connection: pg.ClientConfig, lock: number): Promise<Turn> {
  const client = new pg.Client({ ...connection, application_name: 'toolway start', keepAlive: true })
  client.on('error', () => {})
  const end = () => client.end().catch(() => {})
  try {
    await client.connect()
    for (;;) {
      const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [lock])
      if (rows[0]?.free === true) return { end, [Symbol.asyncDispose]: end }
      await sleep(EVERY_MS)
    }
  } catch (thrown) {
    await end()
    throw unreachableOf(thrown, 'nothing') ?? thrown
  }
}
