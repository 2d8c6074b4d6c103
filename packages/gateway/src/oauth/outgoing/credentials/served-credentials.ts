/**
 * A credential that was chosen, as it may be sent: renewed before it runs out, or when its server refuses it. A token that is still good
 * serves when its renewal fails for a moment; a token that has run out never does.
 */
import { LRUCache } from 'lru-cache'
import { Fault, type CredentialId } from '@toolway/contract'
import type { CredentialAsking, OpenCredential } from '../../../snapshot/ports/credentials.ts'
import type { LoseCredential } from './lose-credential.ts'
import type { Renewal } from './renew-credential.ts'
import { chooseCredential, FRESH, isFresh } from './choose-credential.ts'
import type { ConnectionFacts } from './connection-facts.ts'
import type { CredentialChoices } from './credential-choices.ts'
import type { HeldCredential } from './credential-memory.ts'
import type { createLacking } from './lacking-scopes.ts'
import { sayName, whyNone, type NeededCredential } from './needed-credential.ts'

/** Renewals of new tokens: one of an account in a minute. Milliseconds. */
const FRESH_RENEWALS = { max: 10_000, ttl: 60_000 }

export interface ServingParts {
  readonly renewal: Pick<Renewal, 'renew'>
  readonly lose: LoseCredential
  /** A credential is in use. `untried`: nobody knows yet whether its server takes it, and its state waits for this. */
  onUse(id: CredentialId, untried: boolean): void
  readonly now: () => number
}

interface ServedWith {
  readonly choices: CredentialChoices
  readonly needed: NeededCredential
  readonly lacking: ReturnType<typeof createLacking>
}

export class ServedCredentials {
  readonly #parts: ServingParts
  readonly #with: ServedWith
  /** The accounts whose token was renewed although it was new: when, and the version of that token. */
  readonly #renewedFresh = new LRUCache<CredentialId, { readonly at: number; readonly version: number }>(FRESH_RENEWALS)

  constructor(parts: ServingParts, parted: ServedWith) {
    this.#parts = parts
    this.#with = parted
  }

  /** One that is good, or is renewed first. */
  open(
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
      throw this.#with.needed(facts, asking, `${sayName(credential)} has expired`, credential)
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
    const after = chooseCredential(facts, await this.#with.choices.load(facts, asking), asking)
    // The account that a person connects in its place begins anew.
    if (after?.problem !== undefined || after?.id !== id) this.#renewedFresh.delete(id)
    if (after === undefined) throw this.#with.needed(facts, asking, whyNone(asking))
    if (after.problem !== undefined)
      throw this.#with.needed(facts, asking, `${sayName(after)} has to be reconnected`, after)
    if (after.id === id && after.open.version === open.version)
      throw new Fault('credential.busy', { connection: facts.egress.alias, problem: 'there is no newer one yet' })
    this.#parts.onUse(after.id, after.untried)
    return after.open
  }

  /** In place of a token that its server refuses. */
  async instead(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    used: OpenCredential,
    credential: HeldCredential,
  ): Promise<OpenCredential> {
    const name = sayName(credential)
    if (credential.id !== used.id || credential.open.version > used.version) return this.open(facts, asking, credential)
    if (!credential.renewable) {
      await this.#parts.lose(
        { id: credential.id, version: credential.open.version, lease: undefined },
        'the server refuses it',
      )
      const after = chooseCredential(facts, await this.#with.choices.load(facts, asking), asking)
      if (after !== undefined && after.problem === undefined && after.open.version !== used.version) return after.open
      throw this.#with.needed(facts, asking, `the server refuses ${name}`, credential)
    }
    if (isFresh(credential, this.#parts.now()) && !this.#mayRenewFresh(credential)) {
      // A server that has not heard of a token yet takes it in a moment, and no person could mend that.
      if (this.#parts.now() - (this.#renewedFresh.get(credential.id)?.at ?? 0) < FRESH)
        throw new Fault('credential.busy', {
          connection: facts.egress.alias,
          problem: `the server refuses ${name}, which was renewed just now`,
        })
      // Nothing says yet that it is lost; who waits for an account is not to be sent on with this very one.
      this.#with.lacking.add(credential)
      throw this.#with.needed(facts, asking, `the server refuses ${name}, which was renewed just now`, credential)
    }
    return this.#renewed(facts, asking, credential)
  }

  /** A server may have forgotten a new token, so it is renewed once; one that refuses every token is not asked for ever more. */
  #mayRenewFresh({ id, open: { version } }: HeldCredential): boolean {
    const before = this.#renewedFresh.get(id)
    // Calls that used the same token share its renewal.
    if (before !== undefined) return before.version === version
    this.#renewedFresh.set(id, { at: this.#parts.now(), version })
    return true
  }
}
