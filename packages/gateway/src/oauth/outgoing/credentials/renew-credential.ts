/**
 * One renewal of a credential, however many ask for it and in however many gateways: who has the lease asks the authorization server,
 * all others wait for what it stores.
 *
 * What a person must mend is told apart from what may pass (RFC 6749, section 5.2): only the first ends a credential. A new refresh
 * token that cannot be stored is kept and stored later; one that was stored is never asked for twice.
 */
import { randomUUID } from 'node:crypto'
import { Fault, type CredentialId, type OrganizationId } from '@toolway/contract'
import {
  findState,
  leaseCredential,
  storePause,
  storeRenewed,
  type BoundRow,
  type StateRow,
  type RenewalLease,
} from '../../../credentials/renewal.ts'
import type { Db } from '../../../db/db.ts'
import { backoff, endless, retry } from '@toolway/protocol/retry'
import type { Log } from '../../../lib/log.ts'
import { pause, REAL_TIME } from '../../../lib/pause.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import { accessTokenSealContext, refreshTokenSealContext } from '../../../vault/sealed-columns.ts'
import { MissingVaultKey } from '../../../vault/sealed-value.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { ClientOf } from './client-of.ts'
import { DAMAGED, type CredentialMemory } from './credential-memory.ts'
import type { LoseCredential } from './lose-credential.ts'
import type { ClientIdentity, Egress, OutgoingOAuth, Tokens } from '../ports.ts'

export interface RenewalParts {
  readonly db: Pick<Db, 'organization'>
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly oauth: Pick<OutgoingOAuth, 'refresh' | 'revoke'>
  readonly clientOf: ClientOf
  readonly memory: Pick<CredentialMemory, 'changed' | 'watch'>
  readonly lose: LoseCredential
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** How a renewal ended; `failed` is tried again. */
  onEnd?(result: 'renewed' | 'failed'): void
  readonly now: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Milliseconds that one waits for another gateway's renewal. */
  readonly patience?: number
}

export interface Renewing {
  readonly organizationId: OrganizationId
  readonly id: CredentialId
  /** The one that is to be replaced. */
  readonly version: number
  readonly egress: Egress
  /** The authorization server for the connection as it is now; undefined where any may be. */
  readonly issuer: string | undefined
  /** Why no account may be used at its address. */
  readonly misplaced: string | undefined
}

export interface Renewal {
  /**
   * Resolves once there is a newer one, or none that can be renewed: memory then knows. Throws what may pass: `authority.unreachable`,
   * `authority.malformed`, `egress.refused`, `credential.busy`.
   */
  renew(renewing: Renewing): Promise<void>
  close(): Promise<void>
}

const PATIENCE = 30_000
/** Between two looks at the database, for a notice that was lost. */
const POLL_MS = 500
/** Seconds, at most, until it is tried again after a failure. */
const PAUSES = { first: 2, most: 600 }
/** Milliseconds between attempts to store new tokens. */
const STORING = endless({ first: 100, most: 60_000 })
const CLOSING_MS = 5_000

const ELSEWHERE = 'it was connected at another authorization server than that of the connection’s address'

interface Leased {
  readonly bound: BoundRow
  readonly client: ClientIdentity | undefined
}

export function createRenewal(parts: RenewalParts): Renewal {
  const { db, clientOf, memory, patience = PATIENCE } = parts
  const lease = randomUUID()
  const closing = new AbortController()
  const flights = createSingleFlight<string, void>()
  const underWay = new Set<Promise<void>>()

  const leaseOrLook = (
    organizationId: OrganizationId,
    renewalLease: RenewalLease,
  ): Promise<Leased | StateRow | undefined> =>
    db.organization(organizationId, async (sql) => {
      const bound = await leaseCredential(sql, renewalLease)
      return bound === undefined ? findState(sql, renewalLease.id) : { bound, client: await clientOf(sql, bound) }
    })

  async function run(renewing: Renewing): Promise<void> {
    const { organizationId, id, version, egress } = renewing
    const renewalLease: RenewalLease = { id, version, lease }
    const late = AbortSignal.timeout(patience)
    for (;;) {
      using sink = nextChange(memory, organizationId)
      const taken = await leaseOrLook(organizationId, renewalLease)
      if (taken !== undefined && 'bound' in taken)
        return await renewLeased(parts, renewing, renewalLease, taken, closing.signal)
      if (taken === undefined || taken.lost || !taken.renewable || taken.version > version)
        return memory.changed(organizationId)
      if (!taken.leased && (taken.pause ?? 0) > 0) throw pausedFault(egress, taken.pause ?? 0)
      if (late.aborted || closing.signal.aborted)
        throw new Fault('credential.busy', { connection: egress.alias, problem: 'another gateway has begun it' })
      await Promise.race([sink.heard, pause(POLL_MS, AbortSignal.any([late, closing.signal]))])
    }
  }

  return {
    renew: (renewing) =>
      flights(`${renewing.id} ${renewing.version}`, () => {
        const flight = run(renewing)
        const settled = flight.catch(() => {}).finally(() => underWay.delete(settled))
        underWay.add(settled)
        return flight
      }),
    async close() {
      const late = new AbortController()
      await Promise.race([Promise.all(underWay), pause(CLOSING_MS, late.signal)])
      late.abort()
      closing.abort()
      await Promise.all(underWay)
    },
  }
}

