/** Reloads the ring of vault keys in a running gateway: on notification, one reload at a time. Failures are reported. */
import { hostname } from 'node:os'
import { z } from 'zod'
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import type { BoundRing } from './ring.ts'

export interface VaultReloadParts {
  readonly db: Db
  readonly reload: (() => Promise<BoundRing>) | undefined
  readonly log: Log
}

const Said = z.object({ said: z.string() })

/** A gateway's answer when the database names a key that it does not have: `toolway vault rotate` waits for it. */
export const Lack = z.object({ vault: z.object({ lacks: z.array(z.string()), gateway: z.string() }) })

export function createVaultReload({ db, reload, log }: VaultReloadParts): () => Promise<void> {
  let running = false
  let again = false

  async function once(): Promise<void> {
    if (reload === undefined) return
    const { keys, missing } = await reload()
    log.info({ key: keys[0].id, keys: keys.length }, 'vault keys are loaded')
    if (missing.length === 0) return
    log.error({ missing }, 'this gateway lacks a vault key that the database refers to')
    await tellLack(missing)
  }

  const tellLack = (lacks: readonly string[]) => {
    const payload = JSON.stringify({ vault: { lacks, gateway: `${hostname()}, process ${process.pid}` } })
    return db.system((sql) => sql(Said)`select pg_notify('toolway_vault', ${payload})::text as said`)
  }

  return async () => {
    again = true
    if (running) return
    running = true
    try {
      while (again) {
        again = false
        await once()
      }
    } catch (thrown) {
      log.error({ err: thrown }, 'the vault keys could not be reloaded; the previous ones stay in use')
    } finally {
      running = false
    }
  }
}
