/**
 * What both organizations are given through the operations themselves, so that every kind of thing that goes by an id is there to
 * be asked for by the wrong one. An operation that does not exist makes nothing.
 */
import type { Side } from './sides.ts'

interface Plant {
  /** Of the operation that makes it, as an administrator of the organization. */
  readonly id: string
  path(organization: Side): string
  readonly body: unknown
}

export const PLANTS: readonly Plant[] = []
