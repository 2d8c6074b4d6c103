/**
 * Maps the state of a connection to the status names of the source systems (ledger U-29). Pure, and the only place of this
 * mapping.
 *
 * Our statuses are new, needs_auth, connected, error and disabled. Processes have separate statuses, which already are those of
 * the source system (`starting, running, stopped, error, restarting`).
 */
import type { Integration } from '@toolway/contract/admin'

export interface ConnectionState {
  readonly status: string
  readonly enabled: boolean
  /** The account that a call uses was refused, or there were accounts and none of them serves any more. */
  readonly lost: boolean
}

/**
 * Where nobody has connected an account yet nothing is wrong; where there was one, a person has to act (ledger S2-TOK-03). A word that
 * nobody knows here is no good sign.
 */
export function integrationStatusOf({ status, enabled, lost }: ConnectionState): Integration['connection_status'] {
  if (!enabled) return 'disconnected'
  switch (status) {
    case 'connected':
      return 'connected'
    case 'new':
    case 'disabled':
    case 'disconnected':
      return 'disconnected'
    case 'needs_auth':
      return lost ? 'error' : 'disconnected'
    default:
      return 'error'
  }
}
