/** One request of a caller over a channel (a pipe, a WebSocket, a child's standard streams), in the words of its server's era. */
import type { Caller } from '../mcp-request.ts'
import type { Era } from '../era.ts'
import { stripEnvelope, writeEnvelope } from '../eras/modern/envelope.ts'
import { progressTokenOf, type Request } from '../message.ts'
import type { Channel } from './channel.ts'
import { forCaller, tokenOf, type Answer, type ClientRequest } from './request.ts'

export interface ChannelCall {
  readonly era: Era
  /** The caller as the server may know it, where that is less than the request says. */
  readonly caller?: Caller
  /** Seconds, for a request that is not patient. */
  readonly timeout: number
  /** Absent for a request that a server's question cannot be about. */
  readonly onQuestion?: ((question: Request) => Promise<Answer>) | undefined
}

export function callOn(
  channel: Channel,
  id: number,
  request: ClientRequest,
  { era, timeout, caller = request.caller, onQuestion }: ChannelCall,
): Promise<Answer> {
  const { method, params, signal, patient = false } = request
  const token = progressTokenOf(params)
  const ours = token === undefined ? undefined : tokenOf(id)
  return channel.call({
    id,
    method,
    params: era === 'modern' ? writeEnvelope(params, caller, ours) : stripEnvelope(params, ours),
    signal,
    timeout: patient ? Infinity : timeout,
    onNotification(notification) {
      const relevant = forCaller(notification, ours, token)
      if (relevant !== undefined) request.onNotification?.(relevant)
    },
    ...(onQuestion === undefined ? {} : { onQuestion }),
  })
}
