/**
 * Signing in, staying signed in, signing out: what the pages, the admin interface and the command line share.
 *
 * Each way ends in a pair of tokens, or in one fault that does not tell what was wrong. A refresh is single-flight in this
 * process and strict across processes: whoever comes second with a used token ends the sign-in, whoever it is (ADR 0015).
 */
import { Fault, type FamilyId, type IdentityProviderId, type OrganizationId, type UserId } from '@toolway/contract'
import { restOf } from '../../snapshot/sign-in-rules.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Db, SystemSql } from '../../db/db.ts'
import { isDatabaseFault } from '../../db/unreachable.ts'
import type { AccessTokens } from '../../identity/access-tokens.ts'
import type { Attempts } from '../../identity/attempts.ts'
import type { EndedSignIns } from '../../identity/ended-sign-ins.ts'
import type { IdentityProvider, Proven } from '../../identity/federated/identity-provider.ts'
import type { Passwords } from '../../identity/passwords.ts'
import {
  addRefreshToken,
  addSignIn,
  endSignIn,
  findByRefreshToken,
  isEnabledProvider,
  mintRefreshToken,
  REFRESH_FORM,
  renewSignIn,
  useRefreshToken,
  type SignInMethod,
  type SignInRow,
} from '../../identity/sign-ins.ts'
import { emailOf, findUser, findUserByEmail, noteSignedIn, type UserRow } from '../../identity/users.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import { recordChange, type Actor, type Change } from '../../records/change.ts'
import { userOf, type Provision } from './provided-user.ts'
import type { PasskeyProof, SecondFactorProof } from './second-factor-port.ts'
import type { FirstStep, SecondStep, SecondSteps, StepScope } from './second-step.ts'

export interface SignInParts {
  readonly db: Db
  hash(text: string): Buffer
  seal(text: string, row: string): Buffer
  readonly accessTokens: AccessTokens
  readonly passwords: Passwords
  readonly attempts: Attempts
  readonly ended: EndedSignIns
  findOrganization(name: { id?: string; slug?: string }): Snapshot | undefined
  allOrganizations(): readonly Snapshot[]
  /** Seconds that a refresh token lives. */
  readonly refreshLifetime: number
  /** Tokens are bound to the person's one organization where none is named (preset `uru`). */
  readonly bindsAlways: boolean
  /** Undefined where none is set. */
  readonly provider: IdentityProvider | undefined
  readonly provision: Provision
  /** Throws `login.provider` for a person whose organization wants them to sign in at its identity provider. */
  refusePassword(sql: SystemSql, user: UserRow): Promise<void>
  readonly secondSteps: SecondSteps
  /** Resolves when this process's memory knows of changed people, and of the members of that organization. */
  settle(id: UserId, organizationId: OrganizationId | undefined): Promise<void>
  publicUrl(): string
  now(): number
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Seconds. */
  readonly expiresIn: number
  readonly refreshExpiresIn: number
  readonly signInId: FamilyId
  readonly boundTo: OrganizationId | undefined
  readonly user: UserRow
}

/** `organization`: slug or id of the one that the tokens are for; undefined leaves them unbound. */
export type SignInScope = StepScope

export interface SignIn {
  /** Throws `login.wrong`, `login.limit`, or `place.unknown` for an organization the person is not in. */
  withPassword(actor: Actor, email: string, password: string, scope: SignInScope): Promise<Tokens | SecondStep>
  /**
   * With a token of the identity provider's: its ID token, or for Supabase its access token. Throws `login.provider` or
   * `place.unknown`.
   */
  withProviderToken(actor: Actor, token: string, scope: SignInScope): Promise<Tokens | SecondStep>
  /** For whom the provider has proven. Throws `login.provider` where that is nobody here. */
  withProven(actor: Actor, proven: Proven, scope: SignInScope): Promise<Tokens | SecondStep>
  /** The end of a sign-in with a second step. Throws `factor.wrong`, `factor.late` and `login.limit`. */
  withSecondFactor(actor: Actor, challenge: string, proof: SecondFactorProof): Promise<Tokens>
  /** By a passkey alone; undefined where nobody has any. */
  beginPasskey(): ReturnType<SecondSteps['beginPasskey']>
  /** Throws `factor.wrong`, `factor.late` and `login.limit`. */
  withPasskey(actor: Actor, challenge: string, passkey: PasskeyProof, scope: SignInScope): Promise<Tokens>
  /** For whom a provider of an organization has proven; `first` names it. */
  afterProvider(actor: Actor, first: FirstStep): Promise<Tokens | SecondStep>
  /** For somebody whose identity is proven already, by these methods; `how` is told in the record. */
  as(actor: Actor, first: FirstStep): Promise<Tokens>
  /** Throws `refresh.unknown`. `check` may refuse the sign-in before the token is used. */
  refresh(actor: Actor, token: string, check?: (signIn: SignInRow) => void): Promise<Tokens>
  /** Under which hash a refresh token is kept. */
  hashOf(token: string): Buffer
  /** Sign out. A refresh token that is not known is no fault: what it asks for is so. */
  end(actor: Actor, by: { token: string } | { id: FamilyId; userId: UserId }): Promise<void>
}