/** Resolves with the next change of the organization's credentials. */
function nextChange(memory: Pick<CredentialMemory, 'watch'>, organizationId: OrganizationId) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = memory.watch(organizationId, resolve)
  return { heard: promise, [Symbol.dispose]: end }
}

const pausedFault = ({ alias }: Egress, seconds: number) =>
  new Fault('authority.unreachable', {
    connection: alias,
    problem: `it failed a moment ago; the next attempt is in ${Math.ceil(seconds)} s`,
  })

async function renewLeased(
  parts: RenewalParts,
  { organizationId, egress, issuer, misplaced }: Renewing,
  renewalLease: RenewalLease,
  { bound, client }: Leased,
  closing: AbortSignal,
): Promise<void> {
  const { oauth, vault, lose } = parts
  const { authority, sealed_refresh_token: sealed, scopes } = bound
  if (authority === null || client === undefined || sealed === null)
    return void (await lose(renewalLease, 'the OAuth client that it was connected with no longer exists'))
  if (misplaced !== undefined || (issuer !== undefined && issuer !== authority.issuer))
    return void (await lose(
      renewalLease,
      misplaced === undefined ? ELSEWHERE : `the address of its connection ${misplaced}`,
    ))
  const refreshToken = openRefreshToken(vault, sealed, bound.id)
  if (refreshToken === undefined) return void (await lose(renewalLease, DAMAGED))
  let tokens: Tokens
  try {
    tokens = await oauth.refresh({ authority, client, refreshToken, scopes }, egress)
  } catch (thrown) {
    parts.onEnd?.('failed')
    return fail(parts, organizationId, renewalLease, bound, thrown)
  }
  parts.onEnd?.('renewed')
  const stored = await store(parts, organizationId, renewalLease, tokens, closing)
  parts.memory.changed(organizationId)
  const facts = { credential: bound.id, connection: bound.connection_id }
  if (stored) return parts.log.info({ ...facts, version: bound.version + 1 }, 'a credential was renewed')
  parts.log.warn(facts, 'a credential was removed or replaced while it was refreshed')
  // The new tokens are stored nowhere: they are revoked, unless a user has connected the same account meanwhile.
  const there = await parts.db.organization(organizationId, (sql) => findState(sql, bound.id))
  if (there !== undefined) return
  // The refresh token first: with it, many a server ends the other.
  const revoked = [['refresh_token', tokens.refresh] as const, ['access_token', tokens.access] as const]
  for (const [hint, token] of revoked)
    if (token !== undefined)
      await oauth
        .revoke({ authority, client, token, hint }, egress)
        .catch((thrown: unknown) => parts.log.warn({ ...facts, err: thrown }, 'a token could not be revoked'))
}

/** Undefined: it was changed, or belongs to another account. */
function openRefreshToken(vault: RenewalParts['vault'], sealed: Uint8Array, id: CredentialId): string | undefined {
  try {
    return vault.open(sealed, refreshTokenSealContext(id))
  } catch (thrown) {
    if (thrown instanceof MissingVaultKey) throw thrown
    return undefined
  }
}

/** Until it is stored: the old refresh token may be good no more, and nobody else has the new one. */
function store(
  { db, vault, now }: RenewalParts,
  organizationId: OrganizationId,
  renewalLease: RenewalLease,
  tokens: Tokens,
  closing: AbortSignal,
): Promise<boolean> {
  const { id } = renewalLease
  const renewed = {
    access: vault.seal(tokens.access, accessTokenSealContext(id)),
    refresh: tokens.refresh === undefined ? undefined : vault.seal(tokens.refresh, refreshTokenSealContext(id)),
    tokenType: tokens.tokenType,
    scopes: tokens.scopes,
  }
  return retry(
    () =>
      db.organization(organizationId, (sql) =>
        storeRenewed(sql, renewalLease, { ...renewed, left: leftOf(tokens, now()) }),
      ),
    { limits: STORING, evaluate: () => ({ wanted: 0, done: 'no' }), idempotent: true, signal: closing, ...REAL_TIME },
  )
}

/** Seconds that they are good for, which are counted by the database's clock from then on. */
export const leftOf = ({ expiresAt }: Pick<Tokens, 'expiresAt'>, now: number): number | undefined =>
  expiresAt === undefined ? undefined : Math.max(0, (expiresAt.getTime() - now) / 1000)

async function fail(
  { db, lose, log, memory, random }: RenewalParts,
  organizationId: OrganizationId,
  renewalLease: RenewalLease,
  { failures, connection_id: connection }: BoundRow,
  thrown: unknown,
): Promise<void> {
  const fault = Fault.of(thrown)
  if (fault.code === 'authority.refused') {
    await lose(renewalLease, `its authorization server does not renew it: ${fault.facts['problem'] ?? fault.message}`)
    return memory.changed(organizationId)
  }
  const seconds = backoff(PAUSES, failures + 1, random())
  log.warn(
    { credential: renewalLease.id, connection, err: fault, seconds },
    'a credential could not be refreshed; it stays in use',
  )
  await db.organization(organizationId, (sql) => storePause(sql, renewalLease, seconds))
  memory.changed(organizationId)
  throw fault
}
