/**
 * What names an endpoint that is not there is counted in one bucket, whatever it names: guesses are bounded, and nothing is
 * remembered of them. Whoever may not see an endpoint counts in the same one, so that neither answer tells the two apart.
 */
import { Fault } from '@toolway/contract'
import type { Limits } from '../limits/limits.ts'

/** The fault to answer with: the one that there was, or that there were too many of it. */
export async function countUnknown(thrown: unknown, limits: Pick<Limits, 'unknown'>): Promise<Fault> {
  const fault = Fault.of(thrown)
  if (fault.code !== 'place.unknown') return fault
  try {
    await limits.unknown()
    return fault
  } catch (refused) {
    return Fault.of(refused)
  }
}
