/** The credentials that a caller may use at a connection, from memory as far as they are there. */
import type { CredentialAsking } from '../../../snapshot/ports/credentials.ts'
import type { OrganizationId } from '@toolway/contract'
import type { Snapshot } from '../../../snapshot/snapshot.ts'
import type { CredentialMemory } from './credential-memory.ts'
import { NOTHING, ownerOf, type Choice } from './choose-credential.ts'
import type { ConnectionFacts, KnownFacts } from './connection-facts.ts'

export interface ChoicesParts {
  find(organization: { id: OrganizationId }): Snapshot | undefined
  readonly factsOf: KnownFacts
  readonly memory: CredentialMemory
}

export type CredentialChoices = ReturnType<typeof createChoices>

export function createChoices({ find, factsOf, memory }: ChoicesParts) {
  function factsFor({ organizationId, connectionId }: Pick<CredentialAsking, 'organizationId' | 'connectionId'>) {
    const snapshot = find({ id: organizationId })
    const row = snapshot?.connection(connectionId)
    return snapshot === undefined || row === undefined ? undefined : factsOf(row, snapshot.exceptions)
  }

  /** Undefined where memory does not have all of them. */
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

  return { factsFor, known, load }
}
