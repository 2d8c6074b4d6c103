/**
 * Codes of authenticator apps (TOTP, RFC 6238): six digits of SHA-1 and thirty seconds, which every app understands. One step to each
 * side is tolerated, and each step of an app counts once.
 */
import { newId, type UserId } from '@toolway/contract'
import { Secret, TOTP } from 'otpauth'
import type { SystemSql } from '../../db/db.ts'
import { authenticatorAppSealContext } from '../../vault/sealed-columns.ts'
import type { Vault } from '../../vault/vault.ts'
import { addApp, listApps, useStep, type AppRow } from './second-factors.rows.ts'

const PERIOD = 30
const DIGITS = 6
const TOLERATED = 1
/** Bytes, as RFC 4226, section 4, recommends. */
const SECRET_BYTES = 20
export const CODE_FORM = /^\d{6}$/

export const mintSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** For a QR code (Key URI Format). */
export const uriOf = (secret: string, email: string, host: string): string =>
  new TOTP({
    issuer: `Toolway ${host}`,
    label: email,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD,
  }).toString()

/** The time step of a code; undefined for a wrong one. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const delta = TOTP.validate({
    token: code,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD,
    timestamp: now,
    window: TOLERATED,
  })
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta
}

type Sealing = Pick<Vault, 'seal' | 'open'>

export interface AppToAdd {
  readonly user: UserId
  readonly secret: string
  readonly name: string
  /** Of the code that proved that the app has the secret; it is used by that. */
  readonly step: number
}

export function storeApp(sql: SystemSql, vault: Sealing, { user, secret, name, step }: AppToAdd): Promise<AppRow> {
  const id = newId('atp')
  const sealed = vault.seal(secret, authenticatorAppSealContext(id))
  return addApp(sql, { id, user_id: user, sealed_secret: sealed, last_step: step, name })
}

/** Whether the code is one of the person's apps, and was not used before. Every app is asked, so that time tells nothing. */
export async function useCode(
  sql: SystemSql,
  vault: Sealing,
  { user, code, now }: { readonly user: UserId; readonly code: string; readonly now: number },
): Promise<boolean> {
  const found = (await listApps(sql, user)).map((app) => ({
    app,
    step: stepOf(vault.open(app.sealed_secret, authenticatorAppSealContext(app.id)), code, now),
  }))
  for (const { app, step } of found) if (step !== undefined && (await useStep(sql, app.id, step))) return true
  return false
}
