/**
 * The way of a person from "connect this" to a kept credential: begun here, gone at an authorization server, finished here.
 *
 * Each end asks memory anew who may and what the connection is: a member who left, or a connection whose address changed meanwhile,
 * gets nothing. No token, code, verifier or state leaves this file but to whom it is for.
 */
import { randomBytes } from 'node:crypto'
import {
  Fault,
  newId,
  type Authority,
  type ConnectionSettings,
  type CredentialId,
  type FlowId,
} from '@toolway/contract'
import { addFlow, type FlowRow } from '../../../credentials/flows.ts'
import type { Db } from '../../../db/db.ts'
import { isDatabaseFault } from '../../../db/unreachable.ts'
import type { Principal } from '../../../identity/principal.ts'
import { laxCookie } from '../../../lib/lax-cookie.ts'
import { recordChange, type Actor, type Change } from '../../../records/change.ts'
import { flowSecretSealContext, flowVerifierSealContext } from '../../../vault/sealed-columns.ts'
import type { Vault } from '../../../vault/vault.ts'
import type { ChooseClient } from './choose-client.ts'
import { CALLBACK } from './client-metadata.ts'
import type { Ending } from './connect-links.ts'
import type { Challenge, ClientIdentity, CredentialKeeping, OutgoingOAuth } from '../ports.ts'
import type { ExistingAccount } from './existing-accounts.ts'
import type { ConnectRequest, Target, Targets } from './target.ts'
import { webAddress } from '../protocol/web-address.ts'
import {
  cookieNameOf,
  FlowProblem,
  refusedFor,
  sha256,
  consumeCallback,
  type OAuthCallback,
  type Why,
} from './callback-check.ts'
import { roleForbidden } from '../../../lib/role-forbidden.ts'

export interface FlowParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly vault: Pick<Vault, 'seal' | 'open'>
  readonly oauth: Pick<OutgoingOAuth, 'discover' | 'authorizationUrl' | 'exchange'>
  readonly clients: Pick<ChooseClient, 'choose'>
  readonly keeping: Pick<CredentialKeeping, 'keep'>
  readonly targets: Targets
  /** Returns the server's challenge to a request without credentials. */
  challenge(target: Target): Promise<Challenge | undefined>
  /** The account that works and that a new one would replace (`existing-accounts.ts`). */
  inTheWay(connectRequest: ConnectRequest, target: Target): Promise<ExistingAccount | undefined>
  /** The name of the account, where only the vendor's interface tells it (`auth-probe.ts`). Never throws. */
  nameAt(target: Target, token: string): Promise<string | undefined>
  /** The scopes that the tools of a connection need, where they are known. */
  scopesOf(settings: ConnectionSettings): Promise<readonly string[]> | undefined
  /** Returns the current principal of a member; undefined for a user who is no member any more. */
  memberOf(userId: string): Principal | undefined
  publicUrl(): string
  readonly now: () => number
}

export interface Beginning {
  readonly connectRequest: ConnectRequest
  /** The principal that begins the flow. */
  readonly principal: Principal
  readonly actor: Actor
  readonly ending?: Ending
}

/** A way that has begun. */
export interface OAuthRedirect {
  readonly flowId: FlowId
  /** Where the browser goes now. */
  readonly url: URL
  /** The browser that goes there must be given this with the answer; without it nothing comes back. A `Set-Cookie` value. */
  readonly cookie: string
  readonly expiresAt: Date
}

export interface Arrival {
  readonly flow: FlowRow
  readonly credentialId: CredentialId
  /** Takes the cookie away. */
  readonly cookie: string
}

export interface Flows {
  /**
   * Returns the authorization server and the scopes, from discovery or the vendor table. It changes nothing. Throws
   * `authority.*`, `egress.refused`, `flow.unfit`.
   */
  plan(target: Target): Promise<Plan>
  /**
   * Throws as `plan` does, `thing.unknown` and `role.forbidden` for who may not, `account.connected` where an account that works would be
   * replaced unasked, and `authority.client` where a client has to be given
   * first; then nobody was sent there.
   */
  begin(beginning: Beginning): Promise<OAuthRedirect>
  /** Throws FlowProblem. */
  finish(back: OAuthCallback, actor: Omit<Actor, 'id' | 'type'>): Promise<Arrival>
}

