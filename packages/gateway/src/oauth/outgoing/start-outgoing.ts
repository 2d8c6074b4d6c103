/** Toolway as a client of authorization servers: how their answers were read is noted with the connections that they were read for. */
import { createNoteReadings } from './note-readings.ts'
import type { OutgoingOAuth } from './ports.ts'
import { createOutgoingOAuth } from './protocol/outgoing-oauth.ts'
import { adapterOf } from './vendors/provider-adapters.ts'
import type { BaseWithDatabase } from '../../base/base.ts'

export function startOutgoing({ db, log, opened }: Pick<BaseWithDatabase, 'db' | 'log' | 'opened'>): OutgoingOAuth {
  const readings = createNoteReadings({ db, log })
  opened.defer(() => readings.close())
  return createOutgoingOAuth({ now: Date.now, adapter: adapterOf, onRead: readings.onRead })
}
