/**
 * The credential of the gateway's own requests: lists, checks, announcement streams. The shared credential where there is one,
 * else the valid credential of a member that was renewed last. It never asks a user to connect, and its failures are those of the
 * request.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ConnectionId, OrganizationId, UserId } from '@toolway/contract'
import type { OwnCredentials } from '../../../snapshot/ports/credentials.ts'
import type { Snapshot } from '../../../snapshot/snapshot.ts'
import type { OpenedCredential } from '../../../upstreams/upstream.ts'
import { isFresh } from './choose-credential.ts'
import type { ConnectionFacts, KnownFacts } from './connection-facts.ts'
import type { CredentialMemory, HeldCredential } from './credential-memory.ts'
import type { LoseCredential } from './lose-credential.ts'
import type { Renewal } from './renew-credential.ts'

export interface OwnCredentialsParts {
  find(organization: { id: OrganizationId }): Snapshot | undefined
  readonly factsOf: KnownFacts
  readonly memory: CredentialMemory
  readonly renewal: Pick<Renewal, 'renew'>
  readonly lose: LoseCredential
  /** Returns the owner of the valid credential of the connection that was renewed last. */
  newestOwner(facts: ConnectionFacts): Promise<UserId | undefined>
  /** The versions of the credentials of a connection that serve, by id. */
  versions(organizationId: OrganizationId, connectionId: ConnectionId): Promise<ReadonlyMap<string, number>>
  readonly now: () => number
}

export function createOwnCredentials(parts: OwnCredentialsParts): OwnCredentials {
  const { find, memory, renewal, lose, newestOwner, now } = parts

  const good = (list: readonly HeldCredential[]): HeldCredential | undefined =>
    list.find(({ problem }) => problem === undefined)

  async function choose(facts: ConnectionFacts): Promise<HeldCredential | undefined> {
    const { owners } = facts.auth
    const shared = owners.includes('organization') ? good(await listOf(facts, undefined)) : undefined
    if (shared !== undefined || !owners.includes('member')) return shared
    const owner = await newestOwner(facts)
    return owner === undefined ? undefined : good(await listOf(facts, owner))
  }

  const listOf = async (facts: ConnectionFacts, owner: UserId | undefined) =>
    memory.find(facts, owner) ?? memory.load(facts, owner)

  function factsFor(organizationId: OrganizationId, connectionId: ConnectionId): ConnectionFacts | undefined {
    const snapshot = find({ id: organizationId })
    const row = snapshot?.connection(connectionId)
    const facts = snapshot === undefined || row === undefined ? undefined : parts.factsOf(row, snapshot.exceptions)
    return facts?.auth.kind === 'none' ? undefined : facts
  }

  async function renew(facts: ConnectionFacts, { id, open }: HeldCredential): Promise<HeldCredential | undefined> {
    await renewal.renew({ ...facts, id, version: open.version })
    const after = await choose(facts)
    return after?.id === id && after.open.version === open.version ? undefined : after
  }

  async function openNow(facts: ConnectionFacts): Promise<OpenedCredential | undefined> {
    const credential = await choose(facts)
    if (credential === undefined || now() < credential.renewAt) return credential?.open
    const works = now() < credential.expiresAt
    if (!credential.renewable) return works ? credential.open : undefined
    try {
      return (await renew(facts, credential))?.open
    } catch (thrown) {
      if (works) return credential.open
      throw thrown
    }
  }

  async function isNewer(facts: ConnectionFacts, used: OpenedCredential | undefined): Promise<boolean> {
    const credential = await choose(facts)
    if (credential === undefined) return false
    if (used?.id !== credential.id || !isDeepStrictEqual(used.headers, credential.open.headers)) return true
    if (isFresh(credential, now())) return false
    if (credential.renewable) return (await renew(facts, credential)) !== undefined
    await lose({ id: credential.id, version: credential.open.version, lease: undefined }, 'the server refuses it')
    return (await choose(facts)) !== undefined
  }

  return {
    open(organizationId, connectionId) {
      const facts = factsFor(organizationId, connectionId)
      return facts === undefined ? undefined : openNow(facts)
    },
    async refused(organizationId, connectionId, used, _challenge, status) {
      const facts = factsFor(organizationId, connectionId)
      if (facts === undefined || status !== 401) return false
      return isNewer(facts, used).catch(() => false)
    },
    watch: (organizationId, onChange) => memory.watch(organizationId, onChange),
    versions: parts.versions,
  }
}
