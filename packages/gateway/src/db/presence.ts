/**
 * Whether the database can be used, and since when not. It looks on a connection of its own, so that a pool whose connections
 * are all taken does not count as a database that is away, and it hears how the transactions of the pool end.
 *
 * Callers ask it how long memory has to serve alone; it decides nothing itself.
 */
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { unreachableOf } from './driver-errors.ts'
import { DatabaseUnreachable } from './unreachable.ts'

export interface Presence {
  /** Milliseconds since the database was last of use; 0 while it is. */
  awayFor(): number
  /** One look, for whoever asks at the same time. Resolves when it answers within two seconds, else throws DatabaseUnreachable. */
  look(): Promise<void>
  /** Look every few seconds until it is closed. */
  watch(): void
  /** A transaction ended in a commit or in a refusal of its own. */
  worked(): void
  /** A transaction could not be carried out. */
  failed(fault: DatabaseUnreachable): void
  close(): Promise<void>
}

export interface PresenceParts {
  readonly connection: pg.ClientConfig
  /** Whether the pool serves within so many milliseconds; asked only after it has failed. */
  tryPool(within: number): Promise<unknown>
  readonly log: Log | undefined
}

/** Milliseconds. */
const PATIENCE = 2_000
const EVERY = { well: 5_000, away: 1_000 }

export function createPresence({ connection, tryPool, log }: PresenceParts): Presence {
  let client: pg.Client | undefined
  let looking: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let lastGood = performance.now()
  let problem: DatabaseUnreachable | undefined

  function worked(): void {
    const away = awayFor()
    lastGood = performance.now()
    if (problem === undefined) return
    problem = undefined
    if (away > PATIENCE) log?.info({ seconds: Math.round(away / 1000) }, 'the database responds again')
  }

  function failed(fault: DatabaseUnreachable): void {
    if (problem === undefined)
      log?.warn({ problem: fault.message, reason: fault.reason }, 'the database cannot be used')
    problem ??= fault
  }

  const awayFor = () => (problem === undefined ? 0 : performance.now() - lastGood)

  async function open(): Promise<pg.Client> {
    const own = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
    })
    const drop = () => {
      if (client === own) client = undefined
    }
    // Without an ear for it, the error of a broken connection ends the process.
    own.on('error', drop).on('end', drop)
    await own.connect()
    if (closed) await own.end()
    return (client = own)
  }

  async function lookNow(): Promise<void> {
    let own = client
    try {
      own ??= await open()
      await own.query('select 1')
      if (problem !== undefined) await tryPool(PATIENCE)
      worked()
    } catch (thrown) {
      if (client === own) client = undefined
      own?.end().catch(() => {})
      const fault = unreachableOf(thrown, 'nothing') ?? new DatabaseUnreachable('nothing', thrown)
      if (!closed) failed(fault)
      throw fault
    }
  }
  const look = () => (looking ??= lookNow().finally(() => (looking = undefined)))

  function watch(): void {
    if (closed || timer !== undefined) return
    const again = () => {
      timer = undefined
      watch()
    }
    timer = setTimeout(() => void look().then(again, again), problem === undefined ? EVERY.well : EVERY.away)
    timer.unref()
  }

  return {
    awayFor,
    look,
    watch,
    worked,
    failed,
    async close() {
      closed = true
      clearTimeout(timer)
      await looking?.catch(() => {})
      await client?.end().catch(() => {})
    },
  }
}
