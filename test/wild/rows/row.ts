/** What a row of the zoo says, whatever it is about: a behaviour, where it was seen, what becomes of it, and in which words. */
import type { Json } from '../../../packages/protocol/src/json.ts'

export const ERAS = ['modern', 'legacy'] as const
export type Era = (typeof ERAS)[number]

/** Ways to a server; `sse` is HTTP+SSE of revision 2024-11-05, which only legacy servers have. */
export const TRANSPORTS = ['http', 'sse', 'websocket', 'stdio'] as const
export type Transport = (typeof TRANSPORTS)[number]

/** Of a server: what it lists, returns, answers at all, says at the first contact, and how it says that it lost a session. */
export type ServerBorder = 'definition' | 'result' | 'answer' | 'greeting' | 'session'
export type Border = ServerBorder | 'token server' | 'document' | 'settings file' | 'client'

/** Left out: the item alone, its neighbours stay. Refused: the whole answer, document, file or request. */
export type Outcome = 'taken' | 'left out' | 'refused' | 'its own error'

/** A server that behaves as a row says, until it is disposed of. */
export interface Playing extends AsyncDisposable {
  readonly wire: PlayedWire
}
export type PlayedWire =
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'process'
      readonly command: string
      readonly args: string[]
      readonly environment: Record<string, string>
    }

export interface Row {
  readonly border: Border
  readonly behaviour: string
  /** Whose behaviour it is, in a word or two; `variation` for one that is made from a reported one. */
  readonly origin: string
  readonly outcome: Outcome
  /** A pattern of the sentence that a person reads; '' where nothing is worth a word, which is only ever what is taken. */
  readonly words: string
  /** Of a server. */
  readonly server?: PlayedServer
  /** What else is read: the text of a file or of an answer, or a request. */
  readonly text?: string
}

export interface PlayedServer {
  readonly eras: readonly Era[]
  readonly transports: readonly Transport[]
  /** Throws where it is none of its transports and eras. */
  play(era: Era, transport: Transport): Promise<Playing>
}

/** The behaviour, with what tells it from others of its border. */
export const shown = (value: Json | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value))
