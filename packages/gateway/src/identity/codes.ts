/**
 * One-time codes that a person types: the setup code of an empty installation, and those with which a password is chosen.
 *
 * Eighty random bits, written so that they can be read out; only a keyed hash is kept.
 */
import { randomBytes } from 'node:crypto'
import type { UserId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

/** Crockford's base 32 in capitals: no I, L, O, U. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** `XXXX-XXXX-XXXX-XXXX` */
export function mintCode(): string {
  const digits = Array.from(randomBytes(16), (byte) => DIGITS.charAt(byte & 31))
  return [0, 4, 8, 12].map((at) => digits.slice(at, at + 4).join('')).join('-')
}

/** Normalizes a typed code: letters that look like digits become those digits. */
export const codeTextOf = (typed: string): string =>
  typed
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
    .replaceAll(/[^\dA-Z]/g, '')

type Hash = (text: string) => Buffer

const Id = z.object({ id: z.string().transform((id) => id as UserId) })
const Name = z.object({ name: z.string() })
const SET_UP = 'setup code'

/** Another code for the first person; the one before it is void. Undefined when there is somebody already. */
export async function newSetUpCode(sql: SystemSql, hash: Hash): Promise<string | undefined> {
  const code = mintCode()
  const value = JSON.stringify({ hash: hash(`${SET_UP} ${codeTextOf(code)}`).toString('hex') })
  const rows = await sql(Name)`
    insert into installation (name, value) select ${SET_UP}, ${value} where not exists (select from users)
    on conflict (name) do update set value = excluded.value returning name`
  return rows.length === 0 ? undefined : code
}

/** Whether it was the code; it is spent by this, for whoever comes at the same time as well. */
export async function spendSetUpCode(sql: SystemSql, hash: Hash, typed: string): Promise<boolean> {
  const digest = hash(`${SET_UP} ${codeTextOf(typed)}`).toString('hex')
  const rows = await sql(Name)`
    delete from installation where name = ${SET_UP} and value ->> 'hash' = ${digest} returning name`
  return rows.length > 0
}

export const isSetUpCode = async (sql: SystemSql, hash: Hash, typed: string): Promise<boolean> =>
  (
    await sql(Name)`
      select name from installation
       where name = ${SET_UP} and value ->> 'hash' = ${hash(`${SET_UP} ${codeTextOf(typed)}`).toString('hex')}`
  ).length > 0

export interface PasswordCode {
  readonly code: string
  readonly expiresAt: Date
}

const THREE_DAYS = 3 * 24 * 60 * 60 * 1000

/** Another code with which the person chooses a password; the one before it is void. */
export async function newPasswordCode(sql: SystemSql, hash: Hash, userId: UserId): Promise<PasswordCode> {
  const code = mintCode()
  const expiresAt = new Date(Date.now() + THREE_DAYS)
  await sql(z.object({}))`
    insert into password_codes (user_id, hash, expires_at)
    values (${userId}, ${hash(`password code ${codeTextOf(code)}`)}, ${expiresAt})
    on conflict (user_id) do update set hash = excluded.hash, expires_at = excluded.expires_at`
  return { code, expiresAt }
}

/** Returns the owner of a code, without spending it. */
export async function findByPasswordCode(sql: SystemSql, hash: Hash, typed: string): Promise<UserId | undefined> {
  const rows = await sql(Id)`
    select user_id as id from password_codes
     where hash = ${hash(`password code ${codeTextOf(typed)}`)} and expires_at > now()`
  return rows[0]?.id
}

export async function spendPasswordCode(sql: SystemSql, hash: Hash, typed: string): Promise<UserId | undefined> {
  const rows = await sql(Id)`
    delete from password_codes
     where hash = ${hash(`password code ${codeTextOf(typed)}`)} and expires_at > now() returning user_id as id`
  return rows[0]?.id
}

export const voidPasswordCode = async (sql: SystemSql, userId: UserId): Promise<void> =>
  void (await sql(z.object({}))`delete from password_codes where user_id = ${userId}`)
