/**
 * Server-sent events out of bytes (https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6): what
 * each carries, and the two things that resuming needs, the last id and the pause that the server asks for.
 *
 * An event is kept whole in memory, so it is bounded. It knows no MCP.
 */
export interface EventStream {
  /** The data of the events that end in this chunk, without those that have another name than `message`. Throws EventTooLarge. */
  feed(chunk: Uint8Array): string[]
  /** The stream is complete: the data of a last event without its blank line. */
  end(): string[]
  /** As the last finished event left it; the empty text takes an id back. */
  readonly lastEventId: string | undefined
  /** Milliseconds to wait before connecting again. */
  readonly retry: number | undefined
}

export class EventTooLarge extends Error {}

export function createEventStream(limit: number): EventStream {
  const decoder = new TextDecoder()
  let rest = ''
  let pieces: string[] = []
  let size = 0
  let data: string[] = []
  let name = ''
  let [id, lastEventId]: (string | undefined)[] = []
  let retry: number | undefined

  function takeLine(line: string, events: string[]): void {
    if (line === '') {
      lastEventId = id === '' ? undefined : id
      const text = data.join('\n')
      if (text !== '' && (name === '' || name === 'message')) events.push(text)
      data = []
      name = ''
      size = 0
      return
    }
    const colon = line.indexOf(':')
    const [field, value] =
      colon === -1 ? [line, ''] : [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)]
    if (field === 'data') data.push(value)
    else if (field === 'event') name = value
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) retry = Number(value)
  }

  return {
    feed(chunk) {
      const events: string[] = []
      size += chunk.length
      const text = rest + decoder.decode(chunk, { stream: true })
      // A CR at the end may be half of a CRLF.
      const whole = text.endsWith('\r') ? text.slice(0, -1) : text
      rest = text.slice(whole.length)
      const lines = whole.split(/\r\n|\r|\n/)
      // An unfinished line is kept in pieces: joining it at every chunk would read a long line many times over.
      for (const line of lines.slice(0, -1)) {
        takeLine(pieces.length === 0 ? line : pieces.join('') + line, events)
        pieces = []
      }
      const last = lines.at(-1) ?? ''
      if (last !== '') pieces.push(last)
      if (size > limit) throw new EventTooLarge()
      return events
    },
    end() {
      const events: string[] = []
      const last = pieces.join('') + rest.replace(/\r$/, '')
      pieces = []
      rest = ''
      if (last !== '') takeLine(last, events)
      // The event may have been cut off: the rest of the stream is fetched from the event before it.
      const before = lastEventId
      takeLine('', events)
      lastEventId = before
      return events
    },
    get lastEventId() {
      return lastEventId
    },
    get retry() {
      return retry
    },
  }
}
