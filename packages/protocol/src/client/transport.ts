/**
 * The transport below an HTTP client of an MCP server: one exchange at a time, a message out, one JSON text or a stream of
 * messages back.
 *
 * A transport knows addresses, connections, credentials and deadlines. It knows no method, session or revision, and it
 * never sends anything twice. Channels (pipes, WebSocket) have `pipe.ts` in its place.
 */
import type { Id, Message, Response } from '../message.ts'

export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  /** For streams that may be silent for long. */
  readonly patient?: boolean
  /** Seconds, where less than the transport's own limit is left. */
  readonly seconds?: number
  /** The messages of a stream, in order, without the response that is waited for. */
  onMessage?(message: Message): void
  /** The head of the answer is there: streams that may be silent for long begin with it. */
  onHead?(status: number): void
  /** Gives a function that extends the deadline while a person is asked by another way than this exchange. */
  onDeadline?(extend: () => void): void
  /** Id of the response that ends the wait, although the stream may stay open; undefined waits for the end of the stream. */
  readonly until?: Id
}

export interface Incoming {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly stream: boolean
  /** The body, where it is no stream. */
  readonly text: string
  /** The response that was waited for, where a stream brought it. */
  readonly response: Response | undefined
  readonly lastEventId: string | undefined
  /** Why the first event of a stream that was passed over is no message. */
  readonly odd?: string | undefined
  /** Milliseconds that the server asks a client to wait before it fetches the rest of a stream. */
  readonly retry: number | undefined
}

export interface Transport {
  /** The server's name in errors. */
  readonly alias: string
  /** Seconds for one request. */
  readonly timeout: number
  /** Resolves with the answer, or rejects with a Fault. */
  send(outgoing: Outgoing): Promise<Incoming>
  /** Sends the end of a session, also when the transport takes no more requests. */
  sendLast(outgoing: Outgoing): Promise<unknown>
  /** The error for a status without a JSON-RPC body. */
  refusal(incoming: Incoming): Error
  /** Text without secrets: servers repeat what they were sent, in their errors above all. */
  mask(text: string): string
  /** The same for all that the server says, which is data: only what is surely a secret is taken out. Absent where there is none. */
  readonly hide?: ((text: string) => string) | undefined
}

/** The parts of an error text about a server: its name and the mask of its secrets. */
export type Peer = Pick<Transport, 'alias' | 'mask'>
