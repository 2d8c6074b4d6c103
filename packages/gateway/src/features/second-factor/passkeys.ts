/**
 * Passkeys (WebAuthn Level 3): discoverable credentials with user verification, for the host of the public address and for its origin
 * alone. A sign count that does not rise is a copied authenticator, and is refused.
 *
 * Browsers give passkeys to host names only: with an IP address as the public one there are none.
 */
import { Fault, type UserId } from '@toolway/contract'
import type { NewPasskey, PasskeyAnswer } from '@toolway/contract/admin'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import ipaddr from 'ipaddr.js'
import type { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import { decodeBase64Url } from '../../lib/base64url.ts'
import {
  listPasskeys,
  lockPasskey,
  notePasskeyUse,
  type NewPasskeyRow,
  type PasskeyRow,
} from './second-factors.rows.ts'

/** Where passkeys belong to. */
export interface Site {
  readonly host: string
  readonly origin: string
}

export function siteOf(publicUrl: string): Site | undefined {
  const { hostname, origin } = new URL(publicUrl)
  const isAddress = ipaddr.isValid(hostname.replaceAll(/[[\]]/g, ''))
  return isAddress ? undefined : { host: hostname, origin }
}

/** Ed25519, P-256 and RSA, by their numbers in COSE (RFC 9053). */
const ALGORITHMS = [-8, -7, -257]
/** Milliseconds that a browser waits for the person. */
const TIMEOUT = 5 * 60_000

/** Loaded at its first use, which no start waits for. */
const library = () => import('@simplewebauthn/server')

const idsOf = async (sql: SystemSql, user: UserId) =>
  (await listPasskeys(sql, user)).map(({ credential_id: id, transports }) => ({
    id: id.toString('base64url'),
    transports: [...transports],
  }))

export interface Owner {
  readonly id: UserId
  readonly email: string
  readonly name: string
}

/** The options with which a browser makes a passkey. */
export async function creationOptions(sql: SystemSql, { host }: Site, { id, email, name }: Owner) {
  const { generateRegistrationOptions } = await library()
  return generateRegistrationOptions({
    rpName: 'Toolway',
    rpID: host,
    userID: new Uint8Array(Buffer.from(id)),
    userName: email,
    userDisplayName: name,
    attestationType: 'none',
    timeout: TIMEOUT,
    excludeCredentials: await idsOf(sql, id),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
}

/**
 * The options with which a browser uses a passkey. They name none: every passkey of ours is discoverable, and whose there are is told to
 * nobody who has only a password.
 */
export async function requestOptions({ host }: Site) {
  const { generateAuthenticationOptions } = await library()
  return generateAuthenticationOptions({ rpID: host, userVerification: 'required', timeout: TIMEOUT })
}

export interface PasskeyToAdd {
  readonly site: Site
  readonly user: UserId
  readonly name: string
  /** The challenge of the options. */
  readonly expected: string
  readonly passkey: z.output<typeof NewPasskey>
}

/** Throws `passkey.wrong` for one that was not made for this site, this challenge, and with the person's verification. */
export async function readNewPasskey({ site, user, name, expected, passkey }: PasskeyToAdd): Promise<NewPasskeyRow> {
  const { verifyRegistrationResponse } = await library()
  try {
    const { verified, registrationInfo: made } = await verifyRegistrationResponse({
      response: { ...passkey, clientExtensionResults: {} } as RegistrationResponseJSON,
      expectedChallenge: expected,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) throw new Error('it is not verified')
    const { id, publicKey, counter } = made.credential
    return {
      user_id: user,
      credential_id: Buffer.from(id, 'base64url'),
      public_key: Buffer.from(publicKey),
      sign_count: counter,
      transports: passkey.response.transports ?? [],
      name,
      synced: made.credentialBackedUp,
    }
  } catch (thrown) {
    throw new Fault('passkey.wrong', {}, { cause: thrown })
  }
}

export interface PasskeyUse {
  readonly site: Site
  /** Undefined: whose it is shows by the passkey. */
  readonly user: UserId | undefined
  readonly expected: string
  readonly passkey: z.output<typeof PasskeyAnswer>
}

/** Whose passkey answered that challenge; undefined for a wrong answer, or for one of somebody else. */
export async function usePasskey(
  sql: SystemSql,
  { site, user, expected, passkey }: PasskeyUse,
): Promise<UserId | undefined> {
  const credentialId = decodeBase64Url(passkey.id)
  const row = credentialId === undefined ? undefined : await lockPasskey(sql, credentialId)
  if (row === undefined || (user !== undefined && row.user_id !== user)) return undefined
  const handle = passkey.response.userHandle
  if (handle != null && handle !== '' && handle !== Buffer.from(row.user_id).toString('base64url')) return undefined
  const used = await verifyUse(row, { site, expected, passkey })
  if (used === undefined) return undefined
  await notePasskeyUse(sql, row.id, used.newCounter, used.credentialBackedUp)
  return row.user_id
}

async function verifyUse(row: PasskeyRow, { site, expected, passkey }: Omit<PasskeyUse, 'user'>) {
  const { verifyAuthenticationResponse } = await library()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...passkey, clientExtensionResults: {} } as AuthenticationResponseJSON,
      expectedChallenge: expected,
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      credential: {
        id: row.credential_id.toString('base64url'),
        publicKey: new Uint8Array(row.public_key),
        counter: row.sign_count,
      },
    })
    return verified ? authenticationInfo : undefined
  } catch {
    // The library throws for a wrong origin, site, challenge, counter or signature alike.
    return undefined
  }
}
