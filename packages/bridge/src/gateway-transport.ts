/** The gateway as a transport of the shared MCP client, for the few requests that are the bridge's own and no client's. */
import { hearUntil, type Incoming, type Outgoing, type Transport } from '@toolway/protocol/client'
import { refusalOf, type HearParts } from './ask.ts'
import type { Gateway } from './gateway.ts'

export function createGatewayTransport(parts: HearParts & { readonly gateway: Gateway }): Transport {
  const alias = parts.address

  async function send({ method, headers, body, signal, until, onMessage }: Outgoing): Promise<Incoming> {
    const { stream, ...answered } = await parts.gateway.reach({
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    })
    const messages = { ...(until === undefined ? {} : { until }), ...(onMessage === undefined ? {} : { onMessage }) }
    const response = stream === undefined ? undefined : await hearUntil({ alias }, stream.texts, messages)
    return { ...answered, stream: stream !== undefined, response, lastEventId: undefined, retry: undefined }
  }

  return {
    alias,
    timeout: Infinity,
    send,
    sendLast: send,
    refusal: (incoming) => refusalOf(parts, incoming),
    mask: (text) => text,
  }
}

let last = 0
/** Ids of the bridge's own requests, which are none of its client's. */
export const nextId = (): string => `toolway-bridge-${++last}`