/** The browser cookies as operations use them; the HTTP handler provides the implementation. */
export interface WebCookies {
  refreshTokenOf(cookies: string | undefined): string | undefined
  /** Throws `request.csrf`. */
  checkCsrf(signInId: FamilyId | undefined, input: string | undefined): void
  cookiesFor(tokens: Tokens): readonly string[]
  clearing(): readonly string[]
}

const asUser = (actor: Actor, id: UserId): Actor => ({ ...actor, id, type: 'user' })

export function createSignIn(parts: SignInParts): SignIn {
  const { db, passwords, attempts, ended, secondSteps } = parts
  const refreshing = createSingleFlight<string, Tokens>()
  return {
    hashOf: (token) => hashOf(parts, token),
    async withPassword(actor, email, password, scope) {
      const good = attempts.begin(emailOf(email), actor.address)
      const user = await db.system((sql) => findUserByEmail(sql, email))
      const fits = await passwords.verify(password, user?.password)
      if (user === undefined || !fits || !user.active) return refuseSignIn(parts, actor, user)
      good()
      await db
        .system((sql) => parts.refusePassword(sql, user))
        .catch((thrown: unknown) => refusedBy(parts, actor, Fault.of(thrown)))
      return openOrAsk(parts, actor, { user, methods: ['pwd'], how: 'password', scope })
    },
    async withProviderToken(actor, token, scope) {
      const good = attempts.beginShared('provider token', actor.address)
      if (parts.provider === undefined) throw new Fault('login.provider', { problem: 'none is set' })
      const proven = await parts.provider
        .prove(token)
        .catch((thrown: unknown) => refusedBy(parts, actor, Fault.of(thrown)))
      const tokens = await openProven(parts, actor, proven, scope)
      good()
      return tokens
    },
    withProven: (actor, proven, scope) => openProven(parts, actor, proven, scope),
    withSecondFactor: async (actor, challenge, proof) =>
      open(parts, actor, await secondSteps.finish(actor, challenge, proof)),
    beginPasskey: () => secondSteps.beginPasskey(),
    withPasskey: async (actor, challenge, passkey, scope) =>
      open(parts, actor, await secondSteps.finishPasskey(actor, challenge, passkey, scope)),
    afterProvider: (actor, first) => openOrAsk(parts, actor, first),
    as: (actor, first) => open(parts, actor, first),
    async refresh(actor, token, check) {
      if (!REFRESH_FORM.test(token)) throw new Fault('refresh.unknown')
      if (check !== undefined) {
        const family = await db.system((sql) => findByRefreshToken(sql, hashOf(parts, token)))
        if (family === undefined) throw new Fault('refresh.unknown')
        check(family)
      }
      return refreshing(token, () => rotate(parts, actor, token))
    },
    async end(actor, by) {
      const id = await db.system(async (sql) => {
        const family =
          'id' in by ? { id: by.id, user_id: by.userId } : await findByRefreshToken(sql, hashOf(parts, by.token))
        if (family === undefined || !(await endSignIn(sql, family.id, 'signed out'))) return undefined
        await recordChange(sql, asUser(actor, family.user_id), undefined, signedOut(family.id))
        return family.id
      })
      if (id !== undefined) ended.add(id)
    },
  }
}

const hashOf = ({ hash }: SignInParts, token: string) => hash(`refresh ${token}`)

