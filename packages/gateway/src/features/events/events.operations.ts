/**
 * The operation by which one follows what happens in one's organization, as a stream of events.
 *
 * A reader that does not keep up is ended: it looks at what there is, and follows anew.
 */
import * as shapes from '@toolway/contract/admin'
import type { GatewayEvent } from '@toolway/contract/admin'
import type { EventFeed } from './event-feed.ts'
import { operationServers, type OperationBase, type OrganizationRequest, type Served } from '../../operations/serve.ts'

/** The parts that operations on events work with. */
export interface EventParts extends OperationBase {
  readonly events: Pick<EventFeed, 'follow'>
}

const { serveOrganization } = operationServers<EventParts>()

/** Events that wait for a slow reader. */
const MOST_WAITING = 200
/** Proxies cut streams that are silent for a minute. Milliseconds. */
const BEAT_MS = 15_000

const HEAD = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

type EventsRequest = Pick<
  OrganizationRequest<typeof shapes.followEvents, EventParts>,
  'parts' | 'organization' | 'principal' | 'signal'
>

/** Throws `channel.limit`, before anything is answered. */
function streamOf({ parts, organization, principal, signal }: EventsRequest): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let sendText = (_: string): void => {}
  let end = (): void => {}
  const leave = parts.events.follow({
    principal,
    organizationId: organization.id,
    hear: (event: GatewayEvent) => sendText(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  })
  const beat = setInterval(() => sendText(': \n\n'), BEAT_MS)
  beat.unref()
  const stop = () => {
    leave()
    clearInterval(beat)
    signal.removeEventListener('abort', end)
  }
  return new ReadableStream(
    {
      start(controller) {
        end = () => {
          stop()
          controller.close()
        }
        sendText = (text) => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(text))
          else end()
        }
        sendText(': open\n\n')
        if (signal.aborted) end()
        else signal.addEventListener('abort', end)
      },
      cancel: stop,
    },
    { highWaterMark: MOST_WAITING },
  )
}

export const eventOperations: readonly Served<EventParts>[] = [
  serveOrganization(shapes.followEvents, (request) => new Response(streamOf(request), { headers: HEAD })),
  serveOrganization(shapes.followOrganizationEvents, (request) => new Response(streamOf(request), { headers: HEAD })),
]