export interface Plan {
  readonly authority: Authority
  readonly scopes: readonly string[]
}

export const FLOW_MINUTES = 10
const SECONDS = FLOW_MINUTES * 60
const secret = () => randomBytes(32).toString('base64url')

export const createFlows = (parts: FlowParts): Flows => new ConnectFlows(parts)

class ConnectFlows implements Flows {
  readonly #parts: FlowParts
  readonly #db

  constructor(parts: FlowParts) {
    this.#parts = parts
    this.#db = parts.db
  }

  #isSecure() {
    return this.#parts.publicUrl().startsWith('https:')
  }

  #cookieLine(state: string, value: string, redirectUri: string, seconds: number) {
    return laxCookie(cookieNameOf(state, this.#isSecure()), value, {
      // `__Host-` wants the whole host.
      path: this.#isSecure() ? '/' : new URL(redirectUri).pathname,
      seconds,
      secure: this.#isSecure(),
    })
  }

  async plan(target: Target): Promise<Plan> {
    const { vendor, url, title, egress, auth, connection } = target
    if (auth?.kind === 'key')
      throw new Fault('flow.unfit', { connection: egress.alias, problem: 'it uses a key, not an account' })
    if (vendor === undefined && url === undefined) throw new Error(`${title} has no authorization server`)
    const challenge = vendor === undefined ? await this.#parts.challenge(target) : undefined
    const authority = vendor?.authority ?? (await this.#parts.oauth.discover({ url: url ?? '', challenge, egress }))
    const ofTools = connection === undefined ? undefined : await this.#parts.scopesOf(connection.settings)
    return { authority, scopes: scopesFor(target, authority, { challenge, ofTools }) }
  }

  async begin({ connectRequest, principal, actor, ending = {} }: Beginning): Promise<OAuthRedirect> {
    const target = this.#parts.targets.open(connectRequest)
    refuseOthers(this.#parts.targets, principal, target)
    const there = await this.#parts.inTheWay(connectRequest, target)
    if (there !== undefined) throw new Fault('account.connected', { account: there.name ?? there.account })
    const { authority, scopes } = await this.plan(target)
    const { organizationId } = connectRequest
    const redirectUri = `${this.#parts.publicUrl()}${ending.callback ?? CALLBACK}`
    const { egress, server = null } = target
    const client = await this.#parts.clients.choose({ organizationId, authority, redirectUri, scopes, egress, actor })
    const [state, verifier, browser] = [secret(), secret(), secret()]
    const flow = { authority, client, redirectUri, state, verifier, scopes }
    const to = await this.#parts.oauth.authorizationUrl(flow)
    // Where a browser is sent is an address of the web, whatever some metadata says.
    const url = webAddress(to.href, 'its authorization endpoint', egress)
    const id = newId('flw')
    const expiresAt = new Date(this.#parts.now() + SECONDS * 1000)
    const sealedSecret =
      client.secret === undefined ? null : this.#parts.vault.seal(client.secret, flowSecretSealContext(id))
    await this.#db.organization(organizationId, (sql) =>
      addFlow(sql, {
        id,
        organizationId,
        connection_id: connectRequest.connectionId ?? null,
        provider: authority.provider,
        user_id: connectRequest.userId ?? null,
        begun_by: principal.id,
        account: connectRequest.account ?? null,
        stateHash: sha256(state),
        browserHash: sha256(browser),
        sealed_verifier: this.#parts.vault.seal(verifier, flowVerifierSealContext(id)),
        client_id: client.clientId,
        sealed_client_secret: sealedSecret,
        app_id: client.appId ?? null,
        auth_method: client.method,
        authority,
        server,
        scopes: [...scopes],
        redirect_uri: redirectUri,
        return_to: JSON.stringify(ending),
        replaces: connectRequest.replaces ?? null,
        expiresAt,
      }),
    )
    return { flowId: id, url, cookie: this.#cookieLine(state, browser, redirectUri, SECONDS), expiresAt }
  }

  async finish(back: OAuthCallback, from: Omit<Actor, 'id' | 'type'>): Promise<Arrival> {
    const flow = await consumeCallback(this.#db, back, this.#isSecure())
    const actor: Actor = { ...from, id: flow.begun_by, type: flow.begun_by.startsWith('key_') ? 'api_key' : 'user' }
    try {
      const target = stillThere(this.#parts, flow)
      const credentialId = await exchange(this.#parts, { flow, target, answer: back.answer, actor })
      await this.#db.organization(flow.organization_id, (sql) =>
        recordChange(sql, actor, flow.organization_id, saysConnected(flow, credentialId)),
      )
      const state = back.answer.get('state') ?? ''
      return { flow, credentialId, cookie: this.#cookieLine(state, '', flow.redirect_uri, 0) }
    } catch (thrown) {
      const problem = problemOf(thrown, flow, back.answer)
      await this.#db.organization(flow.organization_id, (sql) =>
        recordChange(sql, actor, flow.organization_id, saysFailed(flow, problem)),
      )
      throw problem
    }
  }
}

/** A stranger learns nothing of what there is. */
function refuseOthers(targets: Targets, principal: Principal, target: Target): void {
  const may = targets.may(principal, target)
  if (may === 'foreign') throw new Fault('thing.unknown', { thing: 'connection' })
  if (may === 'forbidden') throw roleForbidden(principal.role, 'connector_update')
}

/**
 * The connection's own word, else the server's, else those that its tools need, else all that there is; and what a call has asked for
 * besides (step-up).
 */
function scopesFor(
  { auth, connectRequest }: Target,
  authority: Authority,
  { challenge, ofTools }: { challenge: Challenge | undefined; ofTools: readonly string[] | undefined },
): string[] {
  const challenged = challenge?.scope?.split(' ').filter((scope) => scope !== '')
  const own = auth?.scopes ?? challenged ?? ofTools ?? authority.scopes ?? []
  const lasting = authority.scopesSupported?.includes('offline_access') === true ? ['offline_access'] : []
  return [...new Set([...own, ...connectRequest.scopes, ...lasting])]
}

/**
 * Checks that the user who began the flow still has the permission, and that the connection has not changed: a credential is
 * bound to the server for which its flow began.
 */
function stillThere({ targets, memberOf }: FlowParts, flow: FlowRow): Target {
  const request = {
    organizationId: flow.organization_id,
    userId: flow.user_id ?? undefined,
    account: flow.account ?? undefined,
    scopes: [],
  }
  const target = openAgain(targets, flow, {
    ...request,
    ...(flow.connection_id === null ? { provider: flow.provider } : { connectionId: flow.connection_id }),
  })
  const refusedFlow = (why: Why) => new FlowProblem('invalid_state', why, refusedFor(why), flow)
  if ((target.server ?? null) !== flow.server) throw refusedFlow('address')
  const { provider = 'mcp', issuer = flow.authority.issuer } = target.vendor?.authority ?? {}
  if (target.auth?.kind === 'key' || provider !== flow.provider || issuer !== flow.authority.issuer)
    throw refusedFlow('kind')
  if (flow.begun_by.startsWith('usr_')) {
    const principal = memberOf(flow.begun_by)
    if (principal === undefined || targets.may(principal, target) !== 'yes') throw refusedFlow('member')
  }
  return target
}

function openAgain(targets: Targets, flow: FlowRow, connectRequest: ConnectRequest): Target {
  try {
    return targets.open(connectRequest)
  } catch (thrown) {
    throw new FlowProblem('invalid_state', 'gone', Fault.of(thrown), flow)
  }
}

interface Exchanging {
  readonly flow: FlowRow
  readonly target: Target
  readonly answer: URLSearchParams
  readonly actor: Actor
}

async function exchange(
  { vault, oauth, keeping, nameAt }: FlowParts,
  { flow, target, answer, actor }: Exchanging,
): Promise<CredentialId> {
  const { authority } = flow
  const client: ClientIdentity = {
    clientId: flow.client_id,
    secret:
      flow.sealed_client_secret === null
        ? undefined
        : vault.open(flow.sealed_client_secret, flowSecretSealContext(flow.id)),
    method: flow.auth_method ?? 'none',
    appId: flow.app_id ?? undefined,
  }
  const verifier = vault.open(flow.sealed_verifier, flowVerifierSealContext(flow.id))
  const tokens = await oauth.exchange(
    { authority, client, redirectUri: flow.redirect_uri, verifier, answer, scopes: flow.scopes },
    target.egress,
  )
  const { account } = tokens
  const name = account.name ?? (await nameAt(target, tokens.access))
  return keeping.keep({
    organizationId: flow.organization_id,
    connectionId: flow.connection_id ?? undefined,
    userId: flow.user_id ?? undefined,
    account: flow.account ?? undefined,
    replaces: flow.replaces ?? undefined,
    kind: 'oauth',
    authority,
    client,
    server: flow.server ?? undefined,
    scopes: tokens.scopes ?? flow.scopes,
    tokens: { ...tokens, account: { ...account, name } },
    actor,
  })
}

const WHYS_OF: Readonly<Record<string, Why>> = {
  'authority.refused': 'client',
  'authority.unreachable': 'unreachable',
  'egress.refused': 'unreachable',
  'request.stale': 'address',
  'thing.unknown': 'gone',
  'account.connected': 'connected',
}

/**
 * Returns the vendor's error code only where the answer is certainly the vendor's (RFC 9207, section 2.4). Unexpected errors are
 * rethrown.
 */
function problemOf(thrown: unknown, flow: FlowRow, answer: URLSearchParams): FlowProblem {
  if (thrown instanceof FlowProblem) return thrown
  const fault = Fault.of(thrown)
  if (fault.code === 'internal' || isDatabaseFault(fault)) throw thrown
  const [refusal, iss] = [answer.get('error'), answer.get('iss')]
  const { issuer, issInResponse } = flow.authority
  const surely = issInResponse ? iss === issuer : iss === null || iss === issuer
  const error = refusal !== null && refusal !== '' && surely ? refusal.slice(0, 100) : 'token_exchange_failed'
  return new FlowProblem(error, WHYS_OF[fault.code] ?? 'malformed', fault, flow)
}

const sessionOf = ({ return_to: ending }: FlowRow) => endingOf(ending).session
/** How a flow ends, as it was begun. */
export const endingOf = (stored: string | null): Ending => (stored === null ? {} : (JSON.parse(stored) as Ending))

const factsOf = (flow: FlowRow) => ({
  connection: flow.connection_id,
  provider: flow.provider,
  issuer: flow.authority.issuer,
  owner: flow.user_id ?? 'organization',
  ...(sessionOf(flow) === undefined ? {} : { session: sessionOf(flow) }),
})

const saysConnected = (flow: FlowRow, id: CredentialId): Change => ({
  action: 'credential.connect',
  resource: 'credential',
  id,
  detail: { ...factsOf(flow), scopes: flow.scopes },
})

/** What the authorization server said, or what is wrong with its answer; no other fault of a flow says more than its code. */
const reasonOf = ({ code, facts }: Fault) => (code.startsWith('authority.') ? { reason: facts['problem'] } : {})

const saysFailed = (flow: FlowRow, { fault }: FlowProblem): Change => ({
  action: 'credential.connect',
  resource: 'credential',
  id: flow.connection_id ?? flow.provider,
  outcome: 'refused',
  code: fault.row.word,
  detail: { ...factsOf(flow), problem: fault.code, ...reasonOf(fault) },
})
