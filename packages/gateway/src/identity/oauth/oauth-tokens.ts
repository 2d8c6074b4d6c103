/**
 * Authorization codes, refresh tokens and interactions, as the authorization server stores them: under a keyed hash of what
 * names them, and never with it.
 *
 * Which of two that bring the same token is the first, the database decides by the lock on its row.
 */
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

export type TokenKind = 'Interaction' | 'AuthorizationCode' | 'RefreshToken'

export const TokenRow = z.object({
  grant_id: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
  consumed_at: z.date().nullable(),
})
export type TokenRow = z.output<typeof TokenRow>

const Nothing = z.object({})
const Grant = z.object({ grant_id: z.string().nullable() })

export interface StoredToken {
  readonly hash: Buffer
  readonly kind: TokenKind
  readonly grantId: string | undefined
  /** JSON. */
  readonly payload: string
  readonly expiresAt: Date
}

export const storeToken = async (sql: SystemSql, token: StoredToken): Promise<unknown> =>
  sql(Nothing)`
    insert into oauth_tokens (hash, kind, grant_id, payload, expires_at)
    values (${token.hash}, ${token.kind}, ${token.grantId ?? null}, ${token.payload}, ${token.expiresAt})
    on conflict (hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`

/** Used ones too, so that a second use is noticed. */
export async function findToken(sql: SystemSql, kind: TokenKind, hash: Buffer): Promise<TokenRow | undefined> {
  const rows = await sql(TokenRow)`
    select grant_id, payload, consumed_at from oauth_tokens
     where hash = ${hash} and kind = ${kind} and expires_at > now()`
  return rows[0]
}

/** Whether this was its first use: of any two, at most one is told so. */
export const consumeToken = async (sql: SystemSql, hash: Buffer): Promise<boolean> =>
  (
    await sql(Grant)`
      update oauth_tokens set consumed_at = now() where hash = ${hash} and consumed_at is null returning grant_id`
  ).length > 0

export async function grantOfToken(sql: SystemSql, hash: Buffer): Promise<string | undefined> {
  const rows = await sql(Grant)`select grant_id from oauth_tokens where hash = ${hash}`
  return rows[0]?.grant_id ?? undefined
}

export const removeToken = async (sql: SystemSql, hash: Buffer): Promise<unknown> =>
  sql(Nothing)`delete from oauth_tokens where hash = ${hash}`

export const removeExpiredTokens = async (sql: SystemSql): Promise<unknown> =>
  sql(Nothing)`delete from oauth_tokens where expires_at <= now()`
