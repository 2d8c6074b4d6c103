/**
 * Renews credentials before they expire, also unused ones, and notifies the users of one that cannot be renewed.
 *
 * Every gateway checks each minute; the lease in the database lets one of them renew, and one of them notify. A failure delays no
 * other credential. The renewal itself detects credentials that a user must repair.
 */
import type { CredentialId } from '@toolway/contract'
import type { DueRow } from '../../credentials/renewal.ts'
import type { Log } from '../../lib/log.ts'

export interface RenewCredentialsParts {
  /** Those whose time has come. */
  due(limit: number): Promise<readonly DueRow[]>
  renew(credential: DueRow): Promise<void>
  /** Tell of those that run out soon; how many there were. */
  warn(limit: number): Promise<number>
  /** Those that ran out and cannot renew themselves. */
  runOut(limit: number): Promise<readonly DueRow[]>
  lose(credential: { id: CredentialId; version: number }): Promise<unknown>
  readonly log: Pick<Log, 'warn'>
  /** Milliseconds. */
  readonly every?: number
}

export interface RenewCredentials {
  /** One look, now; several at once are one. */
  look(): Promise<void>
  close(): Promise<void>
}

const EVERY = 60_000
/** Of one look, and under way at the same time. */
const MOST = 500
const AT_ONCE = 8

export function createRenewCredentials(parts: RenewCredentialsParts): RenewCredentials {
  const { due, renew, warn, runOut, lose, log, every = EVERY } = parts
  let under: Promise<void> | undefined
  let closed = false

  async function renewAll(): Promise<void> {
    const waiting = [...(await due(MOST))]
    const worker = async () => {
      for (let credential = waiting.shift(); credential !== undefined && !closed; credential = waiting.shift())
        // Its own failure is told where it happens.
        await renew(credential).catch(() => {})
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
  }

  async function run(): Promise<void> {
    try {
      await warn(MOST)
      for (const item of await runOut(MOST)) await lose(item)
      await renewAll()
    } catch (thrown) {
      log.warn({ err: thrown }, 'credentials could not be checked for renewal; retrying')
    }
  }

  const renewDue = () => (under ??= run().finally(() => (under = undefined)))
  const timer = setInterval(() => void renewDue(), every).unref()

  return {
    look: renewDue,
    async close() {
      closed = true
      clearInterval(timer)
      await under
    },
  }
}
