/** Toolway as a client of authorization servers: how their answers were read is noted with the connections that they were read for. */
import { createNoteReadings } from '../oauth/outgoing/note-readings.ts'
import type { OutgoingOAuth } from '../oauth/outgoing/ports.ts'
import { createOutgoingOAuth } from '../oauth/outgoing/protocol/outgoing-oauth.ts'
import { adapterOf } from '../oauth/outgoing/vendors/provider-adapters.ts'
import type { BaseWithDatabase } from '../base/base.ts'

export function composeOutgoing({ db, log, opened }: Pick<BaseWithDatabase, 'db' | 'log' | 'opened'>): OutgoingOAuth {
  const readings = createNoteReadings({ db, log })
  opened.defer(() => readings.close())
  return createOutgoingOAuth({ now: Date.now, adapter: adapterOf, onRead: readings.onRead })
}
