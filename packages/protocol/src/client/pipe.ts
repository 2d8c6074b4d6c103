/**
 * The transport of a channel's texts over the network: one connection (WebSocket) or a pair of them (HTTP+SSE).
 *
 * A pipe knows no message and no caller. It ends once, with the reason, and never comes back: its user opens another.
 */
import type { Fault } from '@toolway/contract'

/** The receiver at this end. Nothing is delivered to it after `onEnd`. */
export interface PipeEventSink {
  onText(text: string): void
  onEnd(fault: Fault): void
}

export interface Pipe {
  /** Rejects with a fault, or with `SessionLost` when the other end does not know the session and has not acted. */
  send(text: string): Promise<void>
  /** Milliseconds since anything was heard. */
  quiet(): number
  /** The event sink is told `upstream.lost`, unless it has ended before. */
  close(): void
}

/** Throws `upstream.*` faults. Once the signal is aborted it is given up. */
export type OpenPipe = (eventSink: PipeEventSink, signal: AbortSignal) => Promise<Pipe>
