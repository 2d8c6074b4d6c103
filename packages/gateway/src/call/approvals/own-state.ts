/**
 * The gateway's own `requestState`, which accompanies its questions to a modern client. It never comes from the server and is
 * never sent to it.
 */
import type { Json, JsonObject } from '@toolway/protocol'

export const KEY = 'approve'
/** No character of base64url: a server's own state is never taken for one of ours. */
export const PREFIX = `${KEY}~`

export const isOurs = (state: Json | undefined): state is string =>
  typeof state === 'string' && state.startsWith(PREFIX)

/** The params without what came back to a question of ours: its server never hears of that. */
export function withoutApproval(params: JsonObject): JsonObject {
  if (!isOurs(params['requestState'])) return params
  const { requestState: _, inputResponses: __, ...own } = params
  return own
}
