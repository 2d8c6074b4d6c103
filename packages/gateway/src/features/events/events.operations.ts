/**
 * The operation by which one follows what happens in one's organization, as a stream of events.
 *
 * A reader that does not keep up is ended: it looks at what there is, and follows anew.
 */
import * as shapes from '@toolway/contract/admin'
import type { EventFeed } from './event-feed.ts'
import { streamOfEvents } from '../../operations/stream-of-events.ts'
import { operationServers, type OperationBase, type OrganizationRequest, type Served } from '../../operations/serve.ts'

/** The parts that operations on events work with. */
export interface EventParts extends OperationBase {
  readonly events: Pick<EventFeed, 'follow'>
}

const { serveOrganization } = operationServers<EventParts>()

/** Events that may wait for a slow reader. */
const MOST_WAITING = 200

type EventsRequest = Pick<
  OrganizationRequest<typeof shapes.followEvents, EventParts>,
  'parts' | 'organization' | 'principal' | 'signal'
>

/** Throws `channel.limit`, before anything is answered. */
const followEvents = ({ parts, organization, principal, signal }: EventsRequest): Response =>
  streamOfEvents({
    signal,
    mostWaiting: MOST_WAITING,
    follow: (send) =>
      parts.events.follow({ principal, organizationId: organization.id, hear: (event) => send(event.type, event) }),
  })

export const eventOperations: readonly Served<EventParts>[] = [
  serveOrganization(shapes.followEvents, followEvents),
  serveOrganization(shapes.followOrganizationEvents, followEvents),
]
