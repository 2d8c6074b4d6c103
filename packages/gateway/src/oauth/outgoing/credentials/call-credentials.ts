/**
 * What a call is let in with at its connection (ledger U-24): brought along, else the caller's own, else the organization's, else a
 * link for this person and this connection.
 *
 * From memory, after the first time; it waits only where something has to be loaded or renewed. A token that is still good serves
 * when its renewal fails for a moment; one that has run out never does.
 */
import { hash as digestOf, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault, type OrganizationId, type CredentialId } from '@toolway/contract'
import type { CallCredentials, CredentialAsking, OpenCredential } from '../../../call/ports.ts'
import type { Snapshot } from '../../../call/snapshot.ts'
import { chooseCredential, isFresh, namesOf, NOTHING, ownerOf, type Choice } from './choose-credential.ts'
import type { ConnectionFacts, KnownFacts } from './connection-facts.ts'
import type { CredentialMemory, Held } from './credential-memory.ts'
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
  /** A credential is in use. */
  onUse(id: CredentialId): void
  readonly now: () => number
}

/** Renewals of new tokens: one of an account in a minute. Milliseconds. */
const FRESH_RENEWALS = { max: 10_000, ttl: 60_000 }

/** What a server's challenge names; its word, so bounded. */
const scopesIn = (challenge: Challenge | undefined): readonly string[] =>
  (challenge?.scope ?? '')
    .split(' ')
    .filter((scope) => scope !== '' && scope.length <= 200)
    .slice(0, 100)

