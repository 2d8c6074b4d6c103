/**
 * The transports that last: HTTP+SSE as both SDKs have it, WebSocket as SDK 1 has it, and one of our own for SDK 2, which has none
 * any more. Given the address of an MCP endpoint, each finds the one that is its own.
 */
import { SSEClientTransport as SseTwo } from '@modelcontextprotocol/client'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { SSEClientTransport as SseOne } from '@modelcontextprotocol/sdk/client/sse.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import type { Transport as TransportOne } from '@modelcontextprotocol/sdk/shared/transport.js'
import { WebSocket } from 'ws'

export type Way = 'http' | 'sse' | 'socket'

/** The address of the stream beside an MCP address. */
export const sseOf = (url: string): string => url.replace(/mcp$/, 'sse')
/** The same address, as WebSocket clients write it. */
export const socketOf = (url: string): string => url.replace(/^http/, 'ws')

const bearing = (key: string | undefined) => (key === undefined ? {} : { authorization: `Bearer ${key}` })

export function lastingOne(
  way: 'sse' | 'socket',
  url: string,
  key: string,
  onRevision: (revision: string) => void,
): TransportOne {
  const transport =
    way === 'sse'
      ? new SseOne(new URL(sseOf(url)), { requestInit: { headers: bearing(key) } })
      : new KeyedSocketTransport(new URL(socketOf(url)), key)
  const told: TransportOne = transport
  const own = told.setProtocolVersion?.bind(transport)
  told.setProtocolVersion = (revision) => {
    onRevision(revision)
    own?.(revision)
  }
  return told
}

export function lastingTwo(way: 'sse' | 'socket', url: string, key: string): Transport {
  return way === 'sse'
    ? new SseTwo(new URL(sseOf(url)), { requestInit: { headers: bearing(key) } })
    : createSocketTransport(openSocket(url, key))
}

/** SDK 1's own, which takes the platform's WebSocket and has no place for a header. */
class KeyedSocketTransport extends WebSocketClientTransport {
  readonly #key: string

  constructor(url: URL, key: string) {
    super(url)
    this.#key = key
  }

  override start(): Promise<void> {
    const platform = globalThis.WebSocket
    const headers = bearing(this.#key)
    class Keyed extends platform {
      constructor(url: string | URL, protocols: string) {
        super(url, { protocols, headers })
      }
    }
    globalThis.WebSocket = Keyed as typeof platform
    try {
      // The socket is made before this returns.
      return super.start()
    } finally {
      globalThis.WebSocket = platform
    }
  }
}

/** A socket at an MCP address. The reason for a failure is visible in its close. */
export function openSocket(url: string, key: string | undefined, headers: Record<string, string> = {}): WebSocket {
  const socket = new WebSocket(socketOf(url), ['mcp'], { headers: { ...bearing(key), ...headers } })
  socket.on('error', () => {})
  return socket
}

function createSocketTransport(socket: WebSocket): Transport {
  const transport: Transport = {
    start: () =>
      new Promise((resolve, reject) => {
        socket.once('open', resolve).once('error', reject)
        socket.on('message', (data: Buffer) => transport.onmessage?.(JSON.parse(data.toString()) as JSONRPCMessage))
        socket.once('close', () => transport.onclose?.())
      }),
    send: async (message) => socket.send(JSON.stringify(message)),
    close: async () => socket.close(),
  }
  return transport
}
