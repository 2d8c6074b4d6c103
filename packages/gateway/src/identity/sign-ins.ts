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

/** How a sign-in was proven (RFC 8176); `fed`: by an identity provider, which says `mfa` where it asked for more than one factor. */
export const METHODS = ['pwd', 'otp', 'hwk', 'fed', 'mfa'] as const
export type SignInMethod = (typeof METHODS)[number]

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
  proven_at: z.date(),
  methods: z.array(z.enum(METHODS)),
  used_at: z.date(),
  /** The longest time between two uses so far, in seconds. */
  idle: z.int(),
  address: z.string().nullable(),
})
export type SignInRow = z.output<typeof SignInRow>

export const REFRESH_FORM = /^twr_[\w-]{43}$/
export const mintRefreshToken = (): string => `twr_${randomBytes(32).toString('base64url')}`

/** A sign-in as its identity provider knows it. */
export interface ProviderSession {
  readonly id: IdentityProviderId
  readonly endsAt: Date
  readonly subject: string
  /** The provider's own name for the session there (`sid`). */
  readonly session?: string | undefined
}

export interface NewSignIn {
  readonly userId: UserId
  readonly boundTo: OrganizationId | undefined
  /** `browser`, `command line`, or the id of an OAuth client. */
  readonly client: string
  readonly expiresAt: Date
  /** The identity provider that it was made with, and when it ends whatever is refreshed. */
  readonly provider?: ProviderSession | undefined
  readonly methods: readonly SignInMethod[]
  readonly address: string | undefined
  /** A sign-in of the same person, which it goes on with: it is as old, and was proven then. */
  readonly after?: FamilyId | undefined
}

const Nothing = z.object({})

