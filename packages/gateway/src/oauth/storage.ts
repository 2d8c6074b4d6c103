/**
 * Where oidc-provider keeps what it must remember: its adapter, over our own tables.
 *
 * What names a token is a secret, so it is kept by keyed hash, and is cut out of what is kept with it. A grant is read from the
 * row that the consent page wrote and never written from here. Its own browser sessions are not kept at all: ours is the only one.
 */
import type { Adapter, AdapterPayload, errors as Errors } from 'oidc-provider'
import type { Db, SystemSql } from '../db/db.ts'
import { noteClientUse } from '../identity/oauth/oauth-clients.ts'
import { endGrant, findGrant, noteGrantUse, type EndedGrant } from '../identity/oauth/oauth-grants.ts'
import {
  consumeToken,
  findToken,
  grantOfToken,
  removeToken,
  storeToken,
  type TokenKind,
} from '../identity/oauth/oauth-tokens.ts'
import { scopesOf } from './scopes.ts'

export interface StorageParts {
  readonly db: Pick<Db, 'system'>
  /** Keyed. */
  hash(text: string): Buffer
  findClient(id: string): Promise<AdapterPayload | undefined>
  /** Told in the transaction that ended it. */
  onEnd(sql: SystemSql, ended: EndedGrant, why: string): Promise<void>
  onRenew(): void
  readonly errors: typeof Errors
}

const KINDS: ReadonlySet<string> = new Set<TokenKind>(['Interaction', 'AuthorizationCode', 'RefreshToken'])
const isKind = (name: string): name is TokenKind => KINDS.has(name)
/** Stands where the name of a token stood. */
const NAME = '‹name›'

export function createStorage(parts: StorageParts): (model: string) => Adapter {
  return (model) => {
    if (model === 'Client') return { ...NOTHING, find: parts.findClient }
    if (model === 'Grant') return grantAdapter(parts)
    return isKind(model) ? tokenAdapter(parts, model) : NOTHING
  }
}

const none = () => Promise.resolve(undefined)
const NOTHING: Adapter = {
  upsert: none,
  find: none,
  findByUserCode: none,
  findByUid: none,
  consume: none,
  destroy: none,
  revokeByGrantId: none,
}

function endIn({ db, onEnd }: StorageParts) {
  return (id: string, why: string): Promise<void> =>
    db.system(async (sql) => {
      const ended = await endGrant(sql, id, undefined)
      if (ended !== undefined) await onEnd(sql, ended, why)
    })
}

function grantAdapter(parts: StorageParts): Adapter {
  const end = endIn(parts)
  return {
    ...NOTHING,
    async find(id) {
      const row = await parts.db.system((sql) => findGrant(sql, id))
      if (row === undefined) return undefined
      return {
        kind: 'Grant',
        jti: row.id,
        accountId: row.user_id,
        clientId: row.client_id,
        resources: { [row.resource]: scopesOf(row.effect_limit) },
        iat: Math.floor(row.created_at.getTime() / 1000),
      }
    },
    destroy: (id) => end(id, 'revoked'),
  }
}

function tokenAdapter(parts: StorageParts, kind: TokenKind): Adapter {
  const { db, errors, onRenew } = parts
  const end = endIn(parts)
  const hash = (id: string) => parts.hash(`oauth ${kind} ${id}`)
  return {
    ...NOTHING,
    upsert: (id, payload, expiresIn) =>
      db.system(async (sql) => {
        const expiresAt = new Date(Date.now() + (expiresIn ?? 0) * 1000)
        const grantId = kind === 'Interaction' ? undefined : payload.grantId
        const text = JSON.stringify(payload).replaceAll(id, NAME)
        await storeToken(sql, { hash: hash(id), kind, grantId, payload: text, expiresAt })
        if (kind !== 'RefreshToken' || grantId === undefined) return
        await noteGrantUse(sql, grantId, expiresAt)
        if (payload.clientId !== undefined) await noteClientUse(sql, payload.clientId)
        onRenew()
      }),
    async find(id) {
      const row = await db.system((sql) => findToken(sql, kind, hash(id)))
      if (row === undefined) return undefined
      const payload = JSON.parse(JSON.stringify(row.payload).replaceAll(NAME, id)) as AdapterPayload
      return { ...payload, ...(row.consumed_at === null ? {} : { consumed: row.consumed_at.getTime() / 1000 }) }
    },
    async consume(id) {
      const first = await db.system((sql) => consumeToken(sql, hash(id)))
      if (first) return
      // Two came at once and both found it unused: this is the second.
      const grantId = await db.system((sql) => grantOfToken(sql, hash(id)))
      if (grantId !== undefined) await end(grantId, 'one of its codes or tokens was used twice')
      throw new errors.InvalidGrant('it was used before')
    },
    destroy: (id) => db.system(async (sql) => void (await removeToken(sql, hash(id)))),
    // The tokens of a grant that has ended are good for nothing; they stay, so that one that comes again is known.
    revokeByGrantId: (grantId) => end(grantId, 'one of its tokens was used twice, or was revoked'),
  }
}
