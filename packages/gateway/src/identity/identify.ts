/**
 * Who is calling: from the Authorization header to a principal, by one query the first time and from memory afterwards.
 *
 * A key that is not known is remembered too, for a moment, so that a flood of guesses is not a flood of queries. Whatever
 * changes a key clears the memory; until then an entry lives half a minute at most. It never reads a key from a query string.
 */
import { hash as digestOf, randomBytes } from 'node:crypto'
import { Fault, type KeyId } from '@toolway/contract'
import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../lib/single-flight.ts'
import type { KeyRow } from './keys/keys.ts'
import { TOKEN_FORM, type AccessClaims } from './access-tokens.ts'
import type { Guests } from './outside/guests.ts'
import { KEY_FORM } from './keys/key-forms.ts'
import { OPERATOR, type Principal } from './principal.ts'

export type { Principal } from './principal.ts'

export interface IdentityParts {
  hash(key: string): Buffer
  find(hash: Buffer): Promise<KeyRow | undefined>
  /** A key that was taken over with a slow hash, which is replaced now; asked only for what `find` does not know. */
  findSlow?(key: string): Promise<KeyRow | undefined>
  /** Who is known elsewhere: the key of the environment, and the tokens of other issuers. */
  readonly guests?: Guests | undefined
  /** Told that a key is in use, once for each time that it is taken into memory. */
  onUse?(id: KeyId): void
  /** Who a token stands for, and until when; throws `token.unknown` or `token.expired`. It asks no database. */
  readToken(token: string): Promise<Token>
  /** Whether the account and the sign-in behind a token still stand; asked at each use, of memory. */
  stands(token: Token): boolean
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
  forget(): void
}

const REMEMBERED = { max: 10_000, ttl: 30_000 }
/** A signature costs more than a whole relay to check: what was good is remembered until it expires. */
const TOKENS = { max: 10_000, ttl: 60_000 }
const REFUSED = { max: 10_000, ttl: 2_000 }
/** Guesses must not take the database from those who are known: this many keys are looked up at a time. */
const MOST_LOOKUPS = 4

export function createIdentity(parts: IdentityParts): Identity {
  const { hash, find, findSlow, readToken, stands, guests, onUse, open } = parts
  const tokens = new LRUCache<string, Token>(TOKENS)
  const known = new LRUCache<string, Known>(REMEMBERED)
  const salt = randomBytes(16).toString('hex')
  /** After every change all keys are unknown at once: many requests of one key are one query. */
  const looking = createSingleFlight<string, Principal>()
  const refused = new LRUCache<string, true>(REFUSED)
  /** Keys that were good lately: guesses do not take their turn. */
  const wereGood = new LRUCache<string, true>({ max: REMEMBERED.max })
  let lookups = 0
  let generation = 0

  async function look(key: string, name: string): Promise<Principal> {
    if (lookups >= MOST_LOOKUPS && !wereGood.has(name))
      throw new Fault('gateway.not-ready', { problem: 'many unknown keys are being tried' })
    lookups++
    const asked = generation
    const kept = await find(hash(key)).finally(() => lookups--)
    const row = kept ?? (key.startsWith('smcp_') ? await findSlow?.(key) : undefined)
    // An answer from before a change is used for this request and not remembered.
    const current = asked === generation
    if (row === undefined) {
      wereGood.delete(name)
      if (current) refused.set(name, true)
      throw new Fault('key.unknown')
    }
    const found = knownOf(row)
    wereGood.set(name, true)
    if (current) known.set(name, found)
    const principal = admit(found)
    onUse?.(row.id)
    return principal
  }

  function admitToken(token: Token): Principal {
    if (token.claims.exp * 1000 <= Date.now()) throw new Fault('token.expired')
    if (!stands(token)) throw new Fault('token.unknown')
    return token.principal
  }

  async function lookToken(text: string, name: string): Promise<Principal> {
    const token = await readToken(text)
    tokens.set(name, token)
    return admitToken(token)
  }

  return {
    identify(authorization) {
      if (authorization === undefined && open) return OPERATOR
      const key = bearerOf(authorization)
      if (key === undefined) throw new Fault('key.missing')
      const guest = guests?.find(key)
      if (guest !== undefined) return guest
      const isToken = TOKEN_FORM.test(key)
      if (!isToken && !KEY_FORM.test(key)) throw new Fault('key.unknown')
      // In memory keys go by a plain digest under a salt of this process: a third of the keyed hash's cost, and no key is kept.
      const name = digestOf('sha256', salt + key, 'base64')
      if (isToken) {
        const token = tokens.get(name)
        return token === undefined ? lookToken(key, name) : admitToken(token)
      }
      const held = known.get(name)
      if (held !== undefined) return admit(held)
      if (refused.has(name)) throw new Fault('key.unknown')
      return looking(`${generation} ${name}`, () => look(key, name))
    },
    forget() {
      generation++
      known.clear()
      refused.clear()
    },
  }
}

interface Known {
  readonly principal: Principal
  /** Milliseconds, or never. */
  readonly expiresAt: number
}

const knownOf = (row: KeyRow): Known => ({
  principal: principalOf(row),
  expiresAt: row.expires_at?.getTime() ?? Infinity,
})

/** At each use: that a key runs out changes no row, so nobody would say so. */
function admit({ principal, expiresAt }: Known): Principal {
  if (expiresAt !== Infinity && expiresAt <= Date.now()) throw new Fault('key.unknown')
  return principal
}

/** Whoever calls with a key. */
export const principalOf = (row: KeyRow): Principal => ({
  id: row.id,
  kind: 'key',
  userId: row.user_id ?? undefined,
  organizationId: row.organization_id ?? undefined,
  keyId: row.id,
  role: row.role,
  limit: row.effect_limit,
  toolset: row.toolset ?? undefined,
  resource: undefined,
  endpoint: undefined,
  client: undefined,
  signInId: undefined,
  ...(row.user_id === null ? { keyName: row.name } : {}),
  ...(row.trusted ? { trusted: true as const } : {}),
})

function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined
  const space = authorization.indexOf(' ')
  return authorization.slice(0, space).toLowerCase() === 'bearer' ? authorization.slice(space + 1).trim() : undefined
}
