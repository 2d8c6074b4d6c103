/**
 * The caller of a request: from the Authorization header to a principal, by one query the first time and from memory afterwards
 * (`key-memory.ts`). Tokens are checked by their signature and by memory alone. It never reads a key from a query string.
 */
import { hash as digestOf, randomBytes } from 'node:crypto'
import { Fault, type KeyId } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import type { KeyRow } from './keys/keys.ts'
import { TOKEN_FORM, type AccessClaims } from './access-tokens.ts'
import type { ExternalPrincipals } from './federated/external-principals.ts'
import { createKeyMemory, type KeyLook, type Outage } from './key-memory.ts'
import { KEY_FORM } from './keys/key-forms.ts'
import { OPERATOR, type Principal } from './principal.ts'

export type { Principal } from './principal.ts'
export { principalOf } from './key-memory.ts'

export interface IdentityParts {
  hash(key: string): Buffer
  /** `within`: milliseconds that the database has. */
  find(hash: Buffer, within: number): Promise<KeyRow | undefined>
  /** A key that was taken over with a slow hash, which is replaced now; asked only for what `find` does not know. */
  findSlow?(key: string): Promise<KeyRow | undefined>
  /** Principals known elsewhere: the key of the environment, and the tokens of other issuers. */
  readonly externalPrincipals?: ExternalPrincipals | undefined
  /** Told that a key is in use, once for each time that it is taken into memory. */
  onUse?(id: KeyId): void
  /** Returns the principal of a token, and its expiry; throws `token.unknown` or `token.expired`. It queries no database. */
  readToken(token: string): Promise<Token>
  /** Whether the account and the sign-in behind a token still stand; asked at each use, of memory. */
  stands(token: Token): boolean
  /** How long memory serves without a database; absent: there is none. */
  readonly outage?: Outage
  /** Everybody who reaches the port is the operator: only ever on a loopback address, by an explicit switch. */
  readonly open: boolean
}

export interface Token {
  readonly principal: Principal
  readonly claims: AccessClaims
}

export interface Identity {
  /** Throws `key.missing`, `key.unknown`, `token.unknown` or `token.expired`. A promise only when memory does not know. */
  identify(authorization: string | undefined): Principal | Promise<Principal>
  /**
   * A key or token of this installation by memory alone, for what may wait for nothing (`/metrics`); undefined where only `identify`
   * knows. Throws `key.unknown`, `token.unknown`, `token.expired` or `database.unavailable`.
   */
  recall(authorization: string | undefined): Principal | undefined
  /** A key has changed or is gone; without an id, any of them may have. */
  forget(id?: KeyId): void
}

/** A signature costs more than a whole relay to check: what was good is remembered until it expires. */
const TOKENS = { max: 10_000, ttl: 60_000 }
/** Where keys are in memory anyway. */
const NO_OUTAGE: Outage = { awayFor: () => 0, grace: 0, isAway: () => false }

export function createIdentity(parts: IdentityParts): Identity {
  const { hash, find, findSlow, readToken, stands, externalPrincipals, onUse, open, outage = NO_OUTAGE } = parts
  const tokens = new LRUCache<string, Token>(TOKENS)
  const keys = createKeyMemory(outage, onUse)
  const salt = randomBytes(16).toString('hex')

  /** Accounts, members and ended sign-ins have not been updated since the database went away. */
  function refuseAfterGrace(): void {
    if (outage.awayFor() > outage.grace) throw new Fault('database.unavailable', { problem: 'it does not respond' })
  }

  function admitToken(token: Token): Principal {
    if (token.claims.exp * 1000 <= Date.now()) throw new Fault('token.expired')
    refuseAfterGrace()
    if (!stands(token)) throw new Fault('token.unknown')
    return token.principal
  }

  async function lookToken(text: string, name: string): Promise<Principal> {
    const token = await readToken(text)
    tokens.set(name, token)
    return admitToken(token)
  }

  /** In memory keys go by a plain digest under a salt of this process: a third of the keyed hash's cost, and no key is kept. */
  const nameOf = (key: string) => digestOf('sha256', salt + key, 'base64')
  const lookOf = (key: string): KeyLook => ({
    find: (within) => find(hash(key), within),
    findSlow: () => (key.startsWith('smcp_') ? findSlow?.(key) : undefined),
  })

  return {
    identify(authorization) {
      if (authorization === undefined && open) return OPERATOR
      const key = bearerOf(authorization)
      if (key === undefined) throw new Fault('key.missing')
      const guest = externalPrincipals?.find(key)
      if (guest !== undefined) {
        refuseAfterGrace()
        return guest
      }
      const isToken = TOKEN_FORM.test(key)
      if (!isToken && !KEY_FORM.test(key)) throw new Fault('key.unknown')
      const name = nameOf(key)
      if (isToken) {
        const token = tokens.get(name)
        return token === undefined ? lookToken(key, name) : admitToken(token)
      }
      return keys.get(name, lookOf(key))
    },
    recall(authorization) {
      if (authorization === undefined && open) return OPERATOR
      const key = bearerOf(authorization)
      if (key === undefined) return undefined
      if (TOKEN_FORM.test(key)) {
        const token = tokens.get(nameOf(key))
        return token && admitToken(token)
      }
      return KEY_FORM.test(key) ? keys.recall(nameOf(key), lookOf(key)) : undefined
    },
    forget: keys.forget,
  }
}

function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const space = authorization.indexOf(' ')
  return authorization.slice(0, space).toLowerCase() === 'bearer' ? authorization.slice(space + 1).trim() : undefined
}
