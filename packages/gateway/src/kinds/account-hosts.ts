/**
 * Whether a connection's accounts can be had for its address: a vendor's token goes to the vendor's hosts only, and elsewhere only one
 * of the very server there. It is asked when a connection is described, and again when an account is connected or used, for connections
 * that were stored before.
 */
import {
  authOf,
  authorityAt,
  authorityOf,
  Fault,
  findProvider,
  mayHaveAccounts,
  PlaceProblem,
  type Authority,
  type ConnectionSecrets,
  type ConnectionSettings,
} from '@toolway/contract'
import { takesCredentials } from '../connections/takes-credentials.ts'

interface AccountPlace {
  /** The vendor's authorization server that accounts are connected at; absent where the server names its own, or none is used. */
  readonly authority?: Authority
  /** Why no account can be used, as the rest of a sentence that begins with the address. */
  readonly problem?: string
}

const NOWHERE: AccountPlace = {}

/** Of a program, which has no address, the vendor's own. */
export function accountPlaceOf(settings: ConnectionSettings, secrets: ConnectionSecrets): AccountPlace {
  const auth = takesCredentials(settings, secrets) ? authOf(settings) : undefined
  // A name that no vendor has is told of where an account is connected.
  if (auth?.provider === undefined || findProvider(auth.provider) === undefined || auth.kind === 'key') return NOWHERE
  try {
    const { provider, tenant } = auth
    return {
      authority: mayHaveAccounts(settings)
        ? authorityAt(provider, secrets.url ?? settings.url, tenant)
        : authorityOf(provider, { tenant }),
    }
  } catch (thrown) {
    if (!(thrown instanceof PlaceProblem)) throw thrown
    return { problem: thrown.message }
  }
}

/** Throws `params.shape`. */
export function refuseMisplaced({ settings, secrets }: { settings: ConnectionSettings; secrets: ConnectionSecrets }) {
  const { problem } = accountPlaceOf(settings, secrets)
  if (problem !== undefined) throw new Fault('params.shape', { place: '/url', problem })
}
