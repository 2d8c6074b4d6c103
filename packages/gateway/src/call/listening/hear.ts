/**
 * Hearing what one connection says of its resources and tasks, for as long as the endpoint shows it.
 *
 * A connection whose settings change gets another upstream: the hearing goes on there, and all that is heard of may have changed
 * meanwhile. One that the endpoint shows no more is heard no more.
 */
import { Fault, type ConnectionId } from '@toolway/contract'
import { endless, retry } from '@toolway/protocol/retry'
import { REAL_TIME } from '../../lib/pause.ts'
import type { Hearing, Honoured } from '../../upstreams/upstream.ts'
import type { RequestContext } from '../../snapshot/ports/request-context.ts'

/** Milliseconds. */
const BACKOFF = endless({ first: 100, most: 60_000 })

export interface HearParts extends Omit<Hearing, 'onEnd'> {
  readonly requestContext: RequestContext
  readonly connectionId: ConnectionId
  /** Whether the endpoint, as it stands by now, shows what is listened to. */
  isShown(): boolean
  /** The endpoint does not show the connection any more. */
  onGone(): void
}

/** Resolves, when the server has taken it or after a moment, to what it honours. */
export function hear({ requestContext, connectionId, isShown, onGone, ...hearing }: HearParts): Promise<Honoured> {
  const { signal, uris, onNotification } = hearing

  function open(): Promise<Honoured> {
    const now = requestContext.now()
    if (now === undefined) throw new Fault('place.unknown')
    return now.upstream(connectionId).listen({
      ...hearing,
      onNotification: (notification) => isShown() && onNotification(notification),
      onEnd: () => void comeBack(),
    })
  }

  /** The new state of the organization may be known a moment later than the end of its upstream. */
  async function comeBack(): Promise<void> {
    const gone = new AbortController()
    const lasting = AbortSignal.any([signal, gone.signal])
    const openIfShown = () => {
      if (isShown()) return open()
      gone.abort()
      throw new Fault('place.unknown')
    }
    const back = await retry(openIfShown, {
      limits: BACKOFF,
      evaluate: () => ({ wanted: 0, done: 'no' }),
      idempotent: true,
      signal: lasting,
      ...REAL_TIME,
    }).catch(() => undefined)
    if (gone.signal.aborted) return onGone()
    if (back === undefined) return
    for (const uri of uris)
      onNotification({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
  }

  return Promise.resolve().then(open)
}
