/**
 * The credential of a call at its connection (ledger U-24): the one that came with the call, else the caller's own, else the
 * organization's, else a link for this person and this connection.
 *
 * Credentials come from memory after the first time; a call waits only where one has to be loaded or renewed. A token that is still
 * good serves when its renewal fails for a moment; a token that has run out never does.
 */
import { hash as digestOf, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault, type OrganizationId, type CredentialId } from '@toolway/contract'
import type {
  AccountOf,
  CallCredentials,
  CredentialAsking,
  OpenCredential,
} from '../../../snapshot/ports/credentials.ts'
import type { Snapshot } from '../../../snapshot/snapshot.ts'
import {
  accountsIn,
  chooseCredential,
  FRESH,
  isFresh,
  namesOf,
  NOTHING,
  ownerOf,
  type Choice,
} from './choose-credential.ts'
import type { ConnectionFacts, KnownFacts } from './connection-facts.ts'
import type { CredentialMemory, HeldCredential } from './credential-memory.ts'
import { createLacking } from './lacking-scopes.ts'
import type { LoseCredential } from './lose-credential.ts'
import type { Challenge, ConnectLinks } from '../ports.ts'
import { readChallenge } from '../protocol/read-challenge.ts'
import type { Renewal } from './renew-credential.ts'

export interface CallCredentialsParts {
  find(organization: { id: OrganizationId }): Snapshot | undefined
  readonly factsOf: KnownFacts
  readonly memory: CredentialMemory
  readonly renewal: Pick<Renewal, 'renew'>
  readonly lose: LoseCredential
  readonly links: Pick<ConnectLinks, 'link'>
  /** A credential is in use. `untried`: nobody knows yet whether its server takes it, and its state waits for this. */
  onUse(id: CredentialId, untried: boolean): void
  readonly now: () => number
}

/** Renewals of new tokens: one of an account in a minute. Milliseconds. */
const FRESH_RENEWALS = { max: 10_000, ttl: 60_000 }

/** The scopes that a server's challenge names, bounded because the server chooses them. */
const scopesIn = (challenge: Challenge | undefined): readonly string[] =>
  (challenge?.scope ?? '')
    .split(' ')
    .filter((scope) => scope !== '' && scope.length <= 200)
    .slice(0, 100)

export const createCallCredentials = (parts: CallCredentialsParts): CallCredentials => new OpenedCredentials(parts)

class OpenedCredentials implements CallCredentials {
  readonly #parts: CallCredentialsParts
  readonly #lacking = createLacking()
  readonly #salt = randomBytes(16).toString('hex')
  /** The accounts whose token was renewed although it was new: when, and the version of that token. */
  readonly #renewedFresh = new LRUCache<CredentialId, { readonly at: number; readonly version: number }>(FRESH_RENEWALS)

  constructor(parts: CallCredentialsParts) {
    this.#parts = parts
  }

  open(asking: CredentialAsking): OpenCredential | undefined | Promise<OpenCredential | undefined> {
    const facts = this.#factsFor(asking)
    if (facts === undefined) return undefined
    if (asking.brought !== undefined) return this.#brought(facts, asking.brought)
    if (facts.auth.kind === 'none') return undefined
    refuseMisplaced(facts)
    const choice = this.#known(facts, asking)
    return choice === undefined
      ? this.#load(facts, asking).then((loaded) => this.#settle(facts, asking, loaded))
      : this.#settle(facts, asking, choice)
  }

