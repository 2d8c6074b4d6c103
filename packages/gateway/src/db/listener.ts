/**
 * Receives NOTIFY on a connection of its own that reconnects by itself. Notifications sent while it was disconnected are lost, so
 * it reports `reconnected` and the listener reloads everything. It never gives up before it is closed, and a callback that throws
 * does not end it.
 *
 * Needs a direct connection (`DbParts.direct`): a transaction-pooling proxy does not carry LISTEN.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { backoff } from '@toolway/protocol/retry'
import pg from 'pg'
import type { Log } from '../lib/log.ts'
import { ALIVE } from './alive-lock.ts'

export type Notice = { kind: 'payload'; payload: string } | { kind: 'reconnected' }

export interface Listener {
  /** Resolves once each notification that was committed before is heard. Rejects where the connection is lost. */
  heard(): Promise<void>
  close(): Promise<void>
}

export interface ListenerParts {
  connection: pg.ClientConfig
  channel: string
  onNotice: (notice: Notice) => void
  /** A name that counts as alive for as long as this listens: others ask `isAlive`. */
  alive?: string
  log?: Log
}

/** Milliseconds between attempts to reconnect. */
const BACKOFF = { first: 100, most: 5_000 }
/** A network that swallows packets ends no connection: ask now and then, and take silence for an end. */
const heartbeat = { every: 15_000, patience: 5_000 }

export async function createListener({ connection, channel, onNotice, alive, log }: ListenerParts): Promise<Listener> {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(channel)) throw new TypeError('a channel is a lower case SQL name')
  const closed = new AbortController()

  const notifyListener = (notice: Notice) => {
    try {
      onNotice(notice)
    } catch (error) {
      log?.error({ error, channel }, 'a database notification listener failed')
    }
  }

  const open = async () => {
    const client = new pg.Client({
      ...connection,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      query_timeout: heartbeat.patience,
    })
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    client.on('error', (error) => log?.warn({ error: error.message, channel }, 'the listening connection was lost'))
    client.on('notification', ({ payload }) => notifyListener({ kind: 'payload', payload: payload ?? '' }))
    try {
      await client.connect()
      await client.query(`listen "${channel}"`)
      // Shared, so that a connection which the server does not know to be gone yet keeps no new one from it.
      if (alive !== undefined) await client.query('select pg_advisory_lock_shared($1, hashtext($2))', [ALIVE, alive])
    } catch (thrown) {
      await client.end().catch(() => {})
      throw thrown
    }
    return { client, ended: ended.finally(beat(client)) }
  }

  /** With full jitter, so that many replicas do not come back in one wave. */
  const reconnect = async () => {
    for (let attempt = 0; !closed.signal.aborted; attempt++) {
      await sleep(backoff(BACKOFF, attempt + 1, Math.random()), undefined, { signal: closed.signal })
      try {
        return await open()
      } catch (error) {
        log?.warn(
          { error: error instanceof Error ? error.message : String(error), channel },
          'the database listener could not reconnect',
        )
      }
    }
    throw new Error('closed')
  }

  let current = await open()
  const keepOpen = async () => {
    for (;;) {
      await current.ended
      if (closed.signal.aborted) return
      current = await reconnect()
      if (closed.signal.aborted) return current.client.end()
      notifyListener({ kind: 'reconnected' })
    }
  }
  const done = keepOpen().catch(() => {}) // rejects only when closed while it waits to come back

  return {
    // A server process sends the notifications that wait for it no later than the end of the next query of its connection.
    heard: async () => void (await current.client.query('select 1')),
    async close() {
      closed.abort()
      // Over a dead network even the goodbye may hang; the socket is nobody's any more then.
      await Promise.race([
        Promise.all([current.client.end().catch(() => {}), done]),
        sleep(2_000, undefined, { ref: false }),
      ])
    },
  }
}

/** Returns what stops it. */
function beat(client: pg.Client): () => void {
  const timer = setInterval(() => {
    client.query('select 1').catch(() => client.end().catch(() => {}))
  }, heartbeat.every)
  timer.unref()
  return () => clearInterval(timer)
}