async function refuseSignIn(parts: SignInParts, actor: Actor, user: UserRow | undefined): Promise<never> {
  await parts.db.system((sql) => recordChange(sql, actor, undefined, failure(user)))
  throw new Fault('login.wrong')
}

async function tokensFor(parts: SignInParts, sql: SystemSql, user: UserRow, signIn: SignInRow): Promise<Tokens> {
  const refreshToken = mintRefreshToken()
  await addRefreshToken(
    sql,
    signIn.id,
    hashOf(parts, refreshToken),
    new Date(parts.now() + parts.refreshLifetime * 1000),
  )
  const boundTo = signIn.bound_to ?? undefined
  const accessToken = await parts.accessTokens.mint({
    sub: user.id,
    ...(boundTo === undefined ? {} : { org: boundTo }),
    sid: signIn.id,
    epoch: user.epoch,
    limit: 'execute',
    client_id: signIn.client,
    aud: parts.publicUrl(),
    auth_time: Math.floor(signIn.created_at.getTime() / 1000),
    amr: signIn.methods,
    idle: signIn.idle,
  })
  const lives = { expiresIn: parts.accessTokens.lifetime, refreshExpiresIn: parts.refreshLifetime }
  return { accessToken, refreshToken, ...lives, signInId: signIn.id, boundTo, user }
}

/** Throws `place.unknown` for one that is not there, or not for this person: both sound the same. */
function organizationFor(parts: SignInParts, user: UserRow, name: string | undefined): OrganizationId | undefined {
  const mine = ({ members }: Snapshot) => user.platform_admin || members.has(user.id)
  if (name !== undefined) {
    const found = parts.findOrganization({ slug: name }) ?? parts.findOrganization({ id: name })
    if (found === undefined || !mine(found)) throw new Fault('place.unknown')
    return found.organization.id
  }
  if (!parts.bindsAlways) return undefined
  const own = parts.allOrganizations().filter(({ members }) => members.has(user.id))
  return own.length === 1 ? own[0]?.organization.id : undefined
}

/** The tokens; or the second step, which a provider's sign-in does not need where the provider has asked for more than one factor. */
async function openOrAsk(parts: SignInParts, actor: Actor, first: FirstStep): Promise<Tokens | SecondStep> {
  // Refused before a second step, so that nobody takes it in vain.
  organizationFor(parts, first.user, first.scope.organization)
  const step = first.methods.includes('mfa')
    ? undefined
    : await parts.db.system((sql) => parts.secondSteps.begin(sql, first))
  return step ?? open(parts, actor, first)
}

async function open(
  parts: SignInParts,
  actor: Actor,
  { user, methods, how, scope, after }: FirstStep,
): Promise<Tokens> {
  const { organization, client } = scope
  const boundTo = organizationFor(parts, user, organization)
  return parts.db.system(async (sql) => {
    if (scope.provider !== undefined) await refuseProvider(sql, user.id, scope.provider.id, boundTo)
    const expiresAt = new Date(parts.now() + parts.refreshLifetime * 1000)
    const facts = { methods, address: actor.address, after, provider: scope.provider }
    const signIn = await addSignIn(sql, { userId: user.id, boundTo, client, expiresAt, ...facts })
    const tokens = await tokensFor(parts, sql, user, signIn)
    await noteSignedIn(sql, user.id)
    await recordChange(sql, asUser(actor, user.id), boundTo, {
      action: 'sign_in',
      kind: 'sign_in',
      resource: 'sign_in',
      id: signIn.id,
      detail: { by: how, client },
    })
    return tokens
  })
}

/** A second step, or a slow provider, may have taken a while. Throws `login.provider`. */
async function refuseProvider(
  sql: SystemSql,
  userId: UserId,
  id: IdentityProviderId,
  boundTo: OrganizationId | undefined,
): Promise<void> {
  if (!(await isEnabledProvider(sql, id)))
    throw new Fault('login.provider', { problem: 'it does not exist, or is disabled' })
  if (boundTo !== undefined && (await findUser(sql, userId))?.platform_admin === true)
    throw new Fault('login.provider', {
      problem: 'this account administers the installation, so it cannot be used with a provider of an organization',
    })
}

