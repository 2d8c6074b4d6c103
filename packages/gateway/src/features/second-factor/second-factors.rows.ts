/** Passkeys, authenticator apps and recovery codes of people: their rows. */
import { newId, type AuthenticatorAppId, type OrganizationId, type PasskeyId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

const userId = z.string().transform((id) => id as UserId)
const Id = z.object({ id: z.string() })

export const PasskeyRow = z.object({
  id: z.string().transform((id) => id as PasskeyId),
  user_id: userId,
  credential_id: z.instanceof(Buffer),
  public_key: z.instanceof(Buffer),
  sign_count: z.number(),
  transports: z.array(z.string()),
  name: z.string(),
  synced: z.boolean(),
  created_at: z.date(),
  used_at: z.date().nullable(),
})
export type PasskeyRow = z.output<typeof PasskeyRow>

export const AppRow = z.object({
  id: z.string().transform((id) => id as AuthenticatorAppId),
  user_id: userId,
  sealed_secret: z.instanceof(Buffer),
  last_step: z.number(),
  name: z.string(),
  created_at: z.date(),
  used_at: z.date().nullable(),
})
export type AppRow = z.output<typeof AppRow>

const Home = z.object({ id: z.string().transform((id) => id as OrganizationId) })

/** Changes to the second factors of one person come one after the other. */
export const lockPerson = async (sql: SystemSql, user: UserId): Promise<void> =>
  void (await sql(Id)`select id from users where id = ${user} for update`)

export const listPasskeys = (sql: SystemSql, user: UserId) => sql(PasskeyRow)`
  select id, user_id, credential_id, public_key, sign_count::float8 as sign_count, transports, name, synced, created_at, used_at
    from passkeys where user_id = ${user} order by created_at, id`

export const listApps = (sql: SystemSql, user: UserId) => sql(AppRow)`
  select id, user_id, sealed_secret, last_step::float8 as last_step, name, created_at, used_at
    from authenticator_apps where user_id = ${user} order by created_at, id`

/** Until the transaction ends nobody else signs in with it. */
export async function lockPasskey(sql: SystemSql, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  const rows = await sql(PasskeyRow)`
    select id, user_id, credential_id, public_key, sign_count::float8 as sign_count, transports, name, synced, created_at, used_at
      from passkeys where credential_id = ${credentialId} for update`
  return rows[0]
}

export const hasPasskeys = async (sql: SystemSql): Promise<boolean> =>
  (await sql(Id)`select id from passkeys limit 1`).length > 0

export type NewPasskeyRow = Pick<
  PasskeyRow,
  'user_id' | 'credential_id' | 'public_key' | 'sign_count' | 'transports' | 'name' | 'synced'
>

/** Undefined where somebody has that credential already. */
export async function addPasskey(sql: SystemSql, row: NewPasskeyRow): Promise<PasskeyRow | undefined> {
  const rows = await sql(PasskeyRow)`
    insert into passkeys (id, user_id, credential_id, public_key, sign_count, transports, name, synced)
    values (${newId('psk')}, ${row.user_id}, ${row.credential_id}, ${row.public_key}, ${row.sign_count},
            ${[...row.transports]}, ${row.name}, ${row.synced})
    on conflict (credential_id) do nothing
    returning id, user_id, credential_id, public_key, sign_count::float8 as sign_count, transports, name, synced, created_at, used_at`
  return rows[0]
}

export const notePasskeyUse = (sql: SystemSql, id: PasskeyId, signCount: number, synced: boolean) => sql(Id)`
  update passkeys set sign_count = ${signCount}, synced = ${synced}, used_at = now() where id = ${id} returning id`

export type NewAppRow = Pick<AppRow, 'id' | 'user_id' | 'sealed_secret' | 'last_step' | 'name'>

export async function addApp(sql: SystemSql, row: NewAppRow): Promise<AppRow> {
  const [added] = await sql(AppRow)`
    insert into authenticator_apps (id, user_id, sealed_secret, last_step, name)
    values (${row.id}, ${row.user_id}, ${row.sealed_secret}, ${row.last_step}, ${row.name})
    returning id, user_id, sealed_secret, last_step::float8 as last_step, name, created_at, used_at`
  if (added === undefined) throw new Error('an authenticator app was not stored')
  return added
}

/** Whether no code of that time step, or of a later one, was used before. */
export const useStep = async (sql: SystemSql, id: AuthenticatorAppId, step: number): Promise<boolean> =>
  (
    await sql(Id)`
      update authenticator_apps set last_step = ${step}, used_at = now()
       where id = ${id} and last_step < ${step} returning id`
  ).length > 0

/** The previous codes are void. */
export async function replaceRecoveryCodes(sql: SystemSql, user: UserId, hashes: readonly Buffer[]): Promise<void> {
  await sql(Id)`delete from recovery_codes where user_id = ${user} returning user_id as id`
  for (const hash of hashes)
    await sql(Id)`insert into recovery_codes (hash, user_id) values (${hash}, ${user}) returning user_id as id`
}

export const useRecoveryCode = async (sql: SystemSql, user: UserId, hash: Buffer): Promise<boolean> =>
  (
    await sql(Id)`
      update recovery_codes set used_at = now()
       where user_id = ${user} and hash = ${hash} and used_at is null returning user_id as id`
  ).length > 0

export const countRecoveryCodes = async (sql: SystemSql, user: UserId): Promise<number> =>
  (
    await sql(z.object({ count: z.int() }))`
      select count(*)::int as count from recovery_codes where user_id = ${user} and used_at is null`
  )[0]?.count ?? 0

/** Whether there was one of that id. */
export const rename = async (sql: SystemSql, user: UserId, id: string, name: string): Promise<boolean> =>
  (
    await sql(Id)`
      with passkey as (update passkeys set name = ${name} where user_id = ${user} and id = ${id} returning id),
           app as (update authenticator_apps set name = ${name} where user_id = ${user} and id = ${id} returning id)
      select id from passkey union all select id from app`
  ).length > 0

/** Whether there was one of that id. Recovery codes go with the last one. */
export async function remove(sql: SystemSql, user: UserId, id: string): Promise<boolean> {
  const gone = await sql(Id)`
    with passkey as (delete from passkeys where user_id = ${user} and id = ${id} returning id),
         app as (delete from authenticator_apps where user_id = ${user} and id = ${id} returning id)
    select id from passkey union all select id from app`
  await sql(Id)`
    delete from recovery_codes
     where user_id = ${user} and not exists (select from passkeys where user_id = ${user})
       and not exists (select from authenticator_apps where user_id = ${user}) returning user_id as id`
  return gone.length > 0
}

/** How many passkeys and apps there were. */
export async function removeAll(sql: SystemSql, user: UserId): Promise<number> {
  const passkeys = await sql(Id)`delete from passkeys where user_id = ${user} returning id`
  const apps = await sql(Id)`delete from authenticator_apps where user_id = ${user} returning id`
  await sql(Id)`delete from recovery_codes where user_id = ${user} returning user_id as id`
  return passkeys.length + apps.length
}

export const listOrganizationsOf = (sql: SystemSql, user: UserId) => sql(Home)`
  select organization_id as id from members where user_id = ${user}`
