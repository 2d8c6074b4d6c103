/**
 * The credential of a call at its connection (ledger U-24): the one that came with the call, else the caller's own, else the
 * organization's, else a link for this person and this connection.
 *
 * Credentials come from memory after the first time; a call waits only where one has to be loaded or renewed. A token that is still
 * good serves when its renewal fails for a moment; a token that has run out never does.
 */
import { hash as digestOf, randomBytes } from 'node:crypto'
import { Fault } from '@toolway/contract'
import type {
  AccountOf,
  CallCredentials,
  CredentialAsking,
  OpenCredential,
} from '../../../snapshot/ports/credentials.ts'
import { accountsIn, chooseCredential, namesOf, type Choice } from './choose-credential.ts'
import type { ConnectionFacts } from './connection-facts.ts'
import type { HeldCredential } from './credential-memory.ts'
import { createLacking } from './lacking-scopes.ts'
import type { Challenge, ConnectLinks } from '../ports.ts'
import { createChoices, type ChoicesParts } from './credential-choices.ts'
import { createNeeded, sayName, whyNone } from './needed-credential.ts'
import { ServedCredentials, type ServingParts } from './served-credentials.ts'
import { readChallenge } from '../protocol/read-challenge.ts'

export interface CallCredentialsParts extends ChoicesParts, ServingParts {
  readonly links: Pick<ConnectLinks, 'link'>
}

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
  readonly #choices
  readonly #needed
  readonly #served

  constructor(parts: CallCredentialsParts) {
    this.#parts = parts
    this.#choices = createChoices(parts)
    this.#needed = createNeeded(parts.links)
    this.#served = new ServedCredentials(parts, {
      choices: this.#choices,
      needed: this.#needed,
      lacking: this.#lacking,
    })
  }

  open(asking: CredentialAsking): OpenCredential | undefined | Promise<OpenCredential | undefined> {
    const facts = this.#choices.factsFor(asking)
    if (facts === undefined) return undefined
    if (asking.passThroughToken !== undefined) return this.#passThrough(facts, asking.passThroughToken)
    if (facts.auth.kind === 'none') return undefined
    refuseMisplaced(facts)
    const choice = this.#choices.known(facts, asking)
    return choice === undefined
      ? this.#choices.load(facts, asking).then((loaded) => this.#settle(facts, asking, loaded))
      : this.#settle(facts, asking, choice)
  }

  async refused(
    asking: CredentialAsking,
    used: OpenCredential | undefined,
    header: string | undefined,
    status: number,
  ): Promise<OpenCredential> {
    const challenge = readChallenge(header)
    const facts = this.#choices.factsFor(asking)
    const alias = facts?.egress.alias ?? 'asked for'
    const shut = () => new Fault('upstream.needs-auth', { connection: alias, problem: `HTTP ${status}` })
    if (facts === undefined || (facts.auth.kind === 'none' && used === undefined)) throw shut()
    const more = status === 403 && challenge?.error === 'insufficient_scope'
    if (status !== 401 && !more) throw shut()
    refuseMisplaced(facts)
    if (used?.owner === 'caller')
      throw this.#needed(facts, asking, 'the server refuses the token that came with the call')
    const credential = chooseCredential(facts, await this.#choices.load(facts, asking), asking)
    if (
      more &&
      (used === undefined || credential === undefined || credential.open === used || credential.id === used.id)
    )
      throw this.#stepUp(facts, asking, credential, challenge)
    if (credential === undefined) {
      // Without a challenge it is not known to be a door that an account opens.
      if (facts.auth.kind === 'auto' && challenge === undefined) throw shut()
      throw this.#needed(facts, asking, whyNone(asking), { scopes: scopesIn(challenge) })
    }
    if (credential.problem !== undefined)
      throw this.#needed(facts, asking, `${sayName(credential)} has to be reconnected`, credential)
    return used === undefined
      ? this.#served.open(facts, asking, credential)
      : this.#served.instead(facts, asking, used, credential)
  }

  accounts(asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>): readonly string[] {
    const facts = this.#choices.factsFor({ ...asking })
    if (facts === undefined || facts.auth.kind === 'none' || facts.auth.accounts === 'one') return []
    const choice = this.#choices.known(facts, asking)
    // The names are loaded for the next request.
    if (choice === undefined) void this.#choices.load(facts, asking).catch(() => {})
    const names = choice === undefined ? [] : namesOf(choice)
    return names.length > 1 ? names : []
  }

  async accountsOf(
    asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>,
  ): Promise<readonly AccountOf[]> {
    const facts = this.#choices.factsFor(asking)
    if (facts === undefined || facts.auth.kind === 'none') return []
    return accountsIn(await this.#choices.load(facts, asking))
  }

  async credentialArrived(asking: CredentialAsking, signal: AbortSignal): Promise<boolean> {
    const wakes = { wake: () => {} }
    const end = this.#parts.memory.watch(asking.organizationId, () => wakes.wake())
    const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => void (wakes.wake = resolve))
        const facts = this.#choices.factsFor(asking)
        const credential = facts && chooseCredential(facts, await this.#choices.load(facts, asking), asking)
        if (credential !== undefined && credential.problem === undefined && !this.#lacking.has(credential)) return true
        await Promise.race([changed, gone])
      }
      return false
    } finally {
      end()
    }
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
      throw this.#needed(facts, asking, whyNone(asking))
    }
    if (credential.problem !== undefined)
      throw this.#needed(facts, asking, `${sayName(credential)} has to be reconnected`, credential)
    return this.#served.open(facts, asking, credential)
  }

  #passThrough({ egress, auth }: ConnectionFacts, token: string): OpenCredential {
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
}

/** Another account would not help: nothing of the vendor's is for this address. Throws `credential.host`. */
function refuseMisplaced({ misplaced: problem, egress }: ConnectionFacts): void {
  if (problem !== undefined) throw new Fault('credential.host', { connection: egress.alias, problem })
}