/** Opens a sign-in; those of the same person that ran out a day ago or more are removed with it. */
export async function addSignIn(sql: SystemSql, signIn: NewSignIn): Promise<SignInRow> {
  const { userId, boundTo, client, expiresAt, methods, address, after, provider } = signIn
  await sql(Nothing)`delete from sign_ins where user_id = ${userId} and expires_at < now() - interval '1 day'`
  const [row] = await sql(SignInRow)`
    insert into sign_ins (id, user_id, bound_to, client, expires_at, provider_id, ends_at, provider_subject, provider_session, methods,
                          address, created_at, proven_at)
    select ${newId('fam')}, ${userId}, ${boundTo ?? null}, ${client}, ${expiresAt},
           coalesce(${provider?.id ?? null}, before.provider_id), coalesce(${provider?.endsAt ?? null}, before.ends_at),
           coalesce(${provider?.subject ?? null}, before.provider_subject), coalesce(${provider?.session ?? null}, before.provider_session),
           ${[...methods]}::text[], ${address ?? null}, coalesce(before.created_at, now()), coalesce(before.proven_at, now())
      from (select) now_or_before left join sign_ins before on before.id = ${after ?? null} and before.user_id = ${userId}
    returning id, user_id, bound_to, client, created_at, expires_at, ended_at, proven_at, methods, used_at, idle, address`
  if (row === undefined) throw new Error('a sign-in was not stored')
  return row
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
    select s.id, s.user_id, s.bound_to, s.client, s.created_at, s.expires_at, s.ended_at, s.proven_at, s.methods,
           s.used_at, s.idle, s.address, s.provider_id, t.used_at is not null as used,
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

/** `but` goes on. `clients`: those of OAuth clients go on, too. */
export const endSignInsOf = (
  sql: SystemSql,
  userId: UserId,
  why: string,
  { but = '', clients = 'all' }: { readonly but?: string | undefined; readonly clients?: 'all' | 'own' } = {},
) => sql(Id)`
  update sign_ins set ended_at = now(), ended_why = ${why}
   where user_id = ${userId} and ended_at is null and id <> ${but}
     and (${clients} = 'all' or client in ('browser', 'command line')) returning id`

export const listSignIns = (sql: SystemSql, userId: UserId) => sql(SignInRow)`
  select id, user_id, bound_to, client, created_at, expires_at, ended_at, proven_at, methods, used_at, idle, address
    from sign_ins where user_id = ${userId} and ended_at is null and expires_at > now() order by created_at desc, id desc`

/** Those whose access tokens may still be about. */
/** `users`: undefined for all. */
export const listEnded = (sql: SystemSql, since: Date, users: readonly UserId[] | undefined) =>
  users === undefined
    ? sql(Id)`select id from sign_ins where ended_at >= ${since}`
    : sql(Id)`select id from sign_ins where user_id = any(${[...users]}::text[]) and ended_at >= ${since}`

/** Sign-ins that were just used: how long they were not is kept, because an organization may end those that rested too long. */
export const noteSignInUses = (sql: SystemSql, ids: readonly FamilyId[]) => sql(Id)`
  update sign_ins set idle = greatest(idle, extract(epoch from now() - used_at)::int), used_at = now()
   where id in (select id from sign_ins where id = any(${[...ids]}::text[]) and ended_at is null order by id for update)
  returning id`

/** The same for a sign-in that is renewed, from that address. */
export async function renewSignIn(sql: SystemSql, id: FamilyId, address: string | undefined): Promise<SignInRow> {
  const [row] = await sql(SignInRow)`
    update sign_ins
       set idle = greatest(idle, extract(epoch from now() - used_at)::int), used_at = now(),
           address = coalesce(${address ?? null}, address)
     where id = ${id}
    returning id, user_id, bound_to, client, created_at, expires_at, ended_at, proven_at, methods, used_at, idle, address`
  if (row === undefined) throw new Error('a sign-in is gone')
  return row
}

/** Whether that sign-in is the person's, goes on, and was proven in the last minutes. */
export const provenWithin = async (
  sql: SystemSql,
  { id, user, minutes }: { readonly id: FamilyId; readonly user: UserId; readonly minutes: number },
): Promise<boolean> =>
  (
    await sql(Id)`
      select id from sign_ins
       where id = ${id} and user_id = ${user} and ended_at is null
         and proven_at > now() - make_interval(mins => ${minutes})`
  ).length > 0

/** It is proven anew, by this as well. */
export const noteProof = (sql: SystemSql, id: FamilyId, method: SignInMethod) => sql(Id)`
  update sign_ins
     set proven_at = now(),
         methods = case when ${method}::text = any(methods) then methods else array_append(methods, ${method}::text) end
   where id = ${id} and ended_at is null returning id`

/** Whether the provider is still enabled; it stays so until the transaction ends, so that disabling it ends what was begun before. */
export const isEnabledProvider = async (sql: SystemSql, id: IdentityProviderId): Promise<boolean> =>
  (await sql(Id)`select id from identity_providers where id = ${id} and enabled for share`).length > 0

/** Ends those that the providers of organizations made, with what OAuth clients were allowed in them. */
export const endSignInsOfProviders = (sql: SystemSql, userId: UserId, why: string) => sql(Id)`
  update sign_ins set ended_at = now(), ended_why = ${why}
   where user_id = ${userId} and ended_at is null and provider_id is not null and bound_to is not null returning id`

/** Whether the word of an organization's own provider made it: it is good in that organization, and says nothing of the account itself. */
export const isOfOrganizationsProvider = async (sql: SystemSql, id: FamilyId): Promise<boolean> =>
  (await sql(Id)`select id from sign_ins where id = ${id} and provider_id is not null and bound_to is not null`)
    .length > 0

const Ended = z.object({
  id: z.string().transform((id) => id as FamilyId),
  user_id: z.string().transform((id) => id as UserId),
  bound_to: z
    .string()
    .transform((id) => id as OrganizationId)
    .nullable(),
})

/**
 * Ends the person's own sign-ins that were made with a provider, in that session there or in all of them; what OAuth clients were allowed
 * goes on. A sign-in whose session the provider has not named ends with its person; those of an older version name neither.
 */
export const endProviderSession = (
  sql: SystemSql,
  { id, subject, session }: Pick<ProviderSession, 'id' | 'session'> & { readonly subject: string | undefined },
) => sql(Ended)`
  update sign_ins set ended_at = now(), ended_why = 'the identity provider has signed the person out'
   where provider_id = ${id} and ended_at is null and client in ('browser', 'command line')
     and (${subject ?? null}::text is null or provider_subject = ${subject ?? null}
          or (provider_subject is null
              and exists (select from identity_links l
                           where l.provider_id = ${id} and l.user_id = sign_ins.user_id and l.subject = ${subject ?? null})))
     and (${session ?? null}::text is null or provider_session = ${session ?? null}
          or (provider_session is null and ${subject ?? null}::text is not null))
  returning id, user_id, bound_to`
