/** The actor of a command that works on the store itself: the holder of the data directory, without a user name. */
import { randomUUID } from 'node:crypto'
import type { Actor } from '../records/change.ts'

export const ownActor = (): Actor => ({
  id: 'command line',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: randomUUID(),
})
