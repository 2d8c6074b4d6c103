/** How a message is written on an event stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import type { Message } from './message.ts'

export const KEEP_ALIVE = ': keep-alive\n\n'

/** One event. JSON has no raw line feed, so one `data:` line always holds the whole message. */
export const eventOf = (message: Message, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`
