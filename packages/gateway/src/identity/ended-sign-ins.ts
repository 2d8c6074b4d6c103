/**
 * Sign-ins that have ended while their access tokens may still be in use: in memory, because every token is checked against it.
 *
 * The database notifies every gateway of ended sign-ins; after a loss of that connection, and at the start, the list is read. A
 * sign-in is dropped from it once its last access token has expired.
 */
import type { FamilyId, UserId } from '@toolway/contract'

export interface EndedSignIns {
  has(id: FamilyId): boolean
  add(id: FamilyId): void
  /** Of these people, or of all. */
  load(users?: readonly UserId[]): Promise<void>
}

export interface EndedSignInsParts {
  list(since: Date, users?: readonly UserId[]): Promise<readonly { id: FamilyId }[]>
  /** Seconds that an access token lives. */
  readonly lifetime: number
  now(): number
}

/** Clocks of the database and of this machine may differ by this much. */
const SLACK = 60_000

export function createEndedSignIns({ list, lifetime, now }: EndedSignInsParts): EndedSignIns {
  const ended = new Map<FamilyId, number>()
  const span = lifetime * 1000 + SLACK
  function add(id: FamilyId): void {
    // The oldest come first in a Map, and all live equally long.
    for (const [old, until] of ended) {
      if (until > now()) break
      ended.delete(old)
    }
    ended.delete(id)
    ended.set(id, now() + span)
  }
  return {
    has: (id) => ended.has(id),
    add,
    async load(users) {
      for (const { id } of await list(new Date(now() - span), users)) add(id)
    },
  }
}
