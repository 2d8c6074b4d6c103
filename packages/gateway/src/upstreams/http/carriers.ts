/** Selects the carrier by the scheme of the address. */
import type { Carrier, CarrierParts } from '../carrier.ts'
import type { ReachOf, RemoteTarget } from '../upstream.ts'
import { createWebSocketCarrier } from '../websocket/websocket-carrier.ts'
import { NO_EXCEPTIONS } from './exceptions.ts'
import { createHttpCarrier } from './http-carrier.ts'

export function createCarrier(
  reach: ReachOf<RemoteTarget>,
  { ids, breaker, onOdd }: Pick<CarrierParts, 'ids' | 'breaker' | 'onOdd'>,
): Carrier {
  const { wire } = reach
  const url = new URL(wire.url)
  const create = url.protocol === 'ws:' || url.protocol === 'wss:' ? createWebSocketCarrier : createHttpCarrier
  return create({
    alias: reach.alias,
    timeout: reach.timeout,
    url,
    allowPrivate: wire.private,
    exceptions: wire.exceptions ?? NO_EXCEPTIONS,
    headers: wire.headers,
    ids,
    breaker,
    onOdd,
  })
}
