/** Relays a legacy client's notifications about itself to the servers that keep a session for it. */
import { eraOf, type Notification } from '@toolway/protocol'
import type { Session } from '../../sessions/sessions.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'

/** Modern servers are told of a client's folders with each request (translation table: roots). */
const PASSED_ON = new Set(['notifications/roots/list_changed'])

export function forwardToUpstreams(
  { toolListing, upstream, principal }: RequestContext,
  session: Session,
  notification: Notification,
): void {
  if (!PASSED_ON.has(notification.method)) return
  for (const { connectionId, revision } of toolListing.offered) {
    if (eraOf(revision) === 'modern') continue
    try {
      upstream(connectionId).tell({ session, owner: principal.id, caller: session.caller }, notification)
    } catch {
      // One that is switched off by now has no session to tell.
    }
  }
}
