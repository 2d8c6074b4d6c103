/**
 * Identity without accounts: the keys in files and settings, and the principals that an issuer or a backend vouches for. The
 * gateway issues no tokens here.
 */
import { Fault } from '@toolway/contract'
import { createReadPassThroughToken } from '../../call/callers/pass-through-token.ts'
import { createAccounts } from '../../identity/accounts.ts'
import { createIdentity } from '../../identity/identify.ts'
import type { KeyRow } from '../../identity/keys/keys.ts'
import type { Principal } from '../../identity/principal.ts'
import type { KeepSnapshots } from '../../snapshot/keep-snapshots.ts'
import { createGuardedFetch } from '../../upstreams/http/guarded-fetch.ts'
import { createOutsidePrincipals } from './external-principals.ts'
import type { Base } from '../../base/base.ts'

/** There is no command that makes keys here, and no sign-in: keys come from settings and from the file. */
const NEXT_STEP = {
  curatore: 'Send "Authorization: Bearer …" with the value of MCP_API_KEY in the settings of this gateway.',
  file: 'Send "Authorization: Bearer …" with a key declared in the file that TOOLWAY_CONFIG points to.',
} as const

const TOKEN_STEP =
  'Send a token that the issuer or the backend of this gateway vouches for (TOOLWAY_JWT_ISSUER, TOOLWAY_IDENTITY_URL), or a key.'

function withMend(thrown: unknown, mend: string): unknown {
  if (!(thrown instanceof Fault)) return thrown
  const { code, cause } = thrown
  if (code === 'key.missing' || code === 'key.unknown') return new Fault(code, {}, { cause, mend })
  return code === 'token.unknown' ? new Fault(code, {}, { cause, mend: TOKEN_STEP }) : thrown
}

export interface DeclaredIdentityParts {
  /** A key that files declare. */
  readonly findKey: (hash: Buffer) => KeyRow | undefined
  readonly snapshots: () => Pick<KeepSnapshots, 'find' | 'all'>
  /** Completes a principal as the preset requires. */
  readonly bind: ((principal: Principal) => Principal) | undefined
}

export function startDeclaredIdentity(
  { config, vault }: Base,
  { findKey, snapshots, bind = (principal) => principal }: DeclaredIdentityParts,
) {
  const accounts = createAccounts({ list: () => Promise.resolve([]) })
  const externalPrincipals = createOutsidePrincipals({
    config,
    fetch: createGuardedFetch({ alias: 'identity', privateOrigins: 'any' }),
    isOwn: () => false,
    accounts,
    find: (name) => snapshots().find(name),
    all: () => snapshots().all(),
  })
  const known = createIdentity({
    hash: vault.hash,
    find: (hash) => Promise.resolve(findKey(hash)),
    externalPrincipals,
    readToken: () => Promise.reject(new Fault('token.unknown')),
    stands: () => false,
    open: config.TOOLWAY_AUTH === 'off',
  })
  const mend = NEXT_STEP[config.TOOLWAY_PRESET === 'curatore' ? 'curatore' : 'file']
  const identity: typeof known = {
    identify(authorization) {
      try {
        const principal = known.identify(authorization)
        if (!(principal instanceof Promise)) return bind(principal)
        return principal.then(bind).catch((thrown: unknown) => Promise.reject(withMend(thrown, mend)))
      } catch (thrown) {
        throw withMend(thrown, mend)
      }
    },
    recall(authorization) {
      const principal = known.recall(authorization)
      return principal && bind(principal)
    },
    forget: known.forget,
  }
  const secrets = new Set([config.MCP_API_KEY, config.MCP_ADMIN_API_KEY, config.BACKEND_API_KEY])
  return { identity, accounts, readPassThroughToken: createReadPassThroughToken((text) => secrets.has(text)) }
}