async function openProven(
  parts: SignInParts,
  actor: Actor,
  proven: Proven,
  scope: SignInScope,
): Promise<Tokens | SecondStep> {
  const { user, joined, changed } = await parts.db
    .system((sql) => userOf(sql, parts, actor, proven, parts.provision))
    .catch((thrown: unknown) => refusedBy(parts, actor, Fault.of(thrown)))
  if (changed) await parts.settle(user.id, joined)
  return openOrAsk(parts, actor, { user, methods: methodsOf(proven), how: 'identity provider', scope })
}

/** How a provider proved somebody. */
export const methodsOf = ({ severalFactors }: Proven): readonly SignInMethod[] =>
  severalFactors === true ? ['fed', 'mfa'] : ['fed']

async function refusedBy(parts: SignInParts, actor: Actor, fault: Fault): Promise<never> {
  if (fault.code !== 'internal' && !isDatabaseFault(fault)) {
    const detail = { by: 'identity provider' }
    await parts.db.system((sql) =>
      recordChange(sql, actor, undefined, { ...failure(undefined), code: fault.code, detail }),
    )
  }
  throw fault
}

/** Exchanges a refresh token. A refusal is thrown after the transaction, because a rollback would undo the end of the sign-in. */
async function rotate(parts: SignInParts, actor: Actor, token: string): Promise<Tokens> {
  const digest = hashOf(parts, token)
  const outcome = await parts.db.system(async (sql) => {
    const family = await findByRefreshToken(sql, digest)
    if (family === undefined || family.over || family.ended_at !== null) return undefined
    // Refresh tokens of OAuth clients are renewed by the code that knows their endpoint and limit, and are not valid here.
    if (!OWN_CLIENTS.has(family.client)) return undefined
    const user = await findUser(sql, family.user_id)
    if (user === undefined || !user.active) return undefined
    // A provider of an organization proves nobody who administers the installation.
    if (user.platform_admin && family.provider_id !== null && family.bound_to !== null) return undefined
    if (await useRefreshToken(sql, digest)) {
      const signIn = await renewSignIn(sql, family.id, actor.address)
      const why = whyOver(parts, user, signIn)
      if (why === undefined) return tokensFor(parts, sql, user, signIn)
      await endSignIn(sql, family.id, why)
      const detail = { why }
      await recordChange(sql, asUser(actor, user.id), family.bound_to ?? undefined, { ...signedOut(family.id), detail })
      return family.id
    }
    await endSignIn(sql, family.id, 'its refresh token was used twice')
    await recordChange(sql, asUser(actor, user.id), family.bound_to ?? undefined, reuse(family.id))
    return family.id
  })
  if (typeof outcome === 'object') return outcome
  if (outcome !== undefined) parts.ended.add(outcome)
  throw new Fault('refresh.unknown')
}

/** Why every organization that the sign-in is for takes it no more; what a single one of several refuses is refused there, at each use. */
function whyOver(parts: SignInParts, user: UserRow, signIn: SignInRow): string | undefined {
  const { bound_to: boundTo, created_at: began, idle } = signIn
  if (boundTo === null && user.platform_admin) return undefined
  const all = boundTo === null ? parts.allOrganizations().filter(({ members }) => members.has(user.id)) : []
  const bound = boundTo === null ? undefined : parts.findOrganization({ id: boundTo })
  const facts = { began: began.getTime() / 1000, idle }
  const reasons = (bound === undefined ? all : [bound]).map(({ organization }) =>
    restOf(organization.settings, facts, parts.now() / 1000),
  )
  if (reasons.length === 0 || reasons.includes(undefined)) return undefined
  return reasons.includes('age') ? 'it was too old' : 'it was not used for too long'
}

const OWN_CLIENTS: ReadonlySet<string> = new Set(['browser', 'command line'] satisfies SignInScope['client'][])

/** The typed text is not recorded, because users type their password into the email field. */
const failure = (user: UserRow | undefined): Change => ({
  action: 'sign_in',
  kind: 'sign_in',
  resource: 'user',
  id: user?.id ?? 'unknown',
  outcome: 'refused',
  code: 'login.wrong',
  detail: { by: 'password' },
})

const reuse = (id: FamilyId): Change => ({
  action: 'sign_in.reuse',
  kind: 'sign_in',
  resource: 'sign_in',
  id,
  outcome: 'refused',
  code: 'refresh.unknown',
  detail: { ended: true },
})

const signedOut = (id: FamilyId): Change => ({ action: 'sign_out', kind: 'sign_in', resource: 'sign_in', id })