  async refused(
    asking: CredentialAsking,
    used: OpenCredential | undefined,
    header: string | undefined,
    status: number,
  ): Promise<OpenCredential> {
    const challenge = readChallenge(header)
    const facts = this.#factsFor(asking)
    const alias = facts?.egress.alias ?? 'asked for'
    const shut = () => new Fault('upstream.needs-auth', { connection: alias, problem: `HTTP ${status}` })
    if (facts === undefined || (facts.auth.kind === 'none' && used === undefined)) throw shut()
    const more = status === 403 && challenge?.error === 'insufficient_scope'
    if (status !== 401 && !more) throw shut()
    refuseMisplaced(facts)
    if (used?.owner === 'caller')
      throw this.#needed(facts, asking, 'the server refuses the token that came with the call')
    const credential = chooseCredential(facts, await this.#load(facts, asking), asking)
    if (
      more &&
      (used === undefined || credential === undefined || credential.open === used || credential.id === used.id)
    )
      throw this.#stepUp(facts, asking, credential, challenge)
    if (credential === undefined) {
      // Without a challenge it is not known to be a door that an account opens.
      if (facts.auth.kind === 'auto' && challenge === undefined) throw shut()
      throw this.#needed(facts, asking, this.#none(asking), { scopes: scopesIn(challenge) })
    }
    if (credential.problem !== undefined)
      throw this.#needed(facts, asking, `${sayName(credential)} has to be reconnected`, credential)
    return used === undefined
      ? this.#serving(facts, asking, credential)
      : this.#instead(facts, asking, used, credential)
  }

  accounts(asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>): readonly string[] {
    const facts = this.#factsFor({ ...asking })
    if (facts === undefined || facts.auth.kind === 'none' || facts.auth.accounts === 'one') return []
    const choice = this.#known(facts, asking)
    // The names are loaded for the next request.
    if (choice === undefined) void this.#load(facts, asking).catch(() => {})
    const names = choice === undefined ? [] : namesOf(choice)
    return names.length > 1 ? names : []
  }

  async accountsOf(
    asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>,
  ): Promise<readonly AccountOf[]> {
    const facts = this.#factsFor(asking)
    if (facts === undefined || facts.auth.kind === 'none') return []
    return accountsIn(await this.#load(facts, asking))
  }

  async credentialArrived(asking: CredentialAsking, signal: AbortSignal): Promise<boolean> {
    const wakes = { wake: () => {} }
    const end = this.#parts.memory.watch(asking.organizationId, () => wakes.wake())
    const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => void (wakes.wake = resolve))
        const facts = this.#factsFor(asking)
        const credential = facts && chooseCredential(facts, await this.#load(facts, asking), asking)
        if (credential !== undefined && credential.problem === undefined && !this.#lacking.has(credential)) return true
        await Promise.race([changed, gone])
      }
      return false
    } finally {
      end()
    }
  }

  /** A server may have forgotten a new token, so it is renewed once; one that refuses every token is not asked for ever more. */
  #mayRenewFresh({ id, open: { version } }: HeldCredential): boolean {
    const before = this.#renewedFresh.get(id)
    // Calls that used the same token share its renewal.
    if (before !== undefined) return before.version === version
    this.#renewedFresh.set(id, { at: this.#parts.now(), version })
    return true
  }