export function createCallCredentials(parts: CallCredentialsParts): CallCredentials {
  const { find, memory, renewal, lose, links, onUse, now } = parts
  const lacking = createLacking()
  const salt = randomBytes(16).toString('hex')
  /** When a token was renewed although it was new. */
  const renewedFresh = new LRUCache<CredentialId, true>(FRESH_RENEWALS)

  /** A server may have forgotten a new token, so it is renewed once; one that refuses every token is not asked for ever more. */
  function mayRenewFresh({ id }: Held): boolean {
    if (renewedFresh.has(id)) return false
    renewedFresh.set(id, true)
    return true
  }

  function factsFor({ organizationId, connectionId }: Pick<CredentialAsking, 'organizationId' | 'connectionId'>) {
    const snapshot = find({ id: organizationId })
    const row = snapshot?.connection(connectionId)
    return snapshot === undefined || row === undefined ? undefined : parts.factsOf(row, snapshot.exceptions)
  }

  function known(facts: ConnectionFacts, asking: Pick<CredentialAsking, 'principal'>): Choice | undefined {
    const owner = ownerOf(facts, asking.principal)
    const own = owner === undefined ? NOTHING : memory.find(facts, owner)
    const shared = facts.auth.owners.includes('organization') ? memory.find(facts, undefined) : NOTHING
    return own === undefined || shared === undefined ? undefined : { own, shared }
  }

  async function load(facts: ConnectionFacts, asking: Pick<CredentialAsking, 'principal'>): Promise<Choice> {
    const owner = ownerOf(facts, asking.principal)
    const [own, shared] = await Promise.all([
      owner === undefined ? NOTHING : (memory.find(facts, owner) ?? memory.load(facts, owner)),
      facts.auth.owners.includes('organization')
        ? (memory.find(facts, undefined) ?? memory.load(facts, undefined))
        : NOTHING,
    ])
    return { own, shared }
  }

  function needed(facts: ConnectionFacts, asking: CredentialAsking, problem: string, scopes: readonly string[] = []) {
    const { organizationId, connectionId, account } = asking
    const { url, minutes } = links.link({
      organizationId,
      connectionId,
      userId: ownerOf(facts, asking.principal),
      account,
      scopes,
    })
    return new Fault('credential.needed', { connection: facts.egress.alias, problem, link: url, minutes })
  }

  /** A key that is nobody's has no account of a member, however many of those there are: whoever reads this may have one. */
  function none({ account, principal }: CredentialAsking): string {
    if (account !== undefined) return `nobody has connected "${account}"`
    if (principal.userId !== undefined) return 'neither you nor the organization has connected one'
    const why = principal.kind === 'key' ? ", and this key is no member's" : ''
    return `the organization has connected none${why}`
  }

  /** Undefined where nothing is there and nothing may be needed. */
  function settle(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    choice: Choice,
  ): OpenCredential | undefined | Promise<OpenCredential | undefined> {
    const held = chooseCredential(facts, choice, asking)
    if (held === undefined) {
      if (facts.auth.kind === 'auto' && asking.account === undefined) return undefined
      throw needed(facts, asking, none(asking))
    }
    if (held.problem !== undefined)
      throw needed(facts, asking, `${sayName(held)} has to be connected anew`, held.scopes)
    return serving(facts, asking, held)
  }

  function serving(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    held: Held,
  ): OpenCredential | Promise<OpenCredential> {
    if (now() >= held.renewAt) return refresh(facts, asking, held)
    onUse(held.id)
    return held.open
  }

  /** One that is about to run out, or has. */
  async function refresh(facts: ConnectionFacts, asking: CredentialAsking, held: Held): Promise<OpenCredential> {
    const good = () => now() < held.expiresAt
    if (!held.renewable) {
      if (good()) return held.open
      await lose({ id: held.id, version: held.open.version, lease: undefined }, 'it has run out')
      throw needed(facts, asking, `${sayName(held)} has run out`, held.scopes)
    }
    if (good() && now() < held.pausedUntil) return held.open
    try {
      return await renewed(facts, asking, held)
    } catch (thrown) {
      // What may pass is no reason to refuse what still works.
      if (good() && !(thrown instanceof Fault && thrown.code === 'credential.needed')) return held.open
      throw thrown
    }
  }

  async function renewed(facts: ConnectionFacts, asking: CredentialAsking, held: Held): Promise<OpenCredential> {
    const { id, open } = held
    const { organizationId } = asking
    await renewal.renew({ organizationId, id, version: open.version, egress: facts.egress })
    const after = chooseCredential(facts, await load(facts, asking), asking)
    if (after === undefined) throw needed(facts, asking, none(asking))
    if (after.problem !== undefined)
      throw needed(facts, asking, `${sayName(after)} has to be connected anew`, held.scopes)
    if (after.id === id && after.open.version === open.version)
      throw new Fault('credential.busy', { connection: facts.egress.alias, problem: 'there is no newer one yet' })
    onUse(after.id)
    return after.open
  }

  function brought({ egress, auth }: ConnectionFacts, token: string): OpenCredential {
    if (!auth.brought) throw new Fault('credential.brought', { connection: egress.alias })
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new Fault('params.shape', { place: '/token', problem: 'holds what no header can hold' })
    const isKey = auth.kind === 'key'
    return {
      // What is held open with the server under one token is used under no other.
      id: `brought ${digestOf('sha256', salt + token, 'base64url')}`,
      version: 0,
      account: 'brought',
      name: undefined,
      owner: 'caller',
      headers: { [isKey ? auth.header.toLowerCase() : 'authorization']: (isKey ? auth.prefix : 'Bearer ') + token },
    }
  }

  /** A 403 that asks for more than the account was connected for: a person widens it, a renewal cannot (MCP, step-up authorization). */
  function stepUp(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    held: Held | undefined,
    challenge: Challenge,
  ): Fault {
    const asked = scopesIn(challenge)
    if (held !== undefined) lacking.add(held)
    const scopes = [...new Set([...(held?.scopes ?? []), ...asked])]
    return needed(
      facts,
      asking,
      `the server asks for more than it may (${asked.join(' ') || 'it says not what'})`,
      scopes,
    )
  }

  async function instead(
    facts: ConnectionFacts,
    asking: CredentialAsking,
    used: OpenCredential,
    held: Held,
  ): Promise<OpenCredential> {
    const name = sayName(held)
    if (held.id !== used.id || held.open.version > used.version) return serving(facts, asking, held)
    if (!held.renewable) {
      await lose({ id: held.id, version: held.open.version, lease: undefined }, 'the server refuses it')
      const after = chooseCredential(facts, await load(facts, asking), asking)
      if (after !== undefined && after.problem === undefined && after.open.version !== used.version) return after.open
      throw needed(facts, asking, `the server refuses ${name}`, held.scopes)
    }
    if (isFresh(held, now()) && !mayRenewFresh(held)) {
      // Nothing says yet that it is lost; who waits for an account is not to be sent on with this very one.
      lacking.add(held)
      throw needed(facts, asking, `the server refuses ${name}, which was renewed just now`, held.scopes)
    }
    return renewed(facts, asking, held)
  }

  return {
    open(asking) {
      const facts = factsFor(asking)
      if (facts === undefined) return undefined
      if (asking.brought !== undefined) return brought(facts, asking.brought)
      if (facts.auth.kind === 'none') return undefined
      const choice = known(facts, asking)
      return choice === undefined
        ? load(facts, asking).then((loaded) => settle(facts, asking, loaded))
        : settle(facts, asking, choice)
    },

    async refused(asking, used, header, status) {
      const challenge = readChallenge(header)
      const facts = factsFor(asking)
      const alias = facts?.egress.alias ?? 'asked for'
      const shut = () => new Fault('upstream.needs-auth', { connection: alias, problem: `HTTP ${status}` })
      if (facts === undefined || (facts.auth.kind === 'none' && used === undefined)) throw shut()
      const more = status === 403 && challenge?.error === 'insufficient_scope'
      if (status !== 401 && !more) throw shut()
      if (used?.owner === 'caller') throw needed(facts, asking, 'the server refuses the token that came with the call')
      const held = chooseCredential(facts, await load(facts, asking), asking)
      if (more && (used === undefined || held === undefined || held.open === used || held.id === used.id))
        throw stepUp(facts, asking, held, challenge)
      if (held === undefined) {
        // Without a challenge it is not known to be a door that an account opens.
        if (facts.auth.kind === 'auto' && challenge === undefined) throw shut()
        throw needed(facts, asking, none(asking), scopesIn(challenge))
      }
      if (held.problem !== undefined)
        throw needed(facts, asking, `${sayName(held)} has to be connected anew`, held.scopes)
      return used === undefined ? serving(facts, asking, held) : instead(facts, asking, used, held)
    },

    accounts(asking) {
      const facts = factsFor({ ...asking })
      if (facts === undefined || facts.auth.kind === 'none' || facts.auth.accounts === 'one') return []
      const choice = known(facts, asking)
      // Whoever asks next finds them.
      if (choice === undefined) void load(facts, asking).catch(() => {})
      const names = choice === undefined ? [] : namesOf(choice)
      return names.length > 1 ? names : []
    },

    async credentialArrived(asking, signal) {
      const wakes = { wake: () => {} }
      const end = memory.watch(asking.organizationId, () => wakes.wake())
      const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      try {
        while (!signal.aborted) {
          const changed = new Promise<void>((resolve) => void (wakes.wake = resolve))
          const facts = factsFor(asking)
          const held = facts && chooseCredential(facts, await load(facts, asking), asking)
          if (held !== undefined && held.problem === undefined && !lacking.has(held)) return true
          await Promise.race([changed, gone])
        }
        return false
      } finally {
        end()
      }
    },
  }
}

const sayName = ({ open }: Held): string => `the account "${open.name ?? open.account}"`
