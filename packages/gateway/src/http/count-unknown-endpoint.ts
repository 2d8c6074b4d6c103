/**
 * Requests for endpoints that do not exist are counted in one bucket, whatever they name: guesses are bounded, and no state is
 * stored for them. Requests for endpoints that the caller may not see count in the same bucket, so that the two answers cannot be
 * told apart.
 */
import { Fault } from '@toolway/contract'
import type { Limits } from '../limits/limits.ts'

/** The fault to answer with: the one that there was, or that there were too many of it. */
export async function countUnknownEndpoint(thrown: unknown, limits: Pick<Limits, 'unknown'>): Promise<Fault> {
  const fault = Fault.of(thrown)
  if (fault.code !== 'place.unknown') return fault
  try {
    await limits.unknown()
    return fault
  } catch (refused) {
    return Fault.of(refused)
  }
}
