/**
 * What a job keeps for each connection, found by the connection and by its organization: a change of one organization then costs
 * what that organization has, however many others there are.
 */
import type { ConnectionId, OrganizationId } from '@toolway/contract'

interface Of {
  readonly organizationId: OrganizationId
}

export class KeptConnections<State extends Of> {
  readonly #states = new Map<ConnectionId, State>()
  readonly #ofOrganization = new Map<string, Set<ConnectionId>>()

  get(connectionId: ConnectionId): State | undefined {
    return this.#states.get(connectionId)
  }

  has(connectionId: ConnectionId): boolean {
    return this.#states.has(connectionId)
  }

  set(connectionId: ConnectionId, state: State): void {
    this.#states.set(connectionId, state)
    const own = this.#ofOrganization.get(state.organizationId) ?? new Set()
    this.#ofOrganization.set(state.organizationId, own.add(connectionId))
  }

  delete(connectionId: ConnectionId): void {
    const state = this.#states.get(connectionId)
    if (state === undefined) return
    this.#states.delete(connectionId)
    const own = this.#ofOrganization.get(state.organizationId)
    own?.delete(connectionId)
    if (own?.size === 0) this.#ofOrganization.delete(state.organizationId)
  }

  values(): IterableIterator<State> {
    return this.#states.values()
  }

  /** A copy, so that entries may go meanwhile: all of them, or those of these organizations. */
  entriesOf(organizations?: ReadonlySet<string>): [ConnectionId, State][] {
    if (organizations === undefined) return [...this.#states]
    const ids = [...organizations].flatMap((id) => [...(this.#ofOrganization.get(id) ?? [])])
    return ids.flatMap((id) => {
      const state = this.#states.get(id)
      return state === undefined ? [] : [[id, state] satisfies [ConnectionId, State]]
    })
  }

  clear(): void {
    this.#states.clear()
    this.#ofOrganization.clear()
  }
}
