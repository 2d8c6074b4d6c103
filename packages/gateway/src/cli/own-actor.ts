/** Who acts where a command works on the store itself: whoever holds the data directory, with no name of its own. */
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
