/**
 * Sign-ins and the refresh tokens that descend from them: each token is single-use, and one that is presented twice ends its
 * sign-in.
 *
 * A token is 256 random bits, stored as a keyed hash only. Of two that arrive at once, the database decides the first by the lock
 * on its row, whichever replicas received them.
 */
import { randomBytes } from 'node:crypto'
import { newId, type FamilyId, type IdentityProviderId, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

export const SignInRow = z.object({
  id: z.string().transform((id) => id as FamilyId),
  user_id: z.string().transform((id) => id as UserId),
  bound_to: z
    .string()
    .transform((id) => id as OrganizationId)
    .nullable(),
  client: z.string(),
  created_at: z.date(),
  expires_at: z.date(),
  ended_at: z.date().nullable(),
})
export type SignInRow = z.output<typeof SignInRow>

export const REFRESH_FORM = /^twr_[\w-]{43}$/
export const mintRefreshToken = (): string => `twr_${randomBytes(32).toString('base64url')}`

export interface NewSignIn {
  readonly userId: UserId
  readonly boundTo: OrganizationId | undefined
  /** `browser`, `command line`, or the id of an OAuth client. */
  readonly client: string
  readonly expiresAt: Date
  /** The identity provider that it was made with, and when it ends whatever is refreshed. */
  readonly provider?: { readonly id: IdentityProviderId; readonly endsAt: Date } | undefined
}

const Nothing = z.object({})

/** Opens a sign-in; those of the same person that ran out a day ago or more are removed with it. */
export async function addSignIn(sql: SystemSql, signIn: NewSignIn): Promise<FamilyId> {
  const { userId, boundTo, client, expiresAt, provider } = signIn
  const id = newId('fam')
  await sql(Nothing)`delete from sign_ins where user_id = ${userId} and expires_at < now() - interval '1 day'`
  await sql(Nothing)`
    insert into sign_ins (id, user_id, bound_to, client, expires_at, provider_id, ends_at)
    values (${id}, ${userId}, ${boundTo ?? null}, ${client}, ${expiresAt}, ${provider?.id ?? null}, ${provider?.endsAt ?? null})`
  return id
}

/** The next refresh token of a sign-in, which lives as long as its newest one. */
export async function addRefreshToken(sql: SystemSql, id: FamilyId, hash: Buffer, expiresAt: Date): Promise<void> {
  await sql(Nothing)`delete from refresh_tokens where family_id = ${id} and expires_at < now()`
  await sql(Nothing)`insert into refresh_tokens (hash, family_id, expires_at) values (${hash}, ${id}, ${expiresAt})`
  await sql(Nothing)`update sign_ins set expires_at = ${expiresAt} where id = ${id}`
}

const Held = SignInRow.extend({ used: z.boolean(), over: z.boolean(), provider_id: z.string().nullable() })

/** The sign-in behind a refresh token, without using it. */
export async function findByRefreshToken(sql: SystemSql, hash: Buffer) {
  const rows = await sql(Held)`
    select s.id, s.user_id, s.bound_to, s.client, s.created_at, s.expires_at, s.ended_at, s.provider_id,
           t.used_at is not null as used,
           t.expires_at <= now() or coalesce(s.ends_at <= now(), false) as over
      from refresh_tokens t join sign_ins s on s.id = t.family_id where t.hash = ${hash}`
  return rows[0]
}

/** Whether this was its first use: of any two, at most one is told so. */
export const useRefreshToken = async (sql: SystemSql, hash: Buffer): Promise<boolean> =>
  (
    await sql(Id)`
      update refresh_tokens set used_at = now() where hash = ${hash} and used_at is null returning family_id as id`
  ).length > 0

/** Ends a sign-in; every gateway hears of it. False when it had ended before. */
export const endSignIn = async (sql: SystemSql, id: FamilyId, why: string): Promise<boolean> =>
  (
    await sql(Id)`
      update sign_ins set ended_at = now(), ended_why = ${why} where id = ${id} and ended_at is null returning id`
  ).length > 0

const Id = z.object({ id: z.string().transform((id) => id as FamilyId) })

export const endSignInsOf = (sql: SystemSql, userId: UserId, why: string, but?: FamilyId) => sql(Id)`
  update sign_ins set ended_at = now(), ended_why = ${why}
   where user_id = ${userId} and ended_at is null and id <> ${but ?? ''} returning id`

export const listSignIns = (sql: SystemSql, userId: UserId) => sql(SignInRow)`
  select id, user_id, bound_to, client, created_at, expires_at, ended_at from sign_ins
   where user_id = ${userId} and ended_at is null and expires_at > now() order by created_at desc, id desc`

/** Those whose access tokens may still be about. */
export const listEnded = (sql: SystemSql, since: Date) => sql(Id)`select id from sign_ins where ended_at >= ${since}`
