/**
 * Watches whether the key service still opens the vault key for this gateway. While it does not, new secrets are refused
 * (`vault.closed`); what is sealed for calls that go on (renewed tokens, results, arguments of approvals) is sealed with the key in
 * memory. An operator who withdraws the right thus stops what adds to the vault at once, and the rest with the next start.
 */
import { Fault } from '@toolway/contract'
import type { Log } from '../../lib/log.ts'
import type { TurningVault } from '../vault.ts'

export interface KeyServiceWatchParts {
  /** Throws where the service does not open the key. */
  prove(): Promise<void>
  readonly log: Pick<Log, 'warn' | 'info'>
  /** Milliseconds between two looks while all is well, and while it is not. */
  readonly every?: { readonly well: number; readonly away: number }
}

export interface KeyServiceWatch extends Disposable {
  /** Words of the trouble; undefined while the service opens the key. */
  problem(): string | undefined
  /** Look now. */
  look(): Promise<void>
}

const EVERY = { well: 30_000, away: 5_000 }

export function createKeyServiceWatch({ prove, log, every = EVERY }: KeyServiceWatchParts): KeyServiceWatch {
  let problem: string | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  async function checkService(): Promise<void> {
    clearTimeout(timer)
    try {
      await prove()
      if (problem !== undefined)
        log.info({}, 'the key service can decrypt the vault key again; new secrets are accepted')
      problem = undefined
    } catch (thrown) {
      const words = thrown instanceof Error ? thrown.message : String(thrown)
      if (problem === undefined)
        log.warn({ problem: words }, 'the key service cannot decrypt the vault key: new secrets are not accepted')
      problem = words
    }
    if (closed) return
    clearTimeout(timer)
    timer = setTimeout(() => void checkService(), problem === undefined ? every.well : every.away)
    timer.unref()
  }

  timer = setTimeout(() => void checkService(), every.well)
  timer.unref()
  return {
    problem: () => problem,
    look: checkService,
    [Symbol.dispose]() {
      closed = true
      clearTimeout(timer)
    },
  }
}

/** Rows of secrets that a person or a program brings; the others are what calls leave behind. */
const NEW_SECRETS = /^(?:connection|key|oauth app|flow|webhook|organization|record stream) /

/** The same vault, which takes no new secret while there is a problem with the key service. */
export function withSealingGuard(vault: TurningVault, problem: () => string | undefined): TurningVault {
  return {
    ...vault,
    get fingerprint() {
      return vault.fingerprint
    },
    get keyIds() {
      return vault.keyIds
    },
    seal(text, row) {
      const words = NEW_SECRETS.test(row) ? problem() : undefined
      if (words !== undefined) throw new Fault('vault.closed', { problem: words })
      return vault.seal(text, row)
    },
  }
}
