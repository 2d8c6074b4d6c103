/** How a message is written on an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import type { Message } from './message.ts'

export const KEEP_ALIVE = ': keep-alive\n\n'

/** One event. JSON has no raw line feed, so one `data:` line always holds the whole message. */
export const eventOf = (message: Message, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`

/** The same for a message that is JSON already, as a replay has it. */
export const eventOfText = (text: string, id: string): string => `id: ${id}\nevent: message\ndata: ${text}\n\n`

/** An id and nothing else, so that a client can come back before it was told anything (2025-11-25, transports). */
export const primingEvent = (id: string, retry: number): string => `id: ${id}\nretry: ${retry}\ndata: \n\n`