  #factsFor({ organizationId, connectionId }: Pick<CredentialAsking, 'organizationId' | 'connectionId'>) {
    const snapshot = this.#parts.find({ id: organizationId })
    const row = snapshot?.connection(connectionId)
    return snapshot === undefined || row === undefined ? undefined : this.#parts.factsOf(row, snapshot.exceptions)
  }

  #known(facts: ConnectionFacts, asking: Pick<CredentialAsking, 'principal'>): Choice | undefined {
    const owner = ownerOf(facts, asking.principal)
    const own = owner === undefined ? NOTHING : this.#parts.memory.find(facts, owner)
    const shared = facts.auth.owners.includes('organization') ? this.#parts.memory.find(facts, undefined) : NOTHING
    return own === undefined || shared === undefined ? undefined : { own, shared }
  }

  async #load(facts: ConnectionFacts, asking: Pick<CredentialAsking, 'principal'>): Promise<Choice> {
    const owner = ownerOf(facts, asking.principal)
    const [own, shared] = await Promise.all([
      owner === undefined ? NOTHING : (this.#parts.memory.find(facts, owner) ?? this.#parts.memory.load(facts, owner)),
      facts.auth.owners.includes('organization')
        ? (this.#parts.memory.find(facts, undefined) ?? this.#parts.memory.load(facts, undefined))
        : NOTHING,
    ])
    return { own, shared }
  }

  /** `stored` is the account that is to be connected anew, with these permissions at least. */
  #needed(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    problem: string,
    stored?: Pick<HeldCredential, 'scopes'> & { readonly id?: CredentialId | undefined },
  ) {
    const { organizationId, connectionId, account } = asking
    const { url, minutes } = this.#parts.links.link({
      organizationId,
      connectionId,
      userId: ownerOf(facts, asking.principal),
      account,
      replaces: stored?.id,
      scopes: stored?.scopes ?? [],
    })
    return new Fault('credential.needed', { connection: facts.egress.alias, problem, link: url, minutes })
  }

  /** A key that is nobody's has no account of a member, however many of those there are: whoever reads this may have one. */
  #none({ account, principal }: CredentialAsking): string {
    if (account !== undefined) return `nobody has connected "${account}"`
    if (principal.userId !== undefined) return 'neither you nor the organization has connected one'
    const why = principal.kind === 'key' ? ', and this key does not belong to a member' : ''
    return `the organization has connected none${why}`
  }

  /** Undefined where nothing is there and nothing may be needed. */
  #settle(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    choice: Choice,
  ): OpenCredential | undefined | Promise<OpenCredential | undefined> {
    const credential = chooseCredential(facts, choice, asking)
    if (credential === undefined) {
      if (facts.auth.kind === 'auto' && asking.account === undefined) return undefined
      throw this.#needed(facts, asking, this.#none(asking))
    }
    if (credential.problem !== undefined)
      throw this.#needed(facts, asking, `${sayName(credential)} has to be reconnected`, credential)
    return this.#serving(facts, asking, credential)
  }

  #serving(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    credential: HeldCredential,
  ): OpenCredential | Promise<OpenCredential> {
    if (this.#parts.now() >= credential.renewAt) return this.#refresh(facts, asking, credential)
    this.#parts.onUse(credential.id, credential.untried)
    return credential.open
  }

  /** One that is about to run out, or has. */
  async #refresh(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    credential: HeldCredential,
  ): Promise<OpenCredential> {
    const good = () => this.#parts.now() < credential.expiresAt
    if (!credential.renewable) {
      if (good()) return credential.open
      await this.#parts.lose(
        { id: credential.id, version: credential.open.version, lease: undefined },
        'it has expired',
      )
      throw this.#needed(facts, asking, `${sayName(credential)} has expired`, credential)
    }
    if (good() && this.#parts.now() < credential.pausedUntil) return credential.open
    try {
      return await this.#renewed(facts, asking, credential)
    } catch (thrown) {
      // A temporary failure is no reason to refuse a token that is still valid.
      if (good() && !(thrown instanceof Fault && thrown.code === 'credential.needed')) return credential.open
      throw thrown
    }
  }

  async #renewed(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    credential: HeldCredential,
  ): Promise<OpenCredential> {
    const { id, open } = credential
    const { organizationId } = asking
    await this.#parts.renewal.renew({ ...facts, organizationId, id, version: open.version })
    const after = chooseCredential(facts, await this.#load(facts, asking), asking)
    // The account that a person connects in its place begins anew.
    if (after?.problem !== undefined || after?.id !== id) this.#renewedFresh.delete(id)
    if (after === undefined) throw this.#needed(facts, asking, this.#none(asking))
    if (after.problem !== undefined) throw this.#needed(facts, asking, `${sayName(after)} has to be reconnected`, after)
    if (after.id === id && after.open.version === open.version)
      throw new Fault('credential.busy', { connection: facts.egress.alias, problem: 'there is no newer one yet' })
    this.#parts.onUse(after.id, after.untried)
    return after.open
  }

  #brought({ egress, auth }: ConnectionFacts, token: string): OpenCredential {
    if (!auth.brought) throw new Fault('credential.brought', { connection: egress.alias })
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new Fault('params.shape', {
        place: '/token',
        problem: 'contains characters that are not valid in a header',
      })
    const isKey = auth.kind === 'key'
    return {
      // Sessions opened with the server under one token are not used under another.
      id: `brought ${digestOf('sha256', this.#salt + token, 'base64url')}`,
      version: 0,
      account: 'brought',
      name: undefined,
      owner: 'caller',
      headers: { [isKey ? auth.header.toLowerCase() : 'authorization']: (isKey ? auth.prefix : 'Bearer ') + token },
    }
  }

  /** A 403 that asks for more than the account was connected for: a person widens it, a renewal cannot (MCP, step-up authorization). */
  #stepUp(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    credential: HeldCredential | undefined,
    challenge: Challenge,
  ): Fault {
    const newScopes = scopesIn(challenge)
    if (credential !== undefined) this.#lacking.add(credential)
    const scopes = [...new Set([...(credential?.scopes ?? []), ...newScopes])]
    return this.#needed(
      facts,
      asking,
      `the server requires permissions that the account does not have (${newScopes.join(' ') || 'not specified'})`,
      { id: credential?.id, scopes },
    )
  }

  async #instead(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    used: OpenCredential,
    credential: HeldCredential,
  ): Promise<OpenCredential> {
    const name = sayName(credential)
    if (credential.id !== used.id || credential.open.version > used.version)
      return this.#serving(facts, asking, credential)
    if (!credential.renewable) {
      await this.#parts.lose(
        { id: credential.id, version: credential.open.version, lease: undefined },
        'the server refuses it',
      )
      const after = chooseCredential(facts, await this.#load(facts, asking), asking)
      if (after !== undefined && after.problem === undefined && after.open.version !== used.version) return after.open
      throw this.#needed(facts, asking, `the server refuses ${name}`, credential)
    }
    if (isFresh(credential, this.#parts.now()) && !this.#mayRenewFresh(credential)) {
      // A server that has not heard of a token yet takes it in a moment, and no person could mend that.
      if (this.#parts.now() - (this.#renewedFresh.get(credential.id)?.at ?? 0) < FRESH)
        throw new Fault('credential.busy', {
          connection: facts.egress.alias,
          problem: `the server refuses ${name}, which was renewed just now`,
        })
      // Nothing says yet that it is lost; who waits for an account is not to be sent on with this very one.
      this.#lacking.add(credential)
      throw this.#needed(facts, asking, `the server refuses ${name}, which was renewed just now`, credential)
    }
    return this.#renewed(facts, asking, credential)
  }
}

/** Another account would not help: nothing of the vendor's is for this address. Throws `credential.host`. */
function refuseMisplaced({ misplaced: problem, egress }: ConnectionFacts): void {
  if (problem !== undefined) throw new Fault('credential.host', { connection: egress.alias, problem })
}

const sayName = ({ open }: HeldCredential): string => `the account "${open.name ?? open.account}"`
