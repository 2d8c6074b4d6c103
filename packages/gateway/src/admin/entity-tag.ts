/** Whether a thing is still as the one who changes it saw it (RFC 9110, section 13.1.1): its tag is when it was changed last. */
import { Fault } from '@toolway/contract'

export const tagOf = (changed: Date): string => `"${changed.toISOString()}"`

/** Throws `request.stale`. Who names no tag changes the thing as it is. Call it in the transaction that holds the row. */
export function refuseStale(thing: string, changed: Date, ifMatch: string | undefined): void {
  if (ifMatch !== undefined && ifMatch !== changed.toISOString()) throw new Fault('request.stale', { thing })
}
